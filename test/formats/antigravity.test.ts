import { expect, test } from 'vitest'
import { read } from './make.ts'

/** Steps in the shape of real transcripts of the IDE and of `agy`; the words are ours. */
const step = (step_index: number, source: string, type: string, rest: object = {}) => ({
  ...{ step_index, source, type, status: 'DONE', created_at: `2026-06-06T10:10:${10 + step_index}Z` },
  ...rest,
})
const called = (step_index: number, ...tool_calls: object[]) =>
  step(step_index, 'MODEL', 'PLANNER_RESPONSE', { tool_calls })
const ran = (CommandLine: string) => ({ name: 'run_command', args: { CommandLine, Cwd: '/w', WaitMsBeforeAsync: 500 } })
const TIMES = 'Created At: 2026-06-06T10:10:51Z\nCompleted At: 2026-06-06T10:10:52Z\n\n\t\t\t\t'
const SUCCEEDED = `${TIMES}The command completed successfully.\n\t\t\t\tOutput:\n\t\t\t\tok\n`
const TASK = 'f647/task-9'
const DENIED = 'permission check failed'

const acts = (...records: unknown[]) =>
  read({ records })
    .steps.flatMap(({ parts }) => parts)
    .filter(({ act }) => act !== null && act.role !== 'describes')
    .map(({ text, act }) => [act?.call.tool, text, act?.role, act?.call.outcome])

test('speakers, calls and results in their order, without ids; notes of the harness are the system’s', () => {
  const run = read({
    records: [
      step(0, 'USER_EXPLICIT', 'USER_INPUT', { content: '<USER_REQUEST>\nList the files\n</USER_REQUEST>' }),
      step(1, 'SYSTEM', 'CONVERSATION_HISTORY'),
      step(2, 'SYSTEM', 'EPHEMERAL_MESSAGE', { content: 'Be brief.' }),
      step(3, 'MODEL', 'PLANNER_RESPONSE', {
        thinking: 'ls shows them.',
        content: 'I look.',
        tool_calls: [
          { name: 'list_dir', args: { DirectoryPath: '/w' } },
          { name: 'view_file', args: { AbsolutePath: '/w/a' } },
        ],
      }),
      step(4, 'MODEL', 'LIST_DIRECTORY', { content: '{"name":"a"}' }),
      step(5, 'MODEL', 'VIEW_FILE', { content: 'File Path: `file:///w/a`\n1: hello' }),
      step(6, 'USER_EXPLICIT', 'CODE_ACTION', { content: 'The following changes were made by the USER to: /w/a.' }),
      step(7, 'SYSTEM', 'CHECKPOINT', { content: '{{ CHECKPOINT 0 }} The files were listed.' }),
      step(8, 'MODEL', 'PLANNER_RESPONSE', { content: 'There is one.' }),
    ],
  })
  expect(run).toMatchObject({ format: 'antigravity', agent: { name: 'antigravity', model: null }, compacted: true })
  expect(run.warnings).toEqual([])
  expect(run.unread).toEqual({ records: 0, actions: 0 })
  const parts = run.steps.flatMap((one) => one.parts)
  expect(parts.map(({ actor, text, act, path }) => [actor, text, act?.call.outcome, path])).toEqual([
    ['user', '<USER_REQUEST>\nList the files\n</USER_REQUEST>', undefined, '/records/0/content'],
    ['system', 'Be brief.', undefined, '/records/2/content'],
    ['agent_reasoning', 'ls shows them.', undefined, '/records/3/thinking'],
    ['agent_message', 'I look.', undefined, '/records/3/content'],
    ['agent_action', '/w', 'answered', '/records/3/tool_calls/0/args/DirectoryPath'],
    ['agent_action', '/w/a', 'answered', '/records/3/tool_calls/1/args/AbsolutePath'],
    ['tool_output', '{"name":"a"}', undefined, '/records/4/content'],
    ['tool_output', 'File Path: `file:///w/a`\n1: hello', undefined, '/records/5/content'],
    ['user', 'The following changes were made by the USER to: /w/a.', undefined, '/records/6/content'],
    ['agent_message', '{{ CHECKPOINT 0 }} The files were listed.', undefined, '/records/7/content'],
    ['agent_message', 'There is one.', undefined, '/records/8/content'],
  ])
})

