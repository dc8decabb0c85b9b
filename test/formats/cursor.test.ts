import { expect, test } from 'vitest'
import { cursorStream } from '../harness-logs/cursor.ts'
import { read } from './make.ts'
import { told } from './told.ts'

test('each start is a call of its own, also under the id of an open call', () => {
  const init = { type: 'system', subtype: 'init', apiKeySource: 'login', cwd: '/w', session_id: 's', model: 'M' }
  const started = (shellToolCall: object) => ({
    ...{ type: 'tool_call', session_id: 's', timestamp_ms: 1774379930122, subtype: 'started', call_id: 'a' },
    tool_call: { shellToolCall },
  })
  const list = { args: { command: 'ls' } }
  const parts = read({ records: [init, started(list), started(list), started({})] }).steps.flatMap((step) => step.parts)
  expect(parts.map(({ text }) => text)).toEqual(['ls', 'ls', 'tool_call'])
  expect(new Set(parts.map(({ act }) => act?.call)).size).toBe(3)
})

test('the writer’s shape is that of the real files', () => {
  const document = cursorStream.document('Go.', [{ shell: 'ls', output: 'out' }])
  expect(told(read(document))).toEqual([
    ['user: Go.'],
    ['agent_action: ls', 'agent_action: 30000', 'tool_output: 0', 'tool_output: out'],
  ])
})
