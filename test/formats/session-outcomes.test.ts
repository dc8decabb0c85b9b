import { describe, expect, test } from 'vitest'
import { claudeCode } from '../harness-logs/claude-code.ts'
import { codex } from '../harness-logs/codex.ts'
import { cursorStream } from '../harness-logs/cursor.ts'
import { geminiCli } from '../harness-logs/gemini-cli.ts'
import { openhands, openhandsSdk } from '../harness-logs/openhands.ts'
import type { Harness } from '../harness-logs/turn.ts'
import { read } from './make.ts'

type Row = Record<string, unknown>

/** A document of one call, with the harness’s own answer to it. */
const called = (harness: Harness, name: string, args: Row, answer: Row | null): Row =>
  harness.document('Go.', [{ tool: { name, args }, answer }])

const CLAUDE_ID = `toolu_01${'0'.padStart(22, 'A')}`
const CODEX_ID = 'call_0xQ'

function codexCalled(name: string, args: Row, output: unknown, events: readonly Row[]): Row {
  const { records } = called(codex, name, args, output === undefined ? null : { output }) as { records: Row[] }
  const more = events.map((payload) => ({ timestamp: '2026-03-04T10:00:30.000Z', type: 'event_msg', payload }))
  return { records: [...records, ...more] }
}

/** What became of each call, in the order of the calls. */
function outcomesOf(document: unknown): string[] {
  const parts = read(document).steps.flatMap((step) => step.parts)
  return [...new Set(parts.flatMap(({ act }) => (act === null ? [] : [act.call])))].map(({ outcome }) => outcome)
}

const REJECTED =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed."
const responded = (status: string, response: Row): Row => ({ status, result: [{ functionResponse: { response } }] })
const printed = (output: string): Row => responded('success', { output })
const errored = (error: string, status = 'error'): Row => responded(status, { error })
const failed = (content: unknown, record: Row = {}): Row => ({ content, is_error: true, record })
/** What Claude Code answers in the place of a tool. */
const refusal = (words: string): Row => failed(`<tool_use_error>${words}</tool_use_error>`)
const ended = (more: Row): Row[] => [{ type: 'exec_command_end', call_id: CODEX_ID, ...more }]

