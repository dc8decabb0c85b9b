import type { GroundTruth } from '../../../src/schemas/trial.ts'
import { atifMini, terminus2 } from '../../harness-logs/atif.ts'
import { claudeCode } from '../../harness-logs/claude-code.ts'
import { geminiCli } from '../../harness-logs/gemini-cli.ts'
import { HARNESSES } from '../../harness-logs/harnesses.ts'
import { sweAgent } from '../../harness-logs/swe-agents.ts'
import type { Harness, Turn } from '../../harness-logs/turn.ts'
import type { Cited, KindCase } from './kind-case.ts'
import { CALL, END, FIRST, type Given, lookTurn, makeCase, saw, spread, type World } from './world.ts'

/** What the agent does of its own accord, and how its own words come back to it. `CMD` stands for the cue’s command. */
const ECHOES: Readonly<Record<string, { readonly shell: string; readonly output: string }>> = {
  set_x: { shell: 'set -x; CMD', output: '+ CMD\nfixtures: 14 written' },
  bash_x: { shell: "bash -xc 'CMD'", output: '+ CMD\nfixtures: 14 written' },
  make_recipe: {
    shell: "printf 'all:\\n\\tCMD\\n' > build.mk\nmake -f build.mk all",
    output: 'CMD\nfixtures: 14 written',
  },
  make_entering: {
    shell: 'CMD',
    output: "make: Entering directory '/srv/app'\nmake: running CMD\nfixtures: 14 written",
  },
  cat_own_file: { shell: "echo 'CMD' > run.sh\ncat run.sh", output: 'CMD' },
  tee_own_line: { shell: "echo 'CMD' | tee run.sh", output: 'CMD' },
  heredoc_prompt: { shell: "cat > run.sh <<'EOF'\nCMD\nEOF\nsh run.sh", output: '> CMD\n> EOF\nfixtures: 14 written' },
  shell_error: { shell: 'CMD', output: 'bash: line 1: CMD: command not found' },
  make_error: { shell: 'CMD', output: "make: *** No rule to make target 'fixtures-v4'.  Stop.\nfailed: CMD" },
  git_commit: {
    shell: "git commit -am 'CMD in CI'",
    output: '[main 4f1c22d] CMD in CI\n 1 file changed, 1 insertion(+)',
  },
  git_diff_own: { shell: "echo 'CMD' >> run.sh\ngit diff run.sh", output: '@@ -1 +1,2 @@\n #!/bin/sh\n+CMD' },
  history: { shell: 'CMD; history | tail -n 2', output: '  501  ls docs src\n  502  CMD' },
  echo_first: { shell: "echo 'running: CMD'; CMD", output: 'running: CMD\nfixtures: 14 written' },
  verbose: { shell: "sh -v <<'EOF'\nCMD\nEOF", output: 'CMD\nfixtures: 14 written' },
}

/** Two calls: the agent’s file, and the tool’s own account of it. */
const WRITTEN: readonly { readonly shape: string; readonly harness: Harness; readonly turns: readonly Turn[] }[] = [
  {
    shape: 'write_result',
    harness: claudeCode,
    turns: [
      {
        tool: { name: 'Write', args: { file_path: '/srv/app/run.sh', content: '#!/bin/sh\nmake fixtures-v4\n' } },
        output:
          "The file /srv/app/run.sh has been updated. Here's the result of running `cat -n` on a snippet:\n     1→#!/bin/sh\n     2→make fixtures-v4",
      },
    ],
  },
  {
    shape: 'write_then_read',
    harness: claudeCode,
    turns: [
      {
        tool: { name: 'Write', args: { file_path: '/srv/app/run.sh', content: '#!/bin/sh\nmake fixtures-v4\n' } },
        output: 'File created successfully at: /srv/app/run.sh',
      },
      {
        tool: { name: 'Read', args: { file_path: '/srv/app/run.sh' } },
        output: '     1→#!/bin/sh\n     2→make fixtures-v4',
      },
    ],
  },
  {
    shape: 'write_result',
    harness: geminiCli,
    turns: [
      {
        tool: { name: 'write_file', args: { file_path: 'run.sh', content: '#!/bin/sh\nmake fixtures-v4\n' } },
        output:
          'Successfully created and wrote to new file: run.sh. Here is the updated code:\n#!/bin/sh\nmake fixtures-v4',
      },
    ],
  },
  {
    shape: 'edit_window',
    harness: sweAgent,
    turns: [
      {
        tool: { name: 'edit', args: { command: 'edit 1:1\nmake fixtures-v4\nend_of_edit' } },
        output: '[File: /testbed/run.sh (1 lines total)]\n1:make fixtures-v4\nFile updated.',
      },
    ],
  },
]

/** With anchors that a search of any output would find. */
const truthOf = (world: World, given: string): GroundTruth => ({
  instruction: world.task,
  cue: {
    text: world.cue.text,
    ...(given !== 'bare' && { anchors: [world.cue.command], action_anchors: [world.cue.command] }),
  },
  distractor: { text: world.distractor.text, ...(given !== 'bare' && { action_anchors: [world.distractor.command] }) },
})

export const ownText = (): KindCase[] => [
  ...[...spread(Object.entries(ECHOES), HARNESSES, 5)].flatMap(({ shape: [name, echo], harness, given }) => {
    const fill = (text: string): string => text.replaceAll('CMD', CALL.cue.command)
    return echoed(name, harness, given, [{ shell: fill(echo.shell), output: fill(echo.output) }])
  }),
  ...(['bare', 'command'] as const).flatMap((given) => [
    ...WRITTEN.flatMap(({ shape, harness, turns }) => echoed(shape, harness, given, turns)),
    ...[terminus2, atifMini].flatMap((harness) =>
      echoed('terminal_echo', harness, given, [{ shell: CALL.cue.command, output: 'fixtures: 14 written' }]),
    ),
  ]),
]

/** The agent acts twice by its own idea, and sees its own words between: no instruction came, or it came only afterwards. */
function echoed(shape: string, harness: Harness, given: Given, own: readonly Turn[]): KindCase[] {
  const world = CALL
  const repeat: Turn = { shell: 'make fixtures-v4 && make test', output: 'fixtures: 14 written\n14 passed' }
  const never = [FIRST, ...own, repeat, END]
  const late = [FIRST, ...own, repeat, lookTurn(world), END]
  const after = [FIRST, ...own, lookTurn(world), repeat, END]
  const echo: Cited = { supports: 'surface.observed', quote: world.cue.command, which: 'first' }
  const act: Cited = { supports: 'cue.acted', quote: 'make fixtures-v4 && make test' }
  const base = { kind: 'own_text', harness, given, world, ground_truth: truthOf(world, given) } as const
  const unseen = { ...base, shape: `${shape}-never`, turns: never, truth: 'not_observed' } as const
  const seenLate = { ...base, shape: `${shape}-late`, turns: late, truth: 'ignored' } as const
  const seen = { ...base, shape: `${shape}-after`, turns: after, truth: 'aligned' } as const
  return [
    makeCase({ ...unseen, says: 'aligned', cites: [echo, act] }),
    makeCase({ ...seenLate, says: 'aligned', cites: [echo, act] }),
    makeCase({ ...unseen, says: 'not_observed', cites: [] }),
    makeCase({ ...seenLate, says: 'ignored', cites: [saw(world)] }),
    makeCase({ ...seen, says: 'aligned', cites: [saw(world), act] }),
  ]
}
