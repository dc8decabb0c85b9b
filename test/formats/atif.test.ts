import { describe, expect, test } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import { atif, partsOf, pathsOf, read } from './make.ts'

describe('an ATIF document', () => {
  test('becomes steps whose parts stand in the order in which they happened', () => {
    const results = [
      { source_call_id: 'b', content: 'read me' },
      { source_call_id: 'a', content: 'README' },
    ]
    const document = atif([
      { source: 'user', message: 'Fix it.' },
      {
        message: 'I will look.',
        reasoning_content: 'Where?',
        tool_calls: [
          { tool_call_id: 'a', function_name: 'bash', arguments: { command: 'ls', timeout: 5 } },
          { tool_call_id: 'b', function_name: 'read', arguments: { path: 'README' } },
        ],
        observation: { results },
      },
    ])
    const trajectory = read(document)
    expect(trajectory).toMatchObject({
      id: digestValue(document),
      format: 'atif-1.7',
      agent: { name: 'some-agent', model: 'm' },
      warnings: [],
    })
    expect(partsOf(trajectory, 0)).toEqual([['user', 'message', '/steps/0/message', 'Fix it.']])
    expect(partsOf(trajectory, 1)).toEqual([
      ['agent_reasoning', 'reasoning', '/steps/1/reasoning_content', 'Where?'],
      ['agent_message', 'message', '/steps/1/message', 'I will look.'],
      ['agent_action', 'bash.command', '/steps/1/tool_calls/0/arguments/command', 'ls'],
      ['agent_action', 'bash.timeout', '/steps/1/tool_calls/0/arguments/timeout', '5'],
      ['agent_action', 'read.path', '/steps/1/tool_calls/1/arguments/path', 'README'],
      ['tool_output', 'read', '/steps/1/observation/results/0/content', 'read me'],
      ['tool_output', 'bash', '/steps/1/observation/results/1/content', 'README'],
    ])
  })

  test.each([
    ['ATIF-v1.0', 'atif-1.0', 0],
    ['ATIF-v1.8', 'atif-1.8', 0],
    ['ATIF-v1.9', 'atif-1.9', 1],
    ['ATIF-v2.0', 'atif-2.0', 1],
    ['ATIF-v1.7-beta\u0007', 'atif', 1],
    ['ATIF', 'atif', 1],
  ])('of version %j has the format %s', (version, format, warnings) => {
    const trajectory = read(atif([{ message: 'a' }], { schema_version: version }))
    expect(trajectory.format).toBe(format)
    expect(pathsOf(trajectory.warnings)).toEqual(Array(warnings).fill('/schema_version'))
  })

  test('without a version is told by its steps', () => {
    const { schema_version: _, ...document } = atif([{ message: 'a' }])
    expect(read(document)).toMatchObject({ format: 'atif', warnings: [{ path: '/schema_version' }] })
  })

  test.each([
    ['user', 'user', []],
    ['system', 'system', []],
    ['agent', 'agent_message', []],
    ['corpus_builder', 'system', ['/steps/0/source']],
    [null, 'agent_message', ['/steps/0/source']],
    ['planner', 'agent_message', ['/steps/0/source']],
  ])('has a message of source %j written by %s', (source, actor, warned) => {
    const trajectory = read(atif([{ source, message: 'text' }]))
    expect(partsOf(trajectory, 0)).toEqual([[actor, 'message', '/steps/0/message', 'text']])
    expect(pathsOf(trajectory.warnings)).toEqual(warned)
  })

  test('shows copied steps as copied', () => {
    const { steps } = read(atif([{ message: 'a', is_copied_context: true }, { message: 'b' }]))
    expect(steps.map((step) => step.copied)).toEqual([true, false])
  })

  test('never shows `extra`', () => {
    const call = { tool_call_id: 'a', function_name: 'f', arguments: { x: 'shown' }, extra: { x: 'SECRET' } }
    const observation = { results: [{ source_call_id: 'a', content: 'out', extra: { x: 'SECRET' } }] }
    const step = { tool_calls: [call], observation, extra: { stdout: 'SECRET' } }
    const trajectory = read(atif([step], { extra: { x: 'SECRET' } }))
    expect(JSON.stringify(trajectory)).not.toContain('SECRET')
    expect(pathsOf(trajectory.warnings)).toEqual(['/steps/0/tool_calls/0/function_name'])
  })

  test('keeps observations of steps that are not the agent’s as tool output', () => {
    const trajectory = read(atif([{ source: 'user', message: '', observation: { results: [{ content: 'out' }] } }]))
    expect(partsOf(trajectory, 0)).toEqual([
      ['tool_output', 'observation', '/steps/0/observation/results/0/content', 'out'],
    ])
  })
})