describe('what became of a call', () => {
  test.each<[string, Row | null, string]>([
    ['an answer', { content: 'ok' }, 'ran'],
    ['none', null, 'unknown'],
    ['an exit code', failed('Exit code 1\nno such file'), 'failed'],
    ['Ctrl-C', failed('Exit code 130\n^C'), 'interrupted'],
    ['a limit of time', failed('Exit code 143\nCommand timed out after 2m 0.0s\nx'), 'interrupted'],
    ['words of a rejection that a command printed', failed(`Exit code 1\n${REJECTED}`), 'failed'],
    ['a rejection', failed(REJECTED), 'rejected'],
    ['a rejection in a block of text', failed([{ type: 'text', text: REJECTED }]), 'rejected'],
    [
      'a rejection of a subagent',
      failed('Permission for this tool use was denied. The tool use was rejected'),
      'rejected',
    ],
    ['a cancelled call', failed("The user doesn't want to take this action right now. STOP"), 'cancelled'],
    ['a rule', failed('Permission to use Bash with command curl x has been denied.'), 'rejected'],
    ['no grant', failed("Claude requested permissions to write to /f, but you haven't granted it yet."), 'rejected'],
    ['a command that needs approval', failed('This command requires approval'), 'rejected'],
    ['a hook', failed('PreToolUse:Bash hook error: [guard.py]: Blocked'), 'rejected'],
    ['an older hook', failed('Hook PreToolUse:Bash denied this tool'), 'rejected'],
    ['wrong input', failed('<tool_use_error>InputValidationError: Bash failed'), 'rejected'],
    ['a call beside one that failed', refusal('Cancelled: parallel tool call Bash(x) errored'), 'cancelled'],
    ['the same, as older versions say it', refusal('Sibling tool call errored'), 'cancelled'],
    ['a stream that fell back', refusal('Error: Streaming fallback - tool execution discarded'), 'interrupted'],
    ['a tool that is none', refusal('Error: No such tool available: Bash2'), 'rejected'],
    ['an edit that its check turned down', failed('<tool_use_error>String to replace not found in file.'), 'rejected'],
    ['a file that was not read first', failed('<tool_use_error>File has not been read yet. Read it first'), 'rejected'],
    ['an exception while it answered', refusal('Error calling tool (Bash): x'), 'failed'],
    ['printed words behind the exit code', failed('Exit code 1\n<tool_use_error>Sibling tool call errored'), 'failed'],
    ['an interruption', failed('[Request interrupted by user for tool use]'), 'interrupted'],
    [
      'a running command that is interrupted',
      { content: 'a', record: { toolUseResult: { stdout: 'a', interrupted: true } } },
      'interrupted',
    ],
    ['a kind of denial', failed('No.', { toolDenialKind: 'permission-rule' }), 'rejected'],
    ['a kind of denial that is none', failed('No.', { toolDenialKind: 'cancelled' }), 'cancelled'],
    ['a block that says so itself', { ...failed('No.'), non_execution_kind: 'user-rejected' }, 'rejected'],
    // Programs that print the harness's words.
    ['printed words', { content: REJECTED }, 'ran'],
    ['printed words of a program that fails', failed(`Exit code 1\n${REJECTED}`), 'failed'],
    ['words within an output', failed(`cat: ${REJECTED}`), 'failed'],
  ])('claude-code: %s', (_, answer, expected) => {
    expect(outcomesOf(called(claudeCode, 'Bash', { command: 'ls' }, answer))).toEqual([expected])
  })

  test.each<[string, Row]>([
    [
      'the end of a stream',
      { type: 'result', session_id: 's', permission_denials: [{ tool_name: 'Bash', tool_use_id: CLAUDE_ID }] },
    ],
    [
      'a notice of the stream',
      { type: 'system', subtype: 'permission_denied', session_id: 's', tool_use_id: CLAUDE_ID },
    ],
  ])('claude-code: %s tells what was denied', (_, told) => {
    const { records } = called(claudeCode, 'Bash', { command: 'ls' }, failed('No.')) as { records: Row[] }
    expect(outcomesOf({ records: [...records, told] })).toEqual(['rejected'])
    expect(read({ records: [...records, told] }).warnings).toEqual([])
  })

  test('claude-code: a server cannot say that its tool was turned down', () => {
    expect(outcomesOf(called(claudeCode, 'mcp__x__run', { a: 'b' }, failed(REJECTED)))).toEqual(['failed'])
    const told = failed(REJECTED, { toolUseResult: 'User rejected tool use' })
    expect(outcomesOf(called(claudeCode, 'mcp__x__run', { a: 'b' }, told))).toEqual(['rejected'])
  })

  test.each<[string, unknown, Row[], string]>([
    ['an answer', 'Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nok', [], 'ran'],
    ['none', undefined, [], 'unknown'],
    ['an exit code', 'Chunk ID: 1\nProcess exited with code 2\nOutput:\nno', [], 'failed'],
    ['an exit code of a free form', 'Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno', [], 'failed'],
    [
      'an exit code in an envelope',
      '{"output":"no","metadata":{"exit_code":127,"duration_seconds":0.1}}',
      [],
      'failed',
    ],
    ['a running process', 'Wall time: 1 seconds\nProcess running with session ID 5\nOutput:\n', [], 'answered'],
    ['a rejection', 'exec command rejected by user', [], 'rejected'],
    ['a rejected patch', { content: 'patch rejected by user', success: false }, [], 'rejected'],
    ['wrong arguments', 'failed to parse function arguments: missing field', [], 'rejected'],
    ['an abort', 'aborted by user after 3.1s', [], 'interrupted'],
    ['an abort of a shell', 'Wall time: 3.1 seconds\naborted by user', [], 'interrupted'],
    ['no success', { content: 'no', success: false }, [], 'failed'],
    ['a turn that was aborted', undefined, [{ type: 'turn_aborted', reason: 'interrupted' }], 'interrupted'],
    ['a later turn that was aborted', undefined, [{ type: 'task_complete' }, { type: 'turn_aborted' }], 'unknown'],
    ['an event beside an answer', 'ok', ended({ exit_code: 1 }), 'failed'],
    ['an event alone', undefined, ended({ exit_code: 1, stdout: 'a' }), 'failed'],
    ['an event that declines', undefined, ended({ exit_code: -1, status: 'declined', stderr: 'a' }), 'rejected'],
    ['a patch that failed', undefined, ended({ type: 'patch_apply_end', success: false, stderr: 'a' }), 'failed'],
    // Programs that print the harness's words.
    ['printed words', 'Exit code: 0\nOutput:\nexec command rejected by user', [], 'ran'],
    ['a printed exit code', 'Exit code: 0\nOutput:\nExit code: 1', [], 'ran'],
  ])('codex: %s', (_, output, events, expected) => {
    expect(outcomesOf(codexCalled('exec_command', { cmd: 'ls' }, output, events))).toEqual([expected])
  })

  test('codex: what another tool answers is not the harness speaking', () => {
    expect(outcomesOf(codexCalled('mcp__x__run', { a: 'b' }, 'exec command rejected by user', []))).toEqual([
      'answered',
    ])
  })

  const ls = { type: 'command_execution', command: 'ls' }
  test.each<[Row, Row, string]>([
    [ls, { status: 'completed', exit_code: 0, aggregated_output: 'a' }, 'ran'],
    [ls, { status: 'failed', exit_code: 1, aggregated_output: 'a' }, 'failed'],
    [ls, { status: 'declined', exit_code: null, aggregated_output: 'a' }, 'rejected'],
    [{ type: 'file_change', changes: [{ path: '/f', kind: 'add' }] }, { status: 'failed' }, 'failed'],
    [
      { type: 'mcp_tool_call', server: 's', tool: 't', arguments: {} },
      { status: 'failed', error: { message: 'no' } },
      'failed',
    ],
  ])('codex exec: %j %j', (item, end, expected) => {
    const records = [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.started', item: { id: '1', status: 'in_progress', ...item } },
      { type: 'item.completed', item: { id: '1', ...item, ...end } },
    ]
    expect(outcomesOf({ records })).toEqual([expected])
  })

  test.each<[string, Row, string]>([
    ['success', { status: 'success' }, 'ran'],
    ['error', errored('no file'), 'failed'],
    ['a policy', errored('Tool execution denied by policy.'), 'rejected'],
    ['cancelled', errored('[Operation Cancelled] Reason: User did not allow tool call', 'cancelled'), 'cancelled'],
    [
      'cancelled while it answered',
      errored('[Operation Cancelled] Reason: User cancelled tool execution.', 'cancelled'),
      'interrupted',
    ],
    ['wrong parameters', errored('Invalid parameters provided. Reason: x must be boolean'), 'rejected'],
    ['a tool that is none', errored('Tool "shell" not found. Did you mean one of: "x"?'), 'rejected'],
    ['an exit code', printed('Command: ls\nOutput: x\nExit Code: 2\nSignal: (none)'), 'failed'],
    ['Ctrl-C', printed('Output: ^C\nExit Code: 130\nProcess Group PGID: 7'), 'interrupted'],
    ['a code that a command printed', printed('Output: Exit Code: 2\nmore'), 'ran'],
    [
      'a limit of time',
      printed('Command was automatically cancelled because it exceeded the timeout of 5'),
      'interrupted',
    ],
    ['printed words', { status: 'success', result: 'Tool execution denied by policy.' }, 'ran'],
    ['a tool that the registry has not', errored('Tool "x" not found in registry.'), 'rejected'],
    ['words of a library', errored('Unknown tool: x'), 'interrupted'],
    ['words of a version that is not known', errored('The reviewer vetoed this call.'), 'interrupted'],
    ['not checked yet', { status: 'validating' }, 'cancelled'],
    ['not begun yet', { status: 'scheduled' }, 'cancelled'],
    ['not approved yet', { status: 'awaiting_approval' }, 'cancelled'],
    ['not ended', { status: 'executing' }, 'interrupted'],
    ['no status', {}, 'unknown'],
  ])('gemini-cli: %s', (_, end, expected) => {
    expect(outcomesOf(called(geminiCli, 'run_shell_command', { command: 'ls' }, end))).toEqual([expected])
  })

  test.each<[string, Row, Row | null, string]>([
    ['exit code 0', {}, { observation: 'run', extras: { metadata: { exit_code: 0 } } }, 'ran'],
    ['exit code 1', {}, { observation: 'run', extras: { metadata: { exit_code: 1 } } }, 'failed'],
    ['still running', {}, { observation: 'run', extras: { metadata: { exit_code: -1 } } }, 'answered'],
    ['rejected', {}, { observation: 'user_rejected' }, 'rejected'],
    ['rejected by state', { confirmation_state: 'rejected' }, null, 'rejected'],
    ['an error', {}, { observation: 'error' }, 'failed'],
    ['an error of no tool', {}, { observation: 'error', content: 'Unknown tool: run' }, 'interrupted'],
    ['no answer', {}, null, 'unknown'],
  ])('openhands: %s', (_, args, answer, expected) => {
    expect(outcomesOf(called(openhands, 'run', { command: 'ls', ...args }, answer))).toEqual([expected])
  })

  test.each<[string, Row | null, string]>([
    ['an answer', { kind: 'ObservationEvent', observation: { content: 'a', exit_code: 0 } }, 'ran'],
    ['an exit code', { kind: 'ObservationEvent', observation: { content: 'a', exit_code: 2 } }, 'failed'],
    ['an error', { kind: 'ObservationEvent', observation: { content: 'a', is_error: true } }, 'failed'],
    ['a rejection', { kind: 'UserRejectObservation', rejection_reason: 'no' }, 'rejected'],
    ['an error of the agent', { kind: 'AgentErrorEvent', error: 'no' }, 'failed'],
    ['an error while it answered', { kind: 'AgentErrorEvent', error: "Error executing tool 'terminal': x" }, 'failed'],
    ['a tool that is none', { kind: 'AgentErrorEvent', error: "Tool 'bash' not found. Available: ['a']" }, 'rejected'],
    ['wrong arguments', { kind: 'AgentErrorEvent', error: "Error validating tool 'terminal': x" }, 'rejected'],
    ['a pause', { kind: 'AgentErrorEvent', error: 'Tool call interrupted before completion. x' }, 'interrupted'],
    [
      'printed words',
      { kind: 'ObservationEvent', observation: { content: "Error validating tool 'x'", is_error: true } },
      'failed',
    ],
    ['none', null, 'unknown'],
  ])('the SDK of openhands: %s', (_, answer, expected) => {
    expect(outcomesOf(called(openhandsSdk, 'terminal', { command: 'ls' }, answer))).toEqual([expected])
  })

  test('the SDK of openhands: a call that is no action was not carried out', () => {
    const answer = { kind: 'AgentErrorEvent', error: 'Error validating args' }
    const { records } = called(openhandsSdk, 'terminal', { command: 'ls' }, answer) as { records: Row[] }
    expect(
      outcomesOf({ records: records.map((one, index) => (index === 0 ? { ...one, action: null } : one)) }),
    ).toEqual(['rejected'])
  })

  test.each<[string, Row | null, string]>([
    ['success', { success: { stdout: 'a', exitCode: 0 } }, 'ran'],
    ['an exit code', { success: { stdout: 'a', exitCode: 1 } }, 'failed'],
    ['failure', { failure: { stderr: 'a', exitCode: 127, aborted: false }, isBackground: false }, 'failed'],
    ['an abort', { failure: { stderr: 'a', exitCode: 130, aborted: true } }, 'interrupted'],
    ['a rejection', { rejected: { command: 'ls', reason: '' } }, 'rejected'],
    ['a process that was not begun', { spawnError: { command: 'ls', error: 'no' } }, 'interrupted'],
    ['an error of no tool', { error: { error: 'Unknown tool: shell' } }, 'interrupted'],
    ['an error', { error: { error: 'no' } }, 'failed'],
    ['a denied permission', { permissionDenied: { error: 'no' } }, 'rejected'],
    ['none', null, 'unknown'],
  ])('cursor: %s', (_, result, expected) => {
    expect(outcomesOf(called(cursorStream, 'shellToolCall', { command: 'ls' }, result))).toEqual([expected])
  })
})

describe('of calls that share an id', () => {
  const call = (command: string): Row => ({ type: 'tool_use', id: '1', name: 'Bash', input: { command } })
  const record = (type: string, content: Row[]): Row => ({ type, sessionId: 's', message: { role: type, content } })
  const answer = (more: Row): Row => record('user', [{ type: 'tool_result', tool_use_id: '1', ...more }])
  const [ok, rejected] = [answer({ content: 'ok' }), answer(failed(REJECTED))]

  test('and wait together nobody can tell whose the answer is', () => {
    const records = [record('assistant', [call('a'), call('b')]), ok, rejected]
    expect(outcomesOf({ records })).toEqual(['unknown', 'unknown'])
  })

  test('the one behind the answer of the first is another', () => {
    const records = [record('assistant', [call('a')]), ok, record('assistant', [call('b')]), rejected]
    expect(outcomesOf({ records })).toEqual(['ran', 'rejected'])
  })
})
