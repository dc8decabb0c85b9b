import { describe, expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { LIMITS, read } from './make.ts'

/** A rollout of Codex with items of a kind that no reader knows. */
const odd = (count: number, more: object = {}): object => ({
  records: [
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] },
    },
    ...Array(count).fill({ type: 'response_item', payload: { type: 'mood', ...more } }),
  ],
})

describe('what could not be read is counted', () => {
  test('beyond the warnings that are kept', () => {
    expect(read(odd(500)).unread).toEqual({ records: 500, actions: 0 })
  })

  test('in bounded time, and what is too large to be looked at may hold an act', () => {
    const deep = Array.from({ length: 400 }, () => Array.from({ length: 400 }, () => Array(10).fill(0)))
    expect(read(odd(1, { deep })).unread).toEqual({ records: 1, actions: 1 })
  })
})

test('a member that JSON writes as an object without a text form is no reason to lose a document', () => {
  const member = { toString: 'x', valueOf: null }
  const documents = [
    {
      records: [
        { type: 'session_start' },
        { type: 'message', message: { role: 'user', content: 'x' } },
        { type: member },
      ],
    },
    {
      history: [
        { role: 'assistant', name: member, content: 'x' },
        { role: 'user', name: 'a', content: 'y' },
      ],
    },
    {
      observations: [
        { id: 'a', traceId: 't', type: member, startTime: '2026-01-01T00:00:00Z', input: 'x', output: 'y' },
      ],
    },
  ]
  for (const document of documents) expect(() => readTrajectory(document, LIMITS)).not.toThrow()
})
