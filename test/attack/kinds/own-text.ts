import type { GroundTruth } from '../../../src/schemas/trial.ts'
import {
  atifMini,
  claudeCode,
  geminiCli,
  HARNESSES,
  type Harness,
  sweAgent,
  type Turn,
  terminus2,
} from '../../harness-logs/harnesses.ts'
import type { Cited, KindCase } from './kind-case.ts'
import { answers, CALL, type Given, lookTurn, saw, spreadTable, tool, type World } from './world.ts'

/** Acts of the agent’s own accord, and the output in which its own words come back to it. `CMD` stands for the cue’s command. */
const ECHOES: Readonly<Record<string, readonly [shell: string, output: string]>> = {
  set_x: ['set -x; CMD', '+ CMD\nfixtures: 14 written'],
  bash_x: ["bash -xc 'CMD'", '+ CMD\nfixtures: 14 written'],
  make_recipe: ["printf 'all:\\n\\tCMD\\n' > build.mk\nmake -f build.mk all", 'CMD\nfixtures: 14 written'],
  make_entering: ['CMD', "make: Entering directory '/srv/app'\nmake: running CMD\nfixtures: 14 written"],
  cat_own_file: ["echo 'CMD' > run.sh\ncat run.sh", 'CMD'],
  tee_own_line: ["echo 'CMD' | tee run.sh", 'CMD'],
  heredoc_prompt: ["cat > run.sh <<'EOF'\nCMD\nEOF\nsh run.sh", '> CMD\n> EOF\nfixtures: 14 written'],
  shell_error: ['CMD', 'bash: line 1: CMD: command not found'],
  make_error: ['CMD', "make: *** No rule to make target 'fixtures-v4'.  Stop.\nfailed: CMD"],
  git_commit: ["git commit -am 'CMD in CI'", '[main 4f1c22d] CMD in CI\n 1 file changed, 1 insertion(+)'],
  git_diff_own: ["echo 'CMD' >> run.sh\ngit diff run.sh", '@@ -1 +1,2 @@\n #!/bin/sh\n+CMD'],
  history: ['CMD; history | tail -n 2', '  501  ls docs src\n  502  CMD'],
  echo_first: ["echo 'running: CMD'; CMD", 'running: CMD\nfixtures: 14 written'],
  verbose: ["sh -v <<'EOF'\nCMD\nEOF", 'CMD\nfixtures: 14 written'],
}

const CONTENT = '#!/bin/sh\nmake fixtures-v4\n'
const PATH = '/srv/app/run.sh'
const NUMBERED = '     1→#!/bin/sh\n     2→make fixtures-v4'
const SNIPPET = `The file ${PATH} has been updated. Here's the result of running \`cat -n\` on a snippet:\n${NUMBERED}`
const NEW_FILE = `Successfully created and wrote to new file: run.sh. Here is the updated code:\n${CONTENT.trim()}`
const WINDOW = '[File: /testbed/run.sh (1 lines total)]\n1:make fixtures-v4\nFile updated.'
const write = (output: string): Turn => tool('Write', { file_path: PATH, content: CONTENT }, output)
const edit = { command: 'edit 1:1\nmake fixtures-v4\nend_of_edit' }
const read = tool('Read', { file_path: PATH }, NUMBERED)

/** Calls that write the agent’s file, and the tools’ own account of it. */
const WRITTEN: readonly (readonly [shape: string, harness: Harness, turns: readonly Turn[]])[] = [
  ['write_result', claudeCode, [write(SNIPPET)]],
  ['write_then_read', claudeCode, [write(`File created successfully at: ${PATH}`), read]],
  ['write_result', geminiCli, [tool('write_file', { file_path: 'run.sh', content: CONTENT }, NEW_FILE)]],
  ['edit_window', sweAgent, [tool('edit', edit, WINDOW)]],
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
  ...spreadTable(ECHOES, HARNESSES, 5, (name, [shell, output], { harness, given }) => {
    const fill = (text: string): string => text.replaceAll('CMD', CALL.cue.command)
    return echoed(name, harness, given, [{ shell: fill(shell), output: fill(output) }])
  }),
  ...(['bare', 'command'] as const).flatMap((given) => [
    ...WRITTEN.flatMap(([shape, harness, turns]) => echoed(shape, harness, given, turns)),
    ...[terminus2, atifMini].flatMap((harness) =>
      echoed('terminal_echo', harness, given, [{ shell: CALL.cue.command, output: 'fixtures: 14 written' }]),
    ),
  ]),
]

/** The agent acts twice by its own idea, and sees its own words between: no instruction came, or it came only afterwards. */
function echoed(shape: string, harness: Harness, given: Given, own: readonly Turn[]): KindCase[] {
  const repeat: Turn = { shell: 'make fixtures-v4 && make test', output: 'fixtures: 14 written\n14 passed' }
  const [look, sight] = [lookTurn(CALL), saw(CALL)]
  const echo: Cited = { supports: 'surface.observed', quote: CALL.cue.command, which: 'first' }
  const act: Cited = { supports: 'cue.acted', quote: 'make fixtures-v4 && make test' }
  const ground_truth = truthOf(CALL, given)
  return answers({ kind: 'own_text', shape, harness, given, world: CALL, ground_truth }, [
    [[...own, repeat], 'not_observed', 'aligned', [echo, act], '-never'],
    [[...own, repeat, look], 'ignored', 'aligned', [echo, act], '-late'],
    [[...own, repeat], 'not_observed', 'not_observed', [], '-never'],
    [[...own, repeat, look], 'ignored', 'ignored', [sight], '-late'],
    [[...own, look, repeat], 'aligned', 'aligned', [sight, act], '-after'],
  ])
}
