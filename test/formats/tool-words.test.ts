import { describe, expect, test } from 'vitest'
import { exitCodeInText, outcomeWithCode, soundsTurnedDown } from '../../src/formats/tools/outcomes.ts'
import { openCall } from '../../src/formats/tools/tool-table.ts'

const gemini = (output: string, code: number | string): string =>
  `Command: x\nDirectory: (root)\nOutput: ${output}\nError: (none)\nExit Code: ${code}\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7`

describe('the exit code that a result tells', () => {
  test.each<[string | null, string, number | null]>([
    ['claude-code', 'Exit code 2\nboom', 2],
    ['claude-code', 'ok\nExit code 2', null],
    ['codex', 'Wall time: 1 seconds\nProcess exited with code 3\nOutput:\nx', 3],
    ['codex', 'Wall time: 1 seconds\nOutput:\nProcess exited with code 3\n', null],
    ['gemini-cli', gemini('x', 1), 1],
    ['gemini-cli', gemini('Exit Code: 1\nmore', 0), 0],
    ['gemini-cli', 'Output: x\nExit Code: 1', 1],
    ['gemini-cli', 'Output: Exit Code: 1\nis what the test prints', null],
    ['mini-swe-agent', '<returncode>4</returncode>\n<output>\n</output>', 4],
    ['mini-swe-agent', '{"returncode": 5, "output": "x"}', 5],
    [null, '{"stdout": "x", "stderr": "", "exit_code": 6}', 6],
    [null, '{"output": "x", "metadata": {"exit_code": 7}}', 7],
    [null, '{"answer": 1}', null],
    [null, 'a\nb', null],
  ])('%s: %j', (harness, text, code) => {
    expect(exitCodeInText(harness, text)).toBe(code)
  })

  test.each([
    ['ran', null, 'ran'],
    ['ran', 0, 'ran'],
    ['ran', 1, 'failed'],
    ['ran', 130, 'interrupted'],
    ['failed', 124, 'interrupted'],
    ['failed', 1, 'failed'],
    ['rejected', 1, 'rejected'],
  ] as const)('makes of a call that %s with %s: %s', (said, code, outcome) => {
    expect(outcomeWithCode(said, code)).toBe(outcome)
  })
})

describe('a result sounds like the words of a harness that turned a call down', () => {
  test.each([
    'The user has declined to run this tool. DO NOT attempt to call this tool again.',
    'The user chose to skip the tool call, they want to proceed without running it',
    'The user rejected permission to use this specific tool call.',
    'User did not allow tool call',
    "The operator doesn't permit it, so the command wasn't executed.",
    'Tool call was denied by the permission check',
    'Permission denied by policy: command is not allowed.',
    'Error: tool call blocked by guardrail "egress".',
    'Rejected: not on the list.',
    'Not executed.',
    'This command requires approval',
    '{"status":"denied","message":"The user denied this operation."}',
  ])('%s', (text) => {
    expect(soundsTurnedDown(text)).toBe(true)
  })

  test.each([
    '',
    'bash: ./deploy.sh: Permission denied',
    'user@host: Permission denied (publickey).',
    'curl: (7) Failed to connect to a.example port 443: Connection refused',
    "rm: cannot remove '/etc/x': Operation not permitted",
    "ERROR 1045 (28000): Access denied for user 'root'@'localhost'",
    'remote: Permission to a/b.git denied to bob.',
    ' ! [remote rejected] main -> main (pre-receive hook declined)',
    'hint: Updates were rejected because the tip of your current branch is behind',
    '14 passed, 2 skipped in 0.41s',
    'bash: rotate-key: command not found',
    'npm WARN deprecated request@2.88.2: request has been deprecated',
    // Whatever follows the first lines was printed.
    `${'README\n'.repeat(100)}The user rejected this tool call.`,
    `The user rejected this tool call.\n${'x'.repeat(2000)}`,
  ])('and so does not: %j', (text) => {
    expect(soundsTurnedDown(text)).toBe(false)
  })
})

/** Names of real servers and harnesses, and shapes of names that others could have. */
const LOOKS = `mcp__github__issue_read mcp__brave-search__brave_web_search mcp__filesystem__list_directory
  mcp__notion__API-post-search mcp__playwright__browser_take_snapshot get_balance getBalance GetAccountInfo HTTPGet
  gmail.search_messages calendar:list-events slack/list_channels describe_instances DescribeInstances thinkTool
  mcp__sequential-thinking__sequentialthinking plan_trip draft_email create_draft validateOrder simulate_transfer
  send_money_simulation previewMessage check_restaurant_opening_hours dry_run_deploy deployDryRun estimate_fee
  verifyAddress find_contact lookupUser look_up_user query_database read2 READ_FILE ReadFile count_rows searches`
const ACTS = `send_money sendMoney SendMail mcp__gmail__send_email mcp__stripe__create_refund book_reservation
  post_webpage delete_email update_password checkout budget target thread spread widget_update listener_add
  already_paid planet_move explanted reserve_hotel calendar.create-event browser_click bash terminal apply_patch
  targeting gettysburg_post blueprint checkpoint_restore fundraiser_open tool_call`

const words = (list: string) => list.trim().split(/\s+/u)

test.each(words(LOOKS))('%s says that its tool looks, plans or tries', (name) =>
  expect(openCall(name)).toEqual({ tool: name, outcome: 'unknown', looks: true }),
)

test.each(words(ACTS))('%s says no such thing', (name) => expect(openCall(name).looks).toBe(false))

test('a name that is as long as a file is one of which nothing is known', () => {
  expect(openCall(`send_${'x'.repeat(100_000)}`).looks).toBe(true)
})
