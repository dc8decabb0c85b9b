import { describe, expect, test } from 'vitest'
import { PNG } from '../pictures.ts'
import { partsOf, pathsOf, read } from './make.ts'
import { texts, told } from './told.ts'

type Row = Record<string, unknown>

let serial = 0
const old = (more: Row): Row => ({ id: serial++, source: 'agent', message: '', ...more })
const asks = (content: unknown): Row => old({ source: 'user', action: 'message', args: { content } })
const runs = (command: string, more: Row = {}): Row =>
  old({ action: 'run', args: { command, thought: '', blocking: false }, ...more })
const answers = (cause: unknown, content: unknown): Row => old({ observation: 'run', cause, content, extras: {} })

describe('steps of the old events', () => {
  test('an answer stands in the step of its action, or at its time after other things', () => {
    const [a, b] = [runs('ls'), runs('cat')]
    const records = [asks('Go.'), a, answers(a['id'], 'out'), b, asks('Also.'), answers(b['id'], 'late')]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([
      ['user: Go.'],
      ['agent_action: ls', 'tool_output: out'],
      ['agent_action: cat'],
      ['user: Also.'],
      ['tool_output: late'],
    ])
    expect(trajectory.warnings).toEqual([])
    expect(told(read({ history: records }))).toEqual(told(trajectory))
  })

  test('what the model itself called is shown, and calls of one reply are one step', () => {
    const made = (id: string, text: string): Row => ({
      ...{ id, function: { name: 'edit', arguments: JSON.stringify({ text }) } },
    })
    const message = { reasoning_content: 'hm', tool_calls: [made('1', 'x'), made('2', 'y')] }
    const model_response = { id: 'r', model: 'm', choices: [{ message }] }
    const reply = (id: string): Row => ({
      tool_call_metadata: { function_name: 'edit', tool_call_id: id, model_response },
    })
    const a = old({ action: 'edit', args: { content: '', thought: 'I edit.' }, ...reply('1') })
    const b = old({ action: 'edit', args: { content: '', thought: 'I edit.' }, ...reply('2') })
    const trajectory = read({ records: [asks('Go.'), a, answers(a['id'], 'one'), b, answers(b['id'], 'two')] })
    expect(told(trajectory)[1]).toEqual([
      ...['agent_reasoning: hm', 'agent_message: I edit.', 'agent_action: x', 'agent_action: y'],
      ...['tool_output: one', 'tool_output: two'],
    ])
    expect(partsOf(trajectory, 1)[3]?.[2]).toBe(
      '/records/3/tool_call_metadata/model_response/choices/0/message/tool_calls/1/function/arguments#/text',
    )
    expect(trajectory.agent.model).toBe('m')
    const odd = old({ action: 'edit', args: { thought: { toString: 'x' } }, ...reply('1') })
    expect(told(read({ records: [asks('Go.'), odd] }))[1]).toEqual(['agent_reasoning: hm', 'agent_action: x'])
  })

  const RECALLED = { repo_instructions: 'R', date: '', microagent_knowledge: [] }
  test.each<[string, Row, string[]]>([
    ['a system prompt', old({ action: 'system', args: { content: 'S', tools: [] } }), ['system: S']],
    ['a thought', old({ action: 'think', args: { thought: 'hm' } }), ['agent_reasoning: hm']],
    [
      'a picture',
      old({ source: 'user', action: 'message', args: { content: 'a', image_urls: [`data:image/png;base64,${PNG}`] } }),
      ['user: a', 'user: [image: image/png]'],
    ],
    ['what was recalled', old({ observation: 'recall', content: 'Added', extras: RECALLED }), ['system: R']],
    ['a summary', old({ action: 'condensation', args: { summary: 'W' } }), ['agent_message: W']],
    ['an error of nobody', old({ observation: 'error', content: 'E', extras: {} }), ['system: E']],
    ['a command of the user', old({ source: 'user', action: 'run', args: { command: 'ls' } }), ['user: ls']],
  ])('%s', (_, event, expected) => {
    const trajectory = read({ records: [event, asks('z')] })
    expect(told(trajectory)[0]).toEqual(expected)
    expect(trajectory.warnings).toEqual([])
  })

  test('an orphan answer and an unknown event are warned about', () => {
    const trajectory = read({
      records: [asks('Go.'), answers(999_999, 'x'), { id: 1, source: 'agent' }],
    })
    expect(pathsOf(trajectory.warnings)).toEqual(['/records/1', '/records/2'])
    expect(texts(trajectory, 'tool_output')).toEqual(['x'])
  })
})

