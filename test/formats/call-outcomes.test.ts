import { describe, expect, test } from 'vitest'
import { atif, pathsOf, read } from './make.ts'
import { OUTCOMES, REJECTED } from './outcomes.ts'

/** What became of each call, in the order of the calls: `tool outcome`. */
function outcomes(document: unknown): string[] {
  const calls = new Set(read(document).steps.flatMap(({ parts }) => parts.flatMap(({ act }) => act?.call ?? [])))
  return [...calls].map(({ tool, outcome }) => `${tool} ${outcome}`)
}
const call = (id: string, tool = 'Bash', more: object = {}): object => ({
  ...{ tool_call_id: id, function_name: tool, arguments: { command: 'rotate-key' } },
  ...more,
})
const result = (content: string, more: object = {}): object => ({ content, ...more })
const one = (agent: string, content: string, step: object = {}, more: object = {}): object =>
  atif([{ tool_calls: [call('a', 'bash')], observation: { results: [result(content, more)] }, ...step }], {
    agent: { name: agent },
  })

const IS_ERROR = { extra: { is_error: true } }

describe('the outcome of a call of ATIF', () => {
  test.each(OUTCOMES.atif)('%s: %s %j %j', (agent, content, step, more, expected) => {
    expect(outcomes(one(agent, content, step, more))).toEqual([`bash ${expected}`])
  })

  test('is not known without an answer', () => {
    expect(outcomes(atif([{ tool_calls: [call('a')] }]))).toEqual(['Bash unknown'])
  })

  test('is unsure without an answer where the other calls of the run have one', () => {
    const done = { tool_calls: [call('a')], observation: { results: [result('ok', { source_call_id: 'a' })] } }
    const open = { tool_calls: [call('b', 'Write')] }
    expect(outcomes(atif([done, open]))).toEqual(['Bash answered', 'Write interrupted'])
    expect(outcomes(atif([done, open, { message: 'Done.' }]))).toEqual(['Bash answered', 'Write interrupted'])
    // The converter kept few answers.
    const more = { tool_calls: [call('c', 'Edit')] }
    expect(outcomes(atif([done, open, more]))).toEqual(['Bash answered', 'Write unknown', 'Edit unknown'])
    // Its answer may be the one that names no call.
    const results = [result('a'), result('b')]
    const shared = { tool_calls: [call('b', 'Write'), call('c', 'Edit')], observation: { results } }
    expect(outcomes(atif([done, done, shared]))).toEqual([
      'Bash answered',
      'Bash answered',
      'Write unknown',
      'Edit unknown',
    ])
    const user = { role: 'user', content: 'Do it.' }
    const chat = (id: string): object => ({
      ...{ role: 'assistant', content: null },
      tool_calls: [{ id, function: { name: `f${id}`, arguments: '{"x":"y"}' } }],
    })
    const messages = [user, chat('a'), { role: 'tool', tool_call_id: 'a', content: 'ok' }, chat('b')]
    expect(outcomes({ messages })).toEqual(['fa answered', 'fb interrupted'])
  })

  test('of a server’s tool is not told by the tool’s own words', () => {
    const tool_calls = [call('a', 'mcp__x__y')]
    const document = atif([{ tool_calls, observation: { results: [result(REJECTED)] } }], {
      agent: { name: 'claude-code' },
    })
    expect(outcomes(document)).toEqual(['mcp__x__y answered'])
  })
})

