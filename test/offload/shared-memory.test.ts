import { describe, expect, it } from 'vitest'
import { SharedMemory } from '../../src/offload/shared-memory.ts'

const KB = 1024
const filled = (bytes: number, value: number): Uint8Array => new Uint8Array(bytes).fill(value)

describe('memory that threads share', () => {
  it.each([0, 1, 64 * KB, 64 * KB + 1, 3_000_001])('holds a copy of %i bytes', (bytes) => {
    const given = filled(bytes, 7)
    const copy = new SharedMemory(KB).copyOf(given)
    given.fill(8)
    expect(Buffer.from(copy).equals(filled(bytes, 7))).toBe(true)
  })

  it('is used again once it is released, and not before', () => {
    const memory = new SharedMemory(1024 * KB)
    const first = memory.copyOf(filled(100 * KB, 1))
    const second = memory.copyOf(filled(100 * KB, 2))
    expect(second.buffer).not.toBe(first.buffer)
    memory.release(first)
    const third = memory.copyOf(filled(70 * KB, 3))
    expect(third.buffer).toBe(first.buffer)
    expect(third).toHaveLength(70 * KB)
    expect(second.every((byte) => byte === 2)).toBe(true)
  })

  it('is not kept beyond what it may hold ready', () => {
    const memory = new SharedMemory(128 * KB)
    const copies = [1, 2, 3].map((value) => memory.copyOf(filled(64 * KB, value)))
    for (const copy of copies) memory.release(copy)
    const again = new Set([4, 5, 6].map((value) => memory.copyOf(filled(40 * KB, value)).buffer))
    expect(copies.filter(({ buffer }) => again.has(buffer))).toHaveLength(2)
    for (const copy of copies) memory.release(copy)
    const large = memory.copyOf(filled(129 * KB, 1))
    memory.release(large)
    expect(memory.copyOf(filled(129 * KB, 1)).buffer).not.toBe(large.buffer)
  })

  it('makes room for the size that is used now', () => {
    const memory = new SharedMemory(256 * KB)
    for (const copy of [1, 2, 3, 4].map(() => memory.copyOf(filled(64 * KB, 1)))) memory.release(copy)
    const large = memory.copyOf(filled(200 * KB, 2))
    memory.release(large)
    expect(memory.copyOf(filled(200 * KB, 3)).buffer).toBe(large.buffer)
  })
})
