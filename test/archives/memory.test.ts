import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { atif, harborResult, tarOf, tempFolder } from './make.ts'

let folder = ''
let temp = ''
beforeEach(async () => {
  folder = await tempFolder()
  temp = await tempFolder()
})

describe('memory, as the process itself counts it', () => {
  /** Reads a path in a process of its own; what it prints, and the most bytes that it ever held. */
  async function readApart(path: string): Promise<{ items: string[]; peakBytes: number; heldBytes: number }> {
    const script = join(import.meta.dirname, 'read-apart.ts')
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', script, path, temp], {
      maxBuffer: 10_000_000,
    })
    return JSON.parse(stdout)
  }
  const MOST = 300 * 1024 * 1024

  it('is bounded for 10 GB of zeros in 10 MB', async () => {
    const head = (await tarOf([{ name: 'zeros.json', content: '' }])).subarray(0, 512)
    const size = 10 * 1024 ** 3
    head.write('\x80\0\0\0', 124, 'latin1')
    head.writeBigUInt64BE(BigInt(size), 128)
    head.fill(' ', 148, 156)
    head.write(
      `${[...head]
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
      148,
      'latin1',
    )
    // A gzip may be made of many: one of 64 MB of zeros, again and again.
    const zeros = gzipSync(Buffer.alloc(64 * 1024 ** 2))
    await writeFile(join(folder, 'zeros.tar.gz'), Buffer.concat([gzipSync(head), ...Array(160).fill(zeros)]))
    const { items, peakBytes } = await readApart(join(folder, 'zeros.tar.gz'))
    expect(items).toEqual([expect.stringContaining('zeros.tar.gz: refused: more than 4294967296 bytes when unpacked')])
    expect(peakBytes).toBeLessThan(MOST)
    expect(await readdir(temp)).toEqual([])
  })

  it('is bounded for a million entries', async () => {
    const block = await tarOf(Array.from({ length: 1000 }, (_, index) => ({ name: `${index}/x.json`, content: '' })))
    const packed = gzipSync(block.subarray(0, block.length - 1024), { level: 0 })
    await writeFile(join(folder, 'many.tar.gz'), Buffer.concat(Array(1000).fill(packed)))
    const { items, peakBytes } = await readApart(join(folder, 'many.tar.gz'))
    expect(items).toEqual([expect.stringMatching(/many.tar.gz: refused: more than 200000 entries/)])
    expect(peakBytes).toBeLessThan(MOST)
  })

  it('is bounded for a line of 200 MB, and the lines around it are read', async () => {
    const line = JSON.stringify({
      item_id: 'a',
      trajectory: atif(),
      ground_truth: { instruction: 'x', cue: { text: 'y' } },
    })
    const path = join(folder, 'requests.ndjson')
    await writeFile(path, `${line}\n{"trajectory":{`)
    await truncate(path, 200 * 1024 ** 2)
    await writeFile(path, `\n${line.replace('"a"', '"b"')}\n`, { flag: 'a' })
    const { items, peakBytes } = await readApart(path)
    expect(items).toEqual(['a', expect.stringContaining('requests.ndjson#line 2: refused: the line has more'), 'b'])
    expect(peakBytes).toBeLessThan(MOST)
  })

  it('is that of one trial, however many there are', async () => {
    const MEGABYTE = 1024 ** 2
    // Bytes that do not compress, so that the archive is as large as what is in it.
    const text = () => randomBytes((3 * MEGABYTE) / 4).toString('base64')
    const pack = async (count: number) => {
      const trials = Array.from({ length: count }, (_, index) => [
        { name: `job/t__${index}/result.json`, content: harborResult('t', `t__${index}`) },
        { name: `job/t__${index}/agent/trajectory.json`, content: atif(text()) },
      ])
      await writeFile(join(folder, `${count}.tar.gz`), gzipSync(await tarOf(trials.flat()), { level: 1 }))
      return readApart(join(folder, `${count}.tar.gz`))
    }
    const few = await pack(4)
    const many = await pack(60)
    expect(many.items).toHaveLength(60)
    expect(many.items.every((item) => !item.includes(':'))).toBe(true)
    expect(many.heldBytes - few.heldBytes).toBeLessThan(4 * MEGABYTE)
  })
})