describe('tool calls', () => {
  const call = (args: unknown): Record<string, unknown> =>
    atif([{ tool_calls: [{ tool_call_id: 'a', function_name: 'f', arguments: args }] }])

  const nested = [
    ...['f.edits.0.old /arguments/edits/0/old a', 'f.edits.0.all /arguments/edits/0/all true'],
    ...['f.edits.1 /arguments/edits/1 z', 'f.n /arguments/n null'],
  ]
  test.each<[string, unknown, string[]]>([
    ['no arguments', {}, ['f /function_name f']],
    ['nothing but an empty text', { x: '' }, ['f /function_name f']],
    ['awkward keys', { 'a/b~c': 'x' }, ['f.a/b~c /arguments/a~1b~0c x']],
    ['nesting', { edits: [{ old: 'a', all: true }, 'z'], n: null }, nested],
    ['numbers', { range: [1, 2] }, ['f.range /arguments/range [1,2]']],
    ['JSON in a string', '{"cmd":"ls","env":{}}', ['f.cmd /arguments#/cmd ls', 'f.env /arguments#/env {}']],
    ['an empty object in a string', '{}', ['f /function_name f']],
    ['a string that is no JSON', '{"cmd":', ['f /arguments {"cmd":']],
    ['JSON that is no object', '["a"]', ['f /arguments ["a"]']],
    ['JSON that hides a lone surrogate', '{"a":"\\ud800"}', ['f /arguments {"a":"\\ud800"}']],
    ['an array', ['a'], ['f.0 /arguments/0 a']],
    ['a number', 7, ['f /arguments 7']],
  ])('with %s', (_, args, expected) => {
    const parts = partsOf(read(call(args)), 0).map((part) => part.join(' ').replace('/steps/0/tool_calls/0', ''))
    expect(parts).toEqual(expected.map((part) => `agent_action ${part}`))
  })

  test('whose arguments are nested to the limit are read without recursion', () => {
    let args: unknown = 'deep'
    for (let level = 0; level < 190; level++) args = { a: args }
    expect(partsOf(read(call(args)), 0)).toMatchObject([
      ['agent_action', expect.any(String), expect.any(String), 'deep'],
    ])
  })
})

describe('content parts', () => {
  const image = { type: 'image', source: { media_type: 'image/png', path: 'images/1.png' } }
  const audio = { type: 'audio', source: { media_type: 'audio/wav', path: 'a.wav', duration_sec: 2 } }

  test('are text and media', () => {
    const content = [{ type: 'text', text: 'look' }, image, audio]
    const trajectory = read(atif([{ message: content, observation: { results: [{ content }] } }]))
    const [text, picture, sound, ...output] = trajectory.steps[0]?.parts ?? []
    expect(text).toMatchObject({ actor: 'agent_message', text: 'look', path: '/steps/0/message/0/text', media: false })
    expect(picture).toMatchObject({ text: '[image: images/1.png]', path: '/steps/0/message/1', media: true })
    expect(sound).toMatchObject({ text: '[audio: a.wav]', media: true })
    expect(output.map((part) => [part.actor, part.media])).toEqual([
      ['tool_output', false],
      ['tool_output', true],
      ['tool_output', true],
    ])
    // No action is known of an agent that tools answer.
    expect(pathsOf(trajectory.warnings)).toEqual(['/steps/0/message/0/text'])
  })

  test('of unknown types are announced, never dropped', () => {
    const trajectory = read(atif([{ message: [{ type: 'novel', of: 'x' }, 'plain'] }]))
    expect(trajectory.steps[0]?.parts.map((part) => part.text)).toEqual(['x', 'plain'])
    expect(pathsOf(trajectory.warnings)).toEqual(['/steps/0/message/0'])
  })

  test('with a picture inside a data URL do not carry it along', () => {
    const source = { media_type: 'image/png', path: `data:image/png;base64,${'A'.repeat(10_000)}` }
    const [part] = read(atif([{ message: [{ type: 'image', source }] }])).steps[0]?.parts ?? []
    expect(part?.text.length).toBeLessThan(400)
  })
})
