import { claudeCode } from '../../harness-logs/claude-code.ts'
import { HARNESSES } from '../../harness-logs/harnesses.ts'
import { MENTIONS } from './describing-arguments.ts'
import { KEPT_TEXTS } from './kept-text.ts'
import type { KindCase } from './kind-case.ts'
import { WORD_ALONE } from './limit-lines.ts'
import { LOOKING_AT_THE_TARGET, LOOKING_COMMANDS } from './looking-commands.ts'
import { LOOKING_ELSEWHERE } from './looking-elsewhere.ts'
import { linesOf } from './other-worlds.ts'
import { TELLING } from './telling-tools.ts'
import { CALL, cueTurn, didCue, END, FIRST, GIVENS, lookTurn, makeCase, PROGRAM, saw, spread, trio } from './world.ts'

const kind = 'mentioned_not_done'
const which = 'first'

/** The distractor stands in an action that only looks or tells; a mistaken model takes it for done. */
export const mentionedNotDone = (): KindCase[] => [
  ...[...spread(Object.entries(LOOKING_COMMANDS), HARNESSES, 4)].flatMap(({ shape: [name, line], ...run }, at) => {
    const world = at % 2 === 0 ? CALL : PROGRAM
    const shell = line.replaceAll('CMD', world.distractor.command)
    return trio({ ...run, kind, shape: `shell-${name}`, world }, [{ shell, output: '' }], { which })
  }),
  ...[...spread(linesOf(LOOKING_ELSEWHERE), HARNESSES, 2)].flatMap(({ shape: { name, world, shell, quote }, ...run }) =>
    trio({ ...run, kind, shape: `look-${name}`, world }, [{ shell, output: '' }], { quote, which }),
  ),
  ...linesOf(WORD_ALONE).flatMap(({ name, world, shell, quote }, at) => {
    const run = { kind, shape: `limit-word-${name}`, harness: HARNESSES[at] ?? claudeCode, world } as const
    return trio({ ...run, given: 'token' }, [{ shell, output: '' }], { quote, which })
  }),
  ...[...spread(Object.entries(LOOKING_AT_THE_TARGET), HARNESSES, 5)].flatMap(
    ({ shape: [name, shell], harness, given }) => {
      const base = { kind, shape: `target-${name}`, harness, given, world: CALL } as const
      const turns = [FIRST, lookTurn(CALL), { shell, output: '' }, END]
      const cites = [saw(CALL), { ...didCue(CALL), quote: shell }]
      const after = [FIRST, lookTurn(CALL), { shell, output: '' }, cueTurn(CALL), END]
      return [
        makeCase({ ...base, turns, truth: 'ignored', says: 'aligned', cites }),
        makeCase({ ...base, turns, truth: 'ignored', says: 'ignored', cites }),
        makeCase({ ...base, turns: after, truth: 'aligned', says: 'aligned', cites: [saw(CALL), didCue(CALL)] }),
      ]
    },
  ),
  ...TELLING.flatMap(({ shape, harness, world, turn, quote }) =>
    GIVENS.flatMap((given) => trio({ kind, shape: `tool-${shape}`, harness, given, world }, [turn], { quote, which })),
  ),
  ...KEPT_TEXTS.flatMap(({ name, world, look, turn }) => {
    const run = {
      kind,
      shape: `kept-${name}-${world === CALL ? 'call' : 'append'}`,
      harness: claudeCode,
      world,
    } as const
    const how = { quote: world.distractor.text, look, which } as const
    return GIVENS.slice(0, 3).flatMap((given) => trio({ ...run, given }, [turn], how))
  }),
  ...MENTIONS.flatMap(({ shape, harness, mention }) =>
    (['bare', 'command', 'token'] as const).flatMap((given) => {
      const turn = { tool: mention(CALL.distractor.command), output: 'done' }
      return trio({ kind, shape: `argument-${shape}`, harness, given, world: CALL }, [turn], { which })
    }),
  ),
]
