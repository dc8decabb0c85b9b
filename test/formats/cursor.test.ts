import { describe, expect, test } from 'vitest'
import { cursorStream } from '../harness-logs/cursor.ts'
import { expectPlaces, partsOf, pathsOf, read } from './make.ts'
import { told } from './told.ts'

type Row = Record<string, unknown>

const INIT: Row = {
  ...{ type: 'system', subtype: 'init', apiKeySource: 'login', cwd: '/w', session_id: 's' },
  ...{ model: 'M', permissionMode: 'default' },
}
const event = (type: string, more: Row): Row => ({ type, session_id: 's', timestamp_ms: 1774379930122, ...more })
const said = (text: string, more: Row = {}): Row =>
  event('assistant', { message: { role: 'assistant', content: [{ type: 'text', text }] }, ...more })
const call = (subtype: string, id: string, body: Row): Row =>
  event('tool_call', { subtype, call_id: id, tool_call: body })
const shell = (command: string, result?: Row): Row => ({
  shellToolCall: { args: { command }, ...(result === undefined ? {} : { result }) },
})
const user: Row = event('user', { message: { role: 'user', content: [{ type: 'text', text: 'Go.' }] } })

describe('streams of cursor', () => {
  test('a run: thoughts, words, calls and their answers, with times and places', () => {
    const success = { stdout: '/w', stderr: '', exitCode: 0, command: 'pwd', interleavedOutput: '/w' }
    const document = {
      records: [
        INIT,
        user,
        event('thinking', { subtype: 'delta', text: 'I ' }),
        event('thinking', { subtype: 'delta', text: 'look.' }),
        event('thinking', { subtype: 'completed' }),
        said('Looking.', { model_call_id: 'm-0' }),
        call('started', 'a', shell('ls')),
        call('started', 'b', shell('pwd')),
        call('completed', 'b', shell('pwd', { success })),
        call('completed', 'a', shell('ls', { failure: { stdout: '', stderr: 'no', exitCode: 2 } })),
        said('Done.'),
        event('result', { subtype: 'success', is_error: false, result: 'Looking.Done.' }),
      ],
    }
    const trajectory = read(document)
    expect(trajectory).toMatchObject({ format: 'cursor', agent: { name: 'cursor', model: 'M' }, warnings: [] })
    expect(told(read(document))).toEqual([
      ['user: Go.'],
      [
        ...['agent_reasoning: I ', 'agent_reasoning: look.', 'agent_message: Looking.'],
        ...['agent_action: ls', 'agent_action: pwd'],
        ...['tool_output: /w', 'tool_output: 0', 'tool_output: no', 'tool_output: 2'],
      ],
      ['agent_message: Done.'],
    ])
    expect(trajectory.steps.map(({ at }) => at)).toEqual([1774379930122, 1774379930122, 1774379930122])
    expectPlaces(document, trajectory)
  })

  test('the same events as the steps of a document', () => {
    const steps = [INIT, user, call('started', 'a', shell('ls'))]
    const document = { schema_version: 'cursor-jsonl-v1', source_format: 'jsonl', steps }
    expect(told(read(document))).toEqual([['user: Go.'], ['agent_action: ls']])
    expect(partsOf(read(document), 1)[0]?.[2]).toBe('/steps/2/tool_call/shellToolCall/args/command')
  })

  test('each start is a call of its own, also under the id of an open call', () => {
    const bare = { shellToolCall: {} }
    const records = [call('started', 'a', shell('ls')), call('started', 'a', shell('ls')), call('started', 'a', bare)]
    const parts = read({ records: [INIT, ...records] }).steps.flatMap((step) => step.parts)
    expect(parts.map(({ text }) => text)).toEqual(['ls', 'ls', 'tool_call'])
    expect(new Set(parts.map(({ act }) => act?.call)).size).toBe(3)
  })

  test('a call of an unknown subtype under the id of an open call is no second call', () => {
    const records = [call('started', 'a', shell('ls')), call('progress', 'a', shell('ls'))]
    expect(told(read({ records: [INIT, ...records] }))).toEqual([['agent_action: ls']])
  })

  test('the other form of a call', () => {
    const body = { tool: { case: 'shellToolCall', value: { args: { command: 'ls' } } } }
    const document = { records: [INIT, call('started', 'a', body)] }
    expect(told(read(document))).toEqual([['agent_action: ls']])
    expect(read(document).warnings).toEqual([])
  })

  test('an end that repeats no arguments belongs to its start; one without a start is an act of its own', () => {
    const end = { shellToolCall: { result: { rejected: { command: 'ls', reason: 'no' } } } }
    const alone = call('completed', 'z', shell('pwd', { success: { stdout: '/' } }))
    const document = { records: [INIT, call('started', 'a', shell('ls')), call('completed', 'a', end), alone] }
    expect(told(read(document))).toEqual([
      ['agent_action: ls', 'tool_output: no'],
      ['agent_action: pwd', 'tool_output: /'],
    ])
    const outcomes = read(document).steps.flatMap((step) => step.parts.flatMap(({ act }) => act?.call.outcome ?? []))
    expect(outcomes).toEqual(['rejected', 'ran'])
  })

  test('a message in pieces, and then as a whole, is shown once', () => {
    const document = { records: [INIT, said('Do'), said('ne.'), said('Done.')] }
    expect(told(read(document))).toEqual([['agent_message: Do', 'agent_message: ne.']])
    expect(pathsOf(read(document).warnings)).toEqual(['/records/3'])
  })

  test('it is not taken for claude-code, nor claude-code for it', () => {
    expect(read({ records: [INIT, user, said('Hi.')] }).format).toBe('cursor')
    const init = {
      ...{ type: 'system', subtype: 'init', session_id: 's', cwd: '/', apiKeySource: 'none' },
      ...{ tools: ['Bash'], model: 'm' },
    }
    expect(read({ records: [init, user, said('Hi.')] }).format).toBe('claude-code')
  })

  const cut = { _corpus_truncated: true, preview: '{"shell' }
  const taskToolCall = { args: { prompt: 'p' }, result: { success: { conversationSteps: [{ x: 'y' }] } } }
  test.each<[string, Row, string]>([
    ['a type of event', event('oops', {}), '/records/2'],
    ['a form of call', call('started', 'a', { odd: { args: { x: 'y' } } }), '/records/2/tool_call'],
    ['a call that a corpus cut', call('started', 'a', cut), '/records/2/tool_call'],
    ['a subtype of system event', event('system', { subtype: 'odd' }), '/records/2'],
    ['a tool of a server', call('started', 'a', { mcpToolCall: { args: { name: 'n' } } }), '/records/2/type'],
  ])('%s that is not known is warned about', (_, odd, path) => {
    expect(pathsOf(read({ records: [INIT, user, odd] }).warnings)).toEqual([path])
  })

  test('a subagent whose acts are only told in words is an unread act', () => {
    const { unread, warnings } = read({ records: [INIT, user, call('completed', 'a', { taskToolCall })] })
    expect(unread).toEqual({ records: 1, actions: 1 })
    const at = '/records/2/tool_call/taskToolCall'
    expect(pathsOf(warnings)).toEqual([`${at}/result/success`, `${at}/args/prompt`])
  })

  test('a call of an unknown form may have been anything', () => {
    const acts = read({ records: [INIT, call('started', 'a', { odd: { args: { x: 'y' } } })] }).steps.flatMap(
      (step) => step.parts,
    )
    expect(acts.map(({ text, act }) => [text, act?.role])).toEqual([['y', 'unknown']])
  })

  test('the writer’s shape is that of the real files', () => {
    const document = cursorStream.document('Go.', [{ shell: 'ls', output: 'out' }])
    expect(told(read(document))).toEqual([
      ['user: Go.'],
      ['agent_action: ls', 'agent_action: 30000', 'tool_output: 0', 'tool_output: out'],
    ])
  })
})