test.each([
  ['a success', { content: SUCCEEDED }, 'ran'],
  ['an exit code in words', { content: `${TIMES}The command failed with exit code: 2\n` }, 'failed'],
  ['an exit code of newer versions', { content: `${TIMES}The command exited with code 0.\n`, exit_code: 0 }, 'ran'],
  ['an exit code as a number', { content: `${TIMES}The command exited with code 3.\n`, exit_code: 3 }, 'failed'],
  [
    'a command that a time limit stopped',
    { content: `${TIMES}The command failed with exit code: 124\n` },
    'interrupted',
  ],
  ['an error', { content: 'Encountered error in step execution', status: 'ERROR' }, 'failed'],
  ['a code that its output repeats otherwise', { content: `${SUCCEEDED}The command failed with exit code: 2` }, 'ran'],
  [
    'a failure whose output speaks of permissions',
    { content: `${TIMES}The command exited with code 1.\n${DENIED}`, status: 'ERROR' },
    'failed',
  ],
  [
    'an error that quotes a denial',
    { content: `Encountered error in step execution\n${DENIED}`, status: 'ERROR' },
    'failed',
  ],
  ['a denial', { content: `${DENIED} for command(ls): denied`, status: 'ERROR' }, 'rejected'],
  ['a status that leaves the end open', { content: 'Halted', status: 'HALTED' }, 'interrupted'],
])('the outcome of a command: %s', (_, rest, outcome) => {
  expect(acts(called(1, ran('make')), step(2, 'MODEL', 'RUN_COMMAND', rest))).toEqual([
    ['run_command', 'make', 'executes', outcome],
  ])
})

test('a call that the harness could not parse was never carried out; with two calls nobody knows which', () => {
  const error = {
    error: 'invalid tool call error (invalid_args)',
    content: `Error invalid tool call: invalid tool call error (invalid_args)`,
  }
  expect(acts(called(1, ran('make')), step(2, 'SYSTEM', 'ERROR_MESSAGE', error))).toEqual([
    ['run_command', 'make', 'executes', 'rejected'],
  ])
  expect(acts(called(1, ran('make'), ran('ls')), step(2, 'SYSTEM', 'ERROR_MESSAGE', error))).toEqual([
    ['run_command', 'make', 'executes', 'interrupted'],
    ['run_command', 'ls', 'executes', 'interrupted'],
  ])
  const quota = step(3, 'SYSTEM', 'ERROR_MESSAGE', { error: 'RESOURCE_EXHAUSTED (code 429)' })
  expect(
    read({
      records: [called(1, ran('make')), step(2, 'MODEL', 'RUN_COMMAND', { content: SUCCEEDED }), quota],
    }).steps.at(-1)?.parts,
  ).toMatchObject([{ actor: 'system', text: 'RESOURCE_EXHAUSTED (code 429)', path: '/records/2/error' }])
})

test('a background task: its end, told by a note of the harness, is the output of its call', () => {
  const started = step(2, 'MODEL', 'RUN_COMMAND', {
    status: 'RUNNING',
    content: `${TIMES}Tool is running as a background task with task id: ${TASK}\nTask Description: make`,
  })
  const note = (text: string) =>
    step(4, 'SYSTEM', 'SYSTEM_MESSAGE', {
      content: `[Message] timestamp=2026 sender=${TASK} priority=HIGH content=Task id "${TASK}" finished with result:\n\n${text}`,
    })
  const waits = step(3, 'MODEL', 'PLANNER_RESPONSE', { content: 'I wait.' })
  const outcome = (...records: object[]) => acts(called(1, ran('make')), started, ...records)[0]?.[3]
  expect(outcome()).toBe('interrupted')
  expect(outcome(waits, note(SUCCEEDED))).toBe('ran')
  expect(outcome(waits, note(`${TIMES}The command failed with exit code: 1\n`))).toBe('failed')
  const faked = `[Message] sender=another-agent priority=LOW content=Hi. content=Task id "${TASK}" finished with result:\n${SUCCEEDED}`
  expect(outcome(waits, step(4, 'SYSTEM', 'SYSTEM_MESSAGE', { content: faked }))).toBe('interrupted')
  const last = read({ records: [called(1, ran('make')), started, waits, note(SUCCEEDED)] }).steps.at(-1)
  expect(last?.parts).toMatchObject([{ actor: 'tool_output', path: '/records/3/content' }])
})

test('transcript.jsonl: arguments as JSON in strings are read; fields that the harness cut count as unread', () => {
  const written = { CommandLine: '"ls \\"a b\\""', WaitMsBeforeAsync: '500', toolAction: '"Listing"' }
  expect(acts(called(1, { name: 'run_command', args: written }))).toMatchObject([
    ['run_command', 'ls "a b"', 'executes', 'unknown'],
  ])
  // The agent's own quotation marks stay where the file writes plain arguments.
  expect(acts(called(1, ran('"ls"')))).toMatchObject([['run_command', '"ls"', 'executes', 'unknown']])
  const cut = { name: 'write_to_file', args: { CodeContent: '"x\\n<truncated 99 bytes>', TargetFile: '"/w/a"' } }
  const run = read({ records: [{ ...called(1, cut), truncated_fields: ['tool_calls'] }] })
  expect(run.unread).toEqual({ records: 1, actions: 1 })
  expect(run.warnings[0]).toMatchObject({ path: '/records/0' })
  expect(run.steps[0]?.parts.map(({ text }) => text)).toEqual(['"x\\n<truncated 99 bytes>', '/w/a'])
})

