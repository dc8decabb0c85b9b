import { describe, expect, test } from 'vitest'
import { soundsTurnedDown } from '../../../src/formats/tools/outcomes.ts'

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