describe('a result is of the call that it names', () => {
  const claude = { agent: { name: 'claude-code' } }
  const to = (id: string, content: string): object =>
    result(content, { source_call_id: id, extra: { is_error: content === REJECTED } })

  test('where all ids differ', () => {
    const step = {
      tool_calls: [call('a', 'Bash'), call('b', 'Write')],
      observation: { results: [to('b', REJECTED), to('a', 'ok')] },
    }
    expect(outcomes(atif([step], claude))).toEqual(['Bash ran', 'Write rejected'])
  })

  test('in their order, where as many results as calls have one id', () => {
    const step = {
      tool_calls: [call('a', 'Bash'), call('a', 'Write')],
      observation: { results: [to('a', 'ok'), to('a', REJECTED)] },
    }
    const document = atif([step], claude)
    expect(outcomes(document)).toEqual(['Bash ran', 'Write rejected'])
    const named = read(document).steps[0]?.parts.flatMap(({ actor, name }) => (actor === 'tool_output' ? [name] : []))
    expect(named).toEqual(['Bash', 'Write'])
  })

  test('and of none, where two calls could be meant', () => {
    const step = { tool_calls: [call('a', 'Bash'), call('a', 'Write')], observation: { results: [to('a', REJECTED)] } }
    const document = atif([step], claude)
    expect(outcomes(document)).toEqual(['Bash unknown', 'Write unknown'])
    expect(read(document).steps[0]?.parts.at(-1)?.name).toBe('observation')
  })

  test('also in a later step, where it is the only one that waits', () => {
    const answer = { source: 'system', message: 'late', observation: { results: [to('a', REJECTED)] } }
    expect(outcomes(atif([{ tool_calls: [call('a')] }, answer], claude))).toEqual(['Bash rejected'])
    const twice = atif([{ tool_calls: [call('a')] }, { tool_calls: [call('a', 'Write')] }, answer], claude)
    expect(outcomes(twice)).toEqual(['Bash unknown', 'Write unknown'])
  })

  test('not of one that was answered in its own step', () => {
    const first = { tool_calls: [call('a')], observation: { results: [to('a', 'ok')] } }
    const answer = { source: 'system', message: 'late', observation: { results: [to('a', REJECTED)] } }
    expect(outcomes(atif([first, answer], claude))).toEqual(['Bash ran'])
  })

  test('one that names none is of all calls of its step, where it is the only one', () => {
    const step = {
      tool_calls: [call('a', 'Bash'), call('b', 'Write')],
      observation: { results: [result(REJECTED, IS_ERROR)] },
    }
    expect(outcomes(atif([step], claude))).toEqual(['Bash rejected', 'Write rejected'])
    const two = { ...step, observation: { results: [result(REJECTED), result('ok')] } }
    expect(outcomes(atif([two], claude))).toEqual(['Bash unknown', 'Write unknown'])
  })

  test('in a chat as well, in words that a harness with a tool of that name says', () => {
    const answered = (name: string, content: string, more: object = {}): object => ({
      messages: [
        { role: 'user', content: 'Do it.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name, input: { command: 'rotate-key' } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content, ...more }] },
      ],
    })
    const isError = { is_error: true }
    expect(outcomes(answered('Bash', 'PreToolUse:Bash hook error: no'))).toEqual(['Bash interrupted'])
    expect(outcomes(answered('bash', 'PreToolUse:Bash error: no'))).toEqual(['bash answered'])
    expect(outcomes(answered('bash', 'User declined to execute this command.', isError))).toEqual(['bash interrupted'])
    expect(outcomes(answered('bash', 'make: *** [all] Error 2', isError))).toEqual(['bash failed'])
    const flagged = answered('bash', 'User declined to execute it.', { is_error: false })
    expect(outcomes(flagged)).toEqual(['bash answered'])
  })

  test.each([
    [{ error: true }, 'failed'],
    [{ status: 'error' }, 'failed'],
    [{ exit_code: 1 }, 'failed'],
    [{ error: null, status: 'success' }, 'answered'],
  ])('in a chat, by the members beside it: %j', (more, outcome) => {
    const call = { id: 'a', type: 'function', function: { name: 'send', arguments: '{"to":"x"}' } }
    const messages = [
      { role: 'user', content: 'Do it.' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'x', ...more },
    ]
    expect(outcomes({ messages })).toEqual([`send ${outcome}`])
  })

  test('in a chat as well', () => {
    const calls = (...ids: string[]): object => ({
      role: 'assistant',
      content: null,
      tool_calls: ids.map((id) => ({ id, function: { name: `f${id}`, arguments: '{"x":"y"}' } })),
    })
    const answer = (id: string, more: object): object => ({ role: 'tool', tool_call_id: id, content: 'x', ...more })
    const messages = [
      { role: 'user', content: 'Do it.' },
      calls('a', 'b', 'c', 'd'),
      answer('b', { error: { type: 'approval', message: 'no' } }),
      answer('a', {}),
      answer('c', { error: { type: 'timeout', message: 'slow' } }),
    ]
    expect(outcomes({ messages })).toEqual(['fa answered', 'fb rejected', 'fc interrupted', 'fd interrupted'])
    const twice = [messages[0], calls('a', 'a'), answer('a', { is_error: true })]
    expect(outcomes({ messages: twice })).toEqual(['fa unknown', 'fa unknown'])
  })
})

describe('mini-swe-agent', () => {
  test.each([
    ['<returncode>1</returncode>\n<output>\n<returncode>0</returncode>\n</output>', 'failed'],
    ['<returncode>0</returncode>\n<output>\n</output>', 'ran'],
    ['Command not executed. The user rejected your command', 'interrupted'],
    ['Interrupted by user', 'interrupted'],
  ])('%j', (content, outcome) => {
    const messages = [
      { role: 'system', content: 'Use ```bash' },
      { role: 'assistant', content: '```bash\nrotate-key\n```' },
      { role: 'user', content },
    ]
    expect(outcomes({ trajectory_format: 'mini-swe-agent-1.1', info: {}, messages })).toEqual([`bash ${outcome}`])
  })
})

describe('the order of ATIF', () => {
  const at = (second: number): string => `2026-01-01T00:00:0${second}Z`

  test('of the file is kept where ids or times go back, and that is said', () => {
    const document = atif([
      { step_id: 5, message: 'a', timestamp: at(5) },
      { step_id: 3, message: 'b', timestamp: at(2) },
      { step_id: 6, message: 'c', timestamp: at(6) },
    ])
    const { steps, warnings } = read(document)
    expect(steps.map(({ id, parts }) => `${id} ${parts[0]?.text}`)).toEqual(['5 a', '3 b', '6 c'])
    expect(steps.map((step) => step.at)).toEqual([at(5), at(2), at(6)].map((time) => Date.parse(time)))
    expect(pathsOf(warnings)).toEqual(['/steps/0/step_id', '/steps/1/timestamp'])
    expect(warnings[1]?.message).toContain('the order of the file is kept')
  })

  test('copied steps stay copied wherever they stand, and their old times are no disorder', () => {
    const document = atif([
      { message: 'a', timestamp: at(5) },
      { message: 'b', timestamp: at(1), is_copied_context: true },
      { message: 'c', timestamp: at(6) },
    ])
    expect(read(document).steps.map(({ copied }) => copied)).toEqual([false, true, false])
    expect(read(document).warnings).toEqual([])
  })

  test('puts a subagent that no step refers to at the end, as a conversation of its own', () => {
    const child = atif([{ message: 'child', timestamp: at(3) }], { trajectory_id: 'c' })
    const document = atif(
      [
        { message: 'a', timestamp: at(1) },
        { message: 'b', timestamp: at(2) },
        { message: 'c', timestamp: at(4) },
      ],
      { subagent_trajectories: [child] },
    )
    const { steps } = read(document)
    expect(steps.map(({ parts }) => parts[0]?.text)).toEqual(['a', 'b', 'c', 'child'])
    expect(steps.at(-1)?.conversation).toBe('/subagent_trajectories/0')
  })

  test('puts one that has no time at the end, as a conversation of its own', () => {
    const document = atif([{ message: 'a', timestamp: at(1) }], {
      subagent_trajectories: [atif([{ message: 'child' }], { trajectory_id: 'c' })],
    })
    expect(read(document).steps.map(({ conversation }) => conversation)).toEqual([
      undefined,
      '/subagent_trajectories/0',
    ])
  })
})
