import { describe, expect, test } from 'vitest'
import { PNG } from '../pictures.ts'
import { holds, pathsOf } from './make.ts'
import { told } from './told.ts'

type Row = Record<string, unknown>

const head: Row = { type: 'session', version: 3, id: 's', timestamp: '2026-01-01T00:00:00.000Z', cwd: '/w' }
const log = (...messages: Row[]): Row => ({
  records: [
    head,
    ...messages.map((one, index) => {
      const entry = {
        id: `e${index}`,
        parentId: index === 0 ? null : `e${index - 1}`,
        timestamp: `2026-01-01T00:00:0${index + 1}.000Z`,
      }
      return 'role' in one ? { type: 'message', ...entry, message: one } : { ...entry, ...one }
    }),
  ],
})
const answer = (content: unknown[], more: Row = {}): Row => ({
  role: 'assistant',
  content,
  provider: 'p',
  model: 'm',
  api: 'a',
  usage: {},
  stopReason: 'toolUse',
  timestamp: 1,
  ...more,
})
const call = (id: string, name: string, args: Row): Row => ({ type: 'toolCall', id, name, arguments: args })
const result = (id: string, text: string, more: Row = {}): Row => ({
  role: 'toolResult',
  toolCallId: id,
  toolName: 'exec',
  content: [{ type: 'text', text }],
  isError: false,
  timestamp: 1,
  ...more,
})
describe('openclaw', () => {
  test('a session', () => {
    const trajectory = holds(
      log(
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Run the tests.' },
            { type: 'image', data: PNG, mimeType: 'image/png' },
          ],
          timestamp: 1,
        },
        { type: 'model_change', provider: 'p', modelId: 'm' },
        answer([
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'I look.' },
          call('1', 'exec', { command: 'cat README.md' }),
          call('2', 'read', { path: 'a' }),
        ]),
        result('1', 'Run npm test.', { details: { exitCode: 0 } }),
        result('2', 'no such file', { toolName: 'read', isError: true }),
        answer([{ type: 'text', text: 'Done.' }], { stopReason: 'stop' }),
      ),
    )
    expect(told(trajectory)).toEqual([
      ['user: Run the tests.', 'user: [image: image/png]'],
      [
        'agent_reasoning: Hm.',
        'agent_message: I look.',
        'agent_action: cat README.md',
        'agent_action: a',
        'tool_output: Run npm test.',
        'tool_output: no such file',
      ],
      ['agent_message: Done.'],
    ])
    expect(
      trajectory.steps[1]?.parts.flatMap(({ act }) => act ?? []).map(({ role, call: one }) => [role, one.outcome]),
    ).toEqual([
      ['executes', 'ran'],
      ['reads', 'failed'],
    ])
    expect(trajectory.steps[0]?.parts[1]?.picture).toBeDefined()
    expect(trajectory).toMatchObject({
      format: 'openclaw',
      agent: { name: 'openclaw', model: 'm' },
      warnings: [],
      unread: { records: 0 },
    })
  })

  test('what the user ran is no act; an answer that was cut is not carried out; summaries are the agent’s', () => {
    const trajectory = holds(
      log(
        {
          role: 'bashExecution',
          command: 'ls',
          output: 'a',
          exitCode: 0,
          cancelled: false,
          truncated: false,
          timestamp: 1,
        },
        { type: 'compaction', summary: 'So far.', firstKeptEntryId: 'e0', tokensBefore: 9 },
        { type: 'custom_message', customType: 'x', content: 'Remember.', display: false },
        answer([call('1', 'exec', { command: 'rm -rf x' })], { stopReason: 'aborted', errorMessage: 'aborted' }),
      ),
    )
    expect(told(trajectory)).toEqual([
      ['user: ls', 'user: a'],
      ['agent_message: So far.'],
      ['system: Remember.'],
      ['agent_action: rm -rf x'],
      ['system: aborted'],
    ])
    expect(trajectory.steps[3]?.parts[0]?.act?.call.outcome).toBe('cancelled')
  })

  test('branches, unknown entries and answers without a call are told', () => {
    const document = log(
      { role: 'user', content: 'a', timestamp: 1 },
      answer([{ type: 'text', text: 'b' }]),
      { type: 'tool_note', command: 'x' },
      result('9', 'c'),
    )
    const records = document['records'] as Row[]
    const trajectory = holds({ records: [...records.slice(0, 3), { ...records[3], parentId: 'e0' }, records[4]] })
    expect(pathsOf(trajectory.warnings)).toEqual([
      '/records/3',
      '/records/3',
      '/records/4/message/toolCallId',
      '/records/2/message/content/0/text',
    ])
    expect(trajectory.unread).toEqual({ records: 1, actions: 1 })
    expect(told(trajectory).at(-1)).toEqual(['tool_output: c'])
  })

  test('a call of an answer that was cut is not carried out, but where it brought something', () => {
    const cut = answer([call('1', 'exec', { command: 'ls' }), call('2', 'exec', { command: 'pwd' })], {
      stopReason: 'aborted',
    })
    const acts = holds(log(cut, result('2', '/w'))).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act ?? []))
    expect(acts.map(({ call: made }) => made.outcome)).toEqual(['cancelled', 'interrupted'])
  })
})
