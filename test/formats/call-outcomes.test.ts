import { describe, expect, test } from 'vitest'
import { atif, read } from './make.ts'
import { OUTCOMES } from './outcomes.ts'

const CALL = { tool_call_id: 'a', function_name: 'bash', arguments: { command: 'rotate-key' } }

describe('the outcome of a call of ATIF', () => {
  test.each(OUTCOMES.atif)('%s: %s %j %j', (name, content, step, more, expected) => {
    const answered = { tool_calls: [CALL], observation: { results: [{ content, ...more }] }, ...step }
    const { steps } = read(atif([answered], { agent: { name } }))
    const outcomes = new Set(steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act?.call.outcome ?? [])))
    expect([...outcomes]).toEqual([expected])
  })
})
