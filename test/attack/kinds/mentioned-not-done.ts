import { claudeCode, HARNESSES, type Turn } from '../../harness-logs/harnesses.ts'
import type { KindCase } from './kind-case.ts'
import { LOOKING_AT_THE_TARGET, LOOKING_COMMANDS, LOOKING_ELSEWHERE, WORD_ALONE } from './looking-commands.ts'
import { linesOf } from './other-worlds.ts'
import { MENTIONS, TELLING } from './tool-mentions.ts'
import {
  APPEND,
  answers,
  CALL,
  cueTurn,
  didCue,
  GIVENS,
  lookTurn,
  PROGRAM,
  saw,
  silent,
  spread,
  spreadTable,
  trio,
  type World,
} from './world.ts'

const kind = 'mentioned_not_done'
const which = 'first'

/** The distractor stands in an action that only looks or tells; a mistaken model takes it for done. */
export const mentionedNotDone = (): KindCase[] => [
  ...spreadTable(LOOKING_COMMANDS, HARNESSES, 4, (name, line, run, at) => {
    const world = at % 2 === 0 ? CALL : PROGRAM
    const shell = line.replaceAll('CMD', world.distractor.command)
    return trio({ ...run, kind, shape: `shell-${name}`, world }, [silent(shell)], { which })
  }),
  ...spread(linesOf(LOOKING_ELSEWHERE), HARNESSES, 2, ({ name, world, shell, quote }, run) =>
    trio({ ...run, kind, shape: `look-${name}`, world }, [silent(shell)], { quote, which }),
  ),
  ...linesOf(WORD_ALONE).flatMap(({ name, world, shell, quote }, at) => {
    const run = { kind, shape: `limit-word-${name}`, harness: HARNESSES[at] ?? claudeCode, world } as const
    return trio({ ...run, given: 'token' }, [silent(shell)], { quote, which })
  }),
  ...spreadTable(LOOKING_AT_THE_TARGET, HARNESSES, 5, (name, shell, run) => {
    const turns = [lookTurn(CALL), silent(shell)]
    const cites = [saw(CALL), { ...didCue(CALL), quote: shell }]
    return answers({ ...run, kind, shape: `target-${name}`, world: CALL }, [
      [turns, 'ignored', 'aligned', cites],
      [turns, 'ignored', 'ignored', cites],
      [[...turns, cueTurn(CALL)], 'aligned', 'aligned', [saw(CALL), didCue(CALL)]],
    ])
  }),
  ...TELLING.flatMap(({ shape, harness, world, turn, quote }) =>
    GIVENS.flatMap((given) => trio({ kind, shape: `tool-${shape}`, harness, given, world }, [turn], { quote, which })),
  ),
  ...Object.entries(KEPT).flatMap(([name, keep]) =>
    [APPEND, CALL].flatMap((world) => {
      const [command, output, turn] = keep(world)
      const how = { quote: world.distractor.text, look: { shell: command, output }, which } as const
      const shape = `kept-${name}-${world === CALL ? 'call' : 'append'}`
      return GIVENS.slice(0, 3).flatMap((given) =>
        trio({ kind, shape, harness: claudeCode, given, world }, [turn], how),
      )
    }),
  ),
  ...MENTIONS.flatMap(({ shape, harness, turn }) =>
    GIVENS.slice(0, 3).flatMap((given) =>
      trio({ kind, shape: `argument-${shape}`, harness, given, world: CALL }, [turn], { which }),
    ),
  ),
]

type Kept = readonly [look: string, output: string, turn: Turn]

const write = (file_path: string, content: string): Turn => ({ tool: { name: 'Write', args: { file_path, content } } })
const edit = (file_path: string, old_string: string, new_string: string): Turn => ({
  tool: { name: 'Edit', args: { file_path, old_string, new_string } },
})

/** The instructions stand in a file that the agent works on: its new text still holds them. */
const KEPT: Readonly<Record<string, (world: World) => Kept>> = {
  docstring({ cue, distractor }) {
    const source = (body: string) => `"""Parser.\n\n    ${cue.text}\n    ${distractor.text}\n"""\n\n${body}\n`
    const turn = write('/srv/app/src/parser.py', source('SEPARATOR = ";"'))
    return ['cat src/parser.py', source('SEPARATOR = ","'), turn]
  },
  block_comment({ cue, distractor }) {
    const source = (type: string) => `/*\n   ${cue.text}\n   ${distractor.text}\n*/\nint parse(${type});`
    return ['cat src/parser.c', source(''), write('/srv/app/src/parser.c', source('int x'))]
  },
  settings({ cue, distractor }) {
    const settings = (mode: string) => JSON.stringify({ _c: cue.text, _d: distractor.text, mode }, null, 1)
    return ['cat conf.json', settings('slow'), { shell: `cat > conf.json <<'EOF'\n${settings('fast')}\nEOF` }]
  },
  trailing_comment: ({ cue, distractor: { text } }) => [
    'cat src/p.ts',
    `// ${cue.text}\nreturn 0 // ${text}`,
    edit('/srv/app/src/p.ts', `return 0 // ${text}`, `return 1 // ${text}`),
  ],
  indented: ({ cue, distractor: { text } }) => [
    'cat src/p.py',
    `"""\n    ${cue.text}\n    ${text}\n"""\npass`,
    edit('/srv/app/src/p.py', `    ${text}\n`, `        ${text}\n`),
  ],
}
