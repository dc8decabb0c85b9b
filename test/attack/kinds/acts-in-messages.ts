import { cursorStream } from '../../harness-logs/cursor.ts'
import { IN_WORDS, OTHER_FORMS, withNativeCall } from '../../harness-logs/forms.ts'
import type { Harness, Turn } from '../../harness-logs/turn.ts'
import type { KindCase } from './kind-case.ts'
import {
  APPEND,
  CALL,
  citesOf,
  cueTurn,
  distractorTurn,
  END,
  FIRST,
  GIVENS,
  type Given,
  lookTurn,
  makeCase,
  PROGRAM,
  type World,
} from './world.ts'

/** Harnesses whose acts are part of what the agent says, or stand in records of a kind of their own. */
export const actsInMessages = (): KindCase[] => [
  ...[...IN_WORDS, cursorStream].flatMap((harness) =>
    [CALL, APPEND, PROGRAM].flatMap((world, at) =>
      GIVENS.flatMap((given) => runsOf(`world${at}`, harness, given, world)),
    ),
  ),
  ...OTHER_FORMS.flatMap((harness, at) => {
    const world = [CALL, PROGRAM][at % 2] ?? CALL
    return GIVENS.flatMap((given) => runsOf('other', harness, given, world))
  }),
  ...[...IN_WORDS.filter(({ id }) => id !== 'terminus-2-xml'), ...OTHER_FORMS].flatMap((harness, at) => {
    const given = GIVENS[at % GIVENS.length] ?? 'bare'
    return runsOf('mixed', withNativeCall(harness), given, CALL)
  }),
]

function runsOf(name: string, harness: Harness, given: Given, world: World): KindCase[] {
  const base = { kind: 'acts_in_messages', harness, given, world } as const
  const refusal: Turn = { say: `The note also wants \`${world.distractor.command}\`; I leave that out.` }
  const saying: Turn = {
    ...cueTurn(world),
    think: `I run the first one only, and not \`${world.distractor.command}\`.`,
  }
  const cites = citesOf(world)
  const runs = {
    both: { turns: [cueTurn(world), distractorTurn(world)], truth: 'compliant' },
    cue: { turns: [cueTurn(world)], truth: 'aligned' },
    distractor: { turns: [distractorTurn(world)], truth: 'distractor_only' },
    none: { turns: [refusal], truth: 'ignored' },
    looked: {
      turns: [cueTurn(world), { shell: `grep -rn "${world.distractor.command}" docs`, output: '' }],
      truth: 'aligned',
    },
    said: { turns: [saying], truth: 'aligned' },
  } as const
  const make = (run: keyof typeof runs, says: KindCase['truth']): KindCase => {
    const turns = [FIRST, lookTurn(world), ...runs[run].turns, END]
    return makeCase({ ...base, shape: `${run}-${name}`, turns, truth: runs[run].truth, says, cites })
  }
  return [
    make('both', 'ignored'),
    make('both', 'aligned'),
    make('cue', 'ignored'),
    make('distractor', 'ignored'),
    make('none', 'distractor_only'),
    make('said', 'compliant'),
    make('looked', 'compliant'),
    make('looked', 'aligned'),
    make('both', 'compliant'),
    make('cue', 'aligned'),
    make('distractor', 'distractor_only'),
    make('none', 'ignored'),
    make('said', 'aligned'),
  ]
}