const block = (text: string): Row => ({ type: 'text', text })
const sdk = (kind: string, more: Row): Row => ({ kind, id: `e${serial++}`, source: 'agent', ...more })
const act = (id: string, more: Row = {}): Row =>
  sdk('ActionEvent', {
    ...{ tool_name: 'terminal', tool_call_id: id, tool_call: { arguments: `{"command":"${id}"}` }, ...more },
  })
const observed = (id: string, content: unknown): Row =>
  sdk('ObservationEvent', { source: 'environment', tool_call_id: id, action_id: 'gone', observation: { content } })
const speaks = (source: string, content: unknown): Row =>
  sdk('MessageEvent', { source, llm_message: { role: 'x', content } })

describe('steps of the SDK', () => {
  test('parallel calls of one reply are one step with their answers', () => {
    const one = { llm_response_id: 'r' }
    const records = [
      sdk('SystemPromptEvent', { system_prompt: block('S'), dynamic_context: block('D'), tools: [] }),
      speaks('user', [block('Go.'), { type: 'image', image_urls: ['http://x/y.png'] }]),
      act('1', { ...one, reasoning_content: 'hm', thought: [block('<think>hm</think>'), block('I look.')] }),
      act('2', one),
      observed('1', [block('a')]),
      observed('2', 'b'),
      act('3', one),
      sdk('AgentErrorEvent', { tool_call_id: '3', error: 'no such tool' }),
      sdk('Condensation', { summary: 'W' }),
      speaks('agent', [block('Done.')]),
    ]
    const trajectory = read({ records })
    expect(told(trajectory)).toEqual([
      ['system: S', 'system: D'],
      ['user: Go.', 'user: [image: http://x/y.png]'],
      [
        ...['agent_reasoning: hm', 'agent_message: I look.', 'agent_action: 1', 'agent_action: 2'],
        ...['tool_output: a', 'tool_output: b'],
      ],
      ['agent_action: 3', 'tool_output: no such tool'],
      ['agent_message: W'],
      ['agent_message: Done.'],
    ])
    expect(trajectory.warnings).toEqual([])
    expect(partsOf(trajectory, 0)[1]?.[2]).toBe('/records/0/dynamic_context/text')
  })

  test.each<[string, Row, string]>([
    ['an unknown kind', sdk('NovelEvent', {}), '/records/1'],
    ['a kind named __proto__', sdk('__proto__', {}), '/records/1'],
    ['an orphan answer', observed('9', 'x'), '/records/1'],
    ['an unknown piece', speaks('user', [{ type: 'odd', x: 'y' }]), '/records/1/llm_message/content/0'],
  ])('%s is warned about', (_, event, path) => {
    expect(pathsOf(read({ records: [speaks('user', 'Go.'), event] }).warnings)).toEqual([path])
  })

  test.each<[string, unknown, string]>([
    ['an event that is text', 'x', '/records/1'],
    ['no message', sdk('MessageEvent', {}), '/records/1/llm_message'],
    ['content that is a number', speaks('user', 1), '/records/1/llm_message/content'],
    ['a piece that is null', observed('1', [null]), '/records/1/observation/content/0'],
  ])('%s is unread, and refuses no session', (_, event, path) => {
    const { unread, warnings } = read({ records: [act('1'), event] })
    expect([unread.actions, pathsOf(warnings)]).toEqual([1, [path]])
  })
})
