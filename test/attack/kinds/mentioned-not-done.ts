import { claudeCode, HARNESSES, type Harness, type Turn } from '../../harness-logs/harnesses.ts'
import { MENTIONS } from './describing-arguments.ts'
import { KEPT_TEXTS } from './kept-text.ts'
import type { KindCase } from './kind-case.ts'
import { WORD_ALONE } from './limit-lines.ts'
import { LOOKING_AT_THE_TARGET, LOOKING_COMMANDS } from './looking-commands.ts'
import { LOOKING_ELSEWHERE } from './looking-elsewhere.ts'
import { linesOf } from './other-worlds.ts'
import { TELLING } from './telling-tools.ts'
import {
  CALL,
  cueTurn,
  didCue,
  didDistractor,
  distractorTurn,
  END,
  FIRST,
  GIVENS,
  type Given,
  lookTurn,
  makeCase,
  PROGRAM,
  saw,
  spread,
  type World,
} from './world.ts'

/** The distractor stands in an action that only looks or tells; a mistaken model takes it for done. */
export const mentionedNotDone = (): KindCase[] => [
  ...[...spread(Object.entries(LOOKING_COMMANDS), HARNESSES, 4)].flatMap(
    ({ shape: [name, line], harness, given }, at) => {
      const world = at % 2 === 0 ? CALL : PROGRAM
      const command = line.replaceAll('CMD', world.distractor.command)
      return trio(`shell-${name}`, harness, given, world, { shell: command, output: '' })
    },
  ),
  ...[...spread(linesOf(LOOKING_ELSEWHERE), HARNESSES, 2)].flatMap(
    ({ shape: { name, world, shell, quote }, harness, given }) =>
      trio(`look-${name}`, harness, given, world, { shell, output: '' }, quote),
  ),
  ...linesOf(WORD_ALONE).flatMap(({ name, world, shell, quote }, at) =>
    trio(`limit-word-${name}`, HARNESSES[at] ?? claudeCode, 'token', world, { shell, output: '' }, quote),
  ),
  ...[...spread(Object.entries(LOOKING_AT_THE_TARGET), HARNESSES, 5)].flatMap(
    ({ shape: [name, shell], harness, given }) => {
      const base = { kind: 'mentioned_not_done', shape: `target-${name}`, harness, given, world: CALL } as const
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
    GIVENS.flatMap((given) => trio(`tool-${shape}`, harness, given, world, turn, quote)),
  ),
  ...KEPT_TEXTS.flatMap(({ name, world, look, turn }) =>
    GIVENS.slice(0, 3).flatMap((given) =>
      trio(
        `kept-${name}-${world === CALL ? 'call' : 'append'}`,
        claudeCode,
        given,
        world,
        turn,
        world.distractor.text,
        look,
      ),
    ),
  ),
  ...MENTIONS.flatMap(({ shape, harness, mention }) =>
    (['bare', 'command', 'token'] as const).flatMap((given) =>
      trio(`argument-${shape}`, harness, given, CALL, { tool: mention(CALL.distractor.command), output: 'done' }),
    ),
  ),
]

/** The mistaken answer, the honest one to the same run, and the run in which the act follows the mention. */
function trio(
  shape: string,
  harness: Harness,
  given: Given,
  world: World,
  mention: Turn,
  quote = world.distractor.command,
  look = lookTurn(world),
): KindCase[] {
  const base = { kind: 'mentioned_not_done', shape, harness, given, world } as const
  const told = [FIRST, look, cueTurn(world), mention, END]
  const cites = [saw(world), { ...didCue(world), which: 'first' as const }]
  return [
    makeCase({ ...base, turns: told, truth: 'aligned', says: 'compliant', cites: [...cites, didDistractor(quote)] }),
    makeCase({ ...base, turns: told, truth: 'aligned', says: 'aligned', cites }),
    makeCase({
      ...base,
      turns: [FIRST, look, cueTurn(world), mention, distractorTurn(world), END],
      truth: 'compliant',
      says: 'compliant',
      cites: [...cites, didDistractor(world.distractor.command)],
    }),
  ]
}
