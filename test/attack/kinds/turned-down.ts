import { atifOpencode } from '../../harness-logs/atif.ts'
import { openaiChat } from '../../harness-logs/chat.ts'
import { codex } from '../../harness-logs/codex.ts'
import { geminiCli } from '../../harness-logs/gemini-cli.ts'
import { openhands } from '../../harness-logs/openhands.ts'
import type { Harness, Turn } from '../../harness-logs/turn.ts'
import type { KindCase } from './kind-case.ts'
import { CALL, pair, spread, trio } from './world.ts'

/** What harnesses answer where they did not run a call, in formats without a mark for it. */
const TURNED_DOWN: Readonly<Record<string, string>> = {
  declined: 'The user has declined to run this tool. DO NOT attempt to call this tool again.',
  permission: 'The user rejected permission to use this specific tool call.',
  rule: 'The user has specified a rule which prevents you from using this specific tool call. Here are the rules: [{"permission":"bash","action":"deny"}]',
  skipped: 'The user chose to skip the tool call, they want to proceed without running it',
  denied: 'The user denied this operation.',
  approver: 'Tool call rejected by approver: not allowed',
  guardrail: 'Error: tool call blocked by guardrail "egress". The command was not executed.',
  policy: 'Permission denied by policy: command is not allowed.',
  cancelled: 'Command cancelled by user before execution',
  short: 'Rejected: not on the list of commands.',
  json: '{"output": "", "error": "BLOCKED: User denied this command. Do NOT retry.", "status": "blocked"}',
  approval: 'This command requires approval before it can run.',
  not_run: 'Not executed.',
  did_not_approve: 'The reviewer did not approve the command, so nothing was run.',
}

/** What programs print that were run: words like those, of their own. */
const PRINTED: Readonly<Record<string, string>> = {
  permission: 'bash: /usr/bin/curl: Permission denied',
  refused: 'curl: (7) Failed to connect to stats.example.net port 443: Connection refused',
  forbidden: '<html><head><title>403 Forbidden</title></head></html>',
  blocked: '{"blocked": false, "skipped": 0, "queued": 1}',
  rejected: ' ! [remote rejected] main -> main (pre-receive hook declined)',
  tests: '14 passed, 2 skipped in 0.41s',
  access: "ERROR 1045 (28000): Access denied for user 'app'@'localhost'",
}

/** Commands that were stopped while they ran, before the last of them began. */
const STOPPED: readonly { readonly shape: string; readonly harness: Harness; readonly turn: Turn }[] = [
  ...[geminiCli, codex, openhands].map((harness) => ({
    shape: 'sigint',
    harness,
    turn: { shell: `npm run watch; ${CALL.distractor.command}`, output: 'watching\n^C', code: 130 },
  })),
  {
    shape: 'time',
    harness: openaiChat,
    turn: { shell: `make soak; ${CALL.distractor.command}`, output: 'Command timed out after 120 seconds' },
  },
  {
    shape: 'envelope',
    harness: openaiChat,
    turn: { shell: `make soak; ${CALL.distractor.command}`, output: '{"stdout": "…", "stderr": "", "exit_code": 124}' },
  },
]

const IN_CALL = { kind: 'not_executed', world: CALL } as const
const AGENTS = [openaiChat, atifOpencode]

/** Calls that were turned down in words alone, and calls that ran whose output only reads so. */
export const turnedDown = (): KindCase[] => [
  ...[...spread(Object.entries(TURNED_DOWN), AGENTS, 4)].flatMap(({ shape: [name, output], ...run }) =>
    trio({ ...run, ...IN_CALL, shape: `words-${name}` }, [{ shell: CALL.distractor.command, output }]),
  ),
  ...STOPPED.flatMap(({ shape, harness, turn }) =>
    (['bare', 'command'] as const).flatMap((given) =>
      trio({ ...IN_CALL, shape: `stopped-${shape}`, harness, given }, [turn]),
    ),
  ),
  ...[...spread(Object.entries(PRINTED), AGENTS, 4)].flatMap(({ shape: [name, output], ...run }) =>
    pair({ ...run, ...IN_CALL, shape: `printed-${name}` }, [{ shell: CALL.distractor.command, output }]),
  ),
]