test('odd records are unread at their place; a copied step is shown once; a subagent is an unread act', () => {
  const first = step(0, 'USER_EXPLICIT', 'USER_INPUT', { content: 'Go' })
  const run = read({
    records: [first, 7, { type: 'x', tool_calls: [{ name: 'rm' }] }, first, step(1, 'SYSTEM', 'NEW_KIND')],
  })
  expect(run.unread).toEqual({ records: 3, actions: 2 })
  expect(run.warnings.map(({ path }) => path)).toEqual(['/records/1', '/records/2', '/records/3', '/records/4'])
  expect(run.steps).toHaveLength(1)
  const agents = { name: 'invoke_subagent', args: { Subagents: [{ Role: 'Analyst', Prompt: 'Look' }] } }
  const invoked = read({ records: [called(1, agents), step(2, 'MODEL', 'INVOKE_SUBAGENT', { content: 'Created' })] })
  expect(invoked.unread.actions).toBe(1)
  expect(read({ records: [first, step(1, 'MODEL', 'RUN_COMMAND', { content: 'ok' })] }).unread.actions).toBe(1)
})

test('each of many calls of one reply is answered by the step of its own kind, in their order', () => {
  const view = (AbsolutePath: string) => ({ name: 'view_file', args: { AbsolutePath } })
  const calls = Array.from({ length: 5000 }, (_, index) => [ran(`make ${index}`), view(`/w/${index}`)]).flat()
  const results = Array.from({ length: 5000 }, (_, index) =>
    step(index + 2, 'MODEL', 'RUN_COMMAND', {
      content: `${TIMES}The command failed with exit code: ${index === 4999 ? 0 : 1}\n`,
    }),
  )
  const done = acts(called(1, ...calls), ...results)
  expect(done.filter(([, , , outcome]) => outcome === 'ran')).toEqual([['run_command', 'make 4999', 'executes', 'ran']])
  expect(done.filter(([, , , outcome]) => outcome === 'failed')).toHaveLength(4999)
})

test('a file’s own text is no word of the harness: neither a code, nor a task', () => {
  const view = { name: 'view_file', args: { AbsolutePath: '/w/log' } }
  const shown = (content: string, rest: object = {}) =>
    acts(called(1, view), step(2, 'MODEL', 'VIEW_FILE', { content, ...rest }))[0]?.[3]
  expect(shown('The command failed with exit code: 2\n')).toBe('answered')
  const notice = `Tool is running as a background task with task id: ${TASK}`
  const note = step(3, 'SYSTEM', 'SYSTEM_MESSAGE', {
    content: `[Message] sender=${TASK} priority=HIGH content=Task id "${TASK}" finished with result:\n\n${SUCCEEDED}`,
  })
  const quoted = step(2, 'MODEL', 'RUN_COMMAND', { content: `output:\n${notice}`, status: 'RUNNING' })
  expect(acts(called(1, ran('cat log')), quoted, note)[0]?.[3]).toBe('interrupted')
})

test('results behind calls of an earlier reply without a result may be theirs: their outcome is open', () => {
  const failed = step(4, 'MODEL', 'RUN_COMMAND', { content: `${TIMES}The command failed with exit code: 1\n` })
  const outcomes = (...between: object[]) =>
    acts(called(1, ran('make')), ...between, called(3, ran('ls')), failed).map(([, text, , outcome]) => [text, outcome])
  expect(outcomes()).toEqual([
    ['make', 'interrupted'],
    ['ls', 'interrupted'],
  ])
  // A user who spoke ended the earlier reply.
  expect(outcomes(step(2, 'USER_EXPLICIT', 'USER_INPUT', { content: 'Stop' }))).toEqual([
    ['make', 'interrupted'],
    ['ls', 'failed'],
  ])
})

test('every source of the user is the user; another source never speaks for the tool; equal steps without an index are two', () => {
  const hi = { source: 'USER_IMPLICIT', type: 'USER_INPUT', status: 'DONE', content: 'Hi' }
  const fake = step(2, 'SYSTEM', 'NEW_KIND', { content: SUCCEEDED })
  const run = read({ records: [hi, hi, called(1, ran('make')), fake] })
  expect(run.steps.map(({ parts }) => [parts[0]?.actor, parts[0]?.text])).toEqual([
    ...[
      ['user', 'Hi'],
      ['user', 'Hi'],
    ],
    ['agent_action', 'make'],
  ])
  expect(run.unread.records).toBe(1)
  const lost = read({ records: [hi, step(1, 'MODEL', 'VIEW_FILE', { content: 'x', tool_calls: [ran('rm -r /')] })] })
  expect(lost.unread.actions).toBeGreaterThan(0)
})
