import { test } from 'vitest'
import { openDocuments } from '../../src/formats/common/open-documents.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import { expectLinear } from '../domain/linear-work.ts'
import { atif, LIMITS } from './make.ts'

/** Bounds the work of readers over hostile texts of a million characters. */

const observed = (content: string): object => ({ observation: { results: [{ content }] } })
const answered = (text: string): object => atif([{ message: text, ...observed('out') }])
const terminus = (text: string): object =>
  atif([{ message: text, observation: { results: [{ content: text }, { content: `${text}x` }] } }], {
    agent: { name: 'terminus-2' },
  })
const chat = (system: string, content: string): object => ({
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: 'Fix it.' },
    { role: 'assistant', content },
    { role: 'user', content: 'The human speaks.' },
  ],
})
const mini = (text: string): object => ({
  ...{ trajectory_format: 'mini-swe-agent-1.1', info: {} },
  ...chat('Be helpful.', text),
})

test.each<[string, string, (text: string) => object]>([
  ['tags that are not closed', '<execute_command><x></execute_command>', answered],
  ['open tags', '<write_to_file><path>', answered],
  ['keystrokes', '<keystrokesX ', (text) => answered(`${text}</keystrokes>`)],
  ['heads', 'Action: a\nAction Input: {\n', answered],
  ['fences', '```bash\n', answered],
  ['calls', '<tool_call>{', answered],
  ['parameters', '<parameter=b>', (text) => answered(`<function=a>${text}`)],
  ['angle brackets', '<', answered],
  ['invokes', '<invoke name="a">', answered],
  ['keys', '<arg_key>b</arg_key><arg_value>', (text) => answered(`<tool_call>a${text}`)],
  ['braces', '{', (text) => answered(`"action"${text}${'}'.repeat(text.length)}`)],
  ['marks of Hermes', '<tool_call> ', (text) => chat('Tools: <tools>[]</tools>', text)],
  ['marks of functions', '<function=', (text) => chat('Call as <function=name>.', text)],
  ['fences of mini-swe-agent', '```mswea_bash_command x\n', mini],
  ['refusals of terminus', 'Previous response had parsing errors', terminus],
  ['questions of terminus', 'Are you sure you want to mark ', terminus],
  ['commands of terminus', '{"commands"', terminus],
  ['blanks of terminus', ' ', terminus],
  [
    'calls and failures without ids of Gemini’s API',
    'x'.repeat(500),
    (text) => ({
      contents: Array.from({ length: text.length / 500 }, (_, at) =>
        at % 2 === 0
          ? { role: 'model', parts: [{ functionCall: { name: 'pay', args: { to: `a${at}` } } }] }
          : { role: 'user', parts: [{ functionResponse: { name: 'pay', response: { error: `no ${at}` } } }] },
      ),
    }),
  ],
  ['braces of terminus', '{', terminus],
  [
    'a response of SWE-agent that nearly repeats its thought',
    'a',
    (text) => {
      const evil = `b${text}`
      const step = { thought: evil, action: 'ls', observation: evil, response: text + text, state: '{}' }
      const said = { role: 'user', content: text + text }
      return { environment: 'swe_main', trajectory: [step, step, step], history: [said, said, said], info: {} }
    },
  ],
])('%s', (_, piece, documentOf) => {
  expectLinear(
    (size) => documentOf(piece.repeat(size)),
    (document) => readTrajectory(document, LIMITS),
    1_000_000 / piece.length,
  )
})

test('many blocks, and many results of one call', () => {
  expectLinear(
    (size) => ({
      messages: [
        { role: 'user', content: 'Do it.' },
        ...Array.from({ length: size }, () => ({ role: 'tool', tool_call_id: 'a', content: 'y' })),
        { role: 'assistant', content: '', tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }] },
        { role: 'tool', tool_call_id: 'a', content: Array.from({ length: size }, () => ({ type: 'text', text: 'x' })) },
      ],
    }),
    (document) => readTrajectory(document, { ...LIMITS, max_steps: 1_000_000 }),
    15_000,
  )
})

test('calls of Antigravity, each answered by the step of its own kind', () => {
  const step = (step_index: number, type: string, more: object) => ({
    ...{ step_index, source: 'MODEL', type, status: 'DONE', created_at: '2026-06-06T10:10:10Z', ...more },
  })
  const call = (name: string, argument: string, at: number) => ({ name, args: { [argument]: `${name} ${at}` } })
  const every = <T>(size: number, make: (at: number) => T): T[] => Array.from({ length: size }, (_, at) => make(at))
  expectLinear(
    (size) => {
      const calls = every(size, (at) => [call('run_command', 'CommandLine', at), call('view_file', 'AbsolutePath', at)])
      const results = every(size, (at) => step(at + 2, 'RUN_COMMAND', { content: 'The command exited with code 1.' }))
      return { records: [step(1, 'PLANNER_RESPONSE', { tool_calls: calls.flat() }), ...results] }
    },
    (document) => readTrajectory(document, LIMITS),
    4_000,
  )
})

test('lines that are no JSON', () => expectLinear((size) => 'x\n'.repeat(size), openDocuments, 5_000_000))
