import { describe, expect, test } from 'vitest'
import { atif, pathsOf, read, refuse } from './make.ts'

const say = (message: string): object => ({ source: 'user', message })

describe('warnings', () => {
  test('are a hundred at most; the last says how many more', () => {
    const { warnings } = read(atif(Array.from({ length: 250 }, () => ({ ...say('a'), reasoning_content: 'r' }))))
    expect(warnings).toHaveLength(100)
    expect(warnings.at(-1)).toEqual({ path: '', message: 'and 151 more' })
  })
})

describe('errors', () => {
  test.each<[string, unknown, string]>([
    ['no object', [], ''],
    ['nothing', null, ''],
    ['an object of another kind', { messages: [] }, ''],
    ['another format', { schema_version: 'other-v1', steps: [{ type: 'x' }] }, ''],
    ['no steps', atif([], { steps: undefined }), '/steps'],
    ['empty steps', atif([]), '/steps'],
    ['steps that are none', atif([], { steps: 'x' }), '/steps'],
    ['steps of a wrong type', atif([], { steps: [1, 'x'] }), '/steps/0 /steps/1'],
    ['a message of a wrong type', atif([{ message: 1 }, { message: {} }]), '/steps/0/message /steps/1/message'],
    ['a step with nothing in it', atif([{ message: null }]), '/steps/0/message'],
    [
      'content of a wrong type',
      atif([{ observation: { results: [{ content: 1 }, 2] } }]),
      '/steps/0/observation/results/0/content /steps/0/observation/results/1',
    ],
    [
      'content parts of a wrong type',
      atif([{ message: [1, { type: 'text' }] }]),
      '/steps/0/message/0 /steps/0/message/1/text',
    ],
    ['an observation of a wrong type', atif([{ observation: 'x' }]), '/steps/0/observation'],
    [
      'calls of a wrong type',
      atif([{ tool_calls: {} }, { tool_calls: ['x'] }]),
      '/steps/0/tool_calls /steps/1/tool_calls/0',
    ],
    ['one id twice', atif(['a', 'b'].map((message) => ({ ...say(message), step_id: 2 }))), '/steps/1/step_id'],
    [
      'a number that would be stored as null',
      atif([say('a')], { extra: JSON.parse('{"n": 1e400, "m": [-1e400, 1e308]}') as object }),
      '/extra/n /extra/m/0',
    ],
  ])('%s', (_, document, paths) => {
    expect(pathsOf(refuse(document)).join(' ')).toBe(paths)
  })

  test('name what a document holds instead', () => {
    expect(refuse({ parent: atif([say('a')]), child: atif([say('a')]) })[0]?.message).toContain('"parent", "child"')
    expect(refuse({ schema_version: 'other-v1', steps: [] })[0]?.message).toContain('"other-v1"')
  })

  test('are a hundred at most', () => {
    const errors = refuse(atif([], { steps: Array(300).fill(1) }))
    expect(errors).toHaveLength(100)
    expect(errors.at(-1)?.message).toBe('and 201 more')
  })

  test('limits: steps, of subagents too', () => {
    const document = atif([say('a'), say('b')])
    expect(read(document, { max_steps: 2 }).steps).toHaveLength(2)
    expect(pathsOf(refuse(document, { max_steps: 1 }))).toEqual(['/steps'])
    const parent = atif([say('a')], { subagent_trajectories: [{ ...document, trajectory_id: 'x' }] })
    expect(pathsOf(refuse(parent, { max_steps: 2 }))).toEqual(['/subagent_trajectories/0/steps'])
  })

  test('limits: characters of a part, decoded ones too', () => {
    const document = atif([
      say('abcd'),
      { tool_calls: [{ tool_call_id: 'a', function_name: 'f', arguments: '{"x":"abcd"}' }] },
    ])
    expect(read(document, { max_part_chars: 4 }).steps).toHaveLength(2)
    expect(pathsOf(refuse(document, { max_part_chars: 3 }))).toEqual([
      '/steps/0/message',
      '/steps/1/tool_calls/0/arguments#/x',
    ])
  })

  test.each([
    ['arrays', '['.repeat(100_000) + ']'.repeat(100_000)],
    ['objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
  ])('nesting of 100,000 %s is refused, not a stack overflow', (_, deep) => {
    const [issue] = refuse(atif([say('a')], { extra: JSON.parse(deep) }))
    expect(issue?.message).toContain('nested deeper')
    expect(issue?.path.startsWith('/extra/')).toBe(true)
  })

  test('deep JSON inside a string is shown as it stands', () => {
    const deep = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const [part] =
      read(atif([{ tool_calls: [{ tool_call_id: 'a', function_name: 'f', arguments: deep }] }])).steps[0]?.parts ?? []
    expect(part?.text).toBe(deep)
  })
})

test('a run of millions of one-character texts is refused by their number, with the place', () => {
  const content = Array.from({ length: 100_001 }, () => ({ type: 'text', text: 'a' }))
  const issues = refuse({
    schema_version: 'ATIF-v1.7',
    agent: { name: 'a', version: '1' },
    steps: [{ step_id: 1, source: 'user', message: content }],
  })
  expect(issues).toEqual([
    { path: '/steps/0/message/100000/text', message: 'more than the 100000 texts that are accepted in one run' },
  ])
})
