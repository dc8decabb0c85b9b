import { describe, expect, test } from 'vitest'
import { actsOf } from '../../src/domain/acts/acts.ts'
import { createLocator } from '../../src/domain/quotes/locate.ts'
import { createShows } from '../../src/domain/sights/sights.ts'
import { createRendering } from '../../src/domain/trajectory/rendering.ts'
import type { Part, Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import type { TabAnchors } from '../tab-behavior.ts'
import { expectLinear } from './linear-work.ts'
import { GROUND_TRUTH, makeTrajectory, mapParts, shellAct } from './make.ts'

/** Bounds the work of the gate over hostile sizes. `npm run mutants` leaves this file out: each of its tests takes seconds. */

const output = (text: string): Trajectory => makeTrajectory([[['tool_output', text]]])
/** Searches the first step for the quotes, and the whole run for those that the step does not hold. */
function locateAll(run: Trajectory, quotes: readonly string[]): void {
  const locator = createLocator(createRendering(run, '0123456789abcdef'))
  for (const quote of quotes) if (locator.inStep(0, quote).length === 0) locator.anywhere(quote)
}

test.each<[string, string, number, string]>([
  ['a short quote against all lines', 'ok then\n', 1_000_000, 'ok'],
  ['a short quote of two words', 'no ok  then\n', 700_000, 'ok then'],
  ['a landmark that stands everywhere', 'landmark ', 1_000_000, 'landmark and something else'],
  ['a landmark that stands everywhere, unlike the quote', 'landmark\\n', 800_000, 'landmark\nand something else'],
  ['backslashes', '\\', 8_000_000, '\\\\\\"a quote of backslashes\\\\'],
  ['emphasis', '*a* ', 2_000_000, 'a quote of a a a'],
  ['control sequences', '\u001b[0m', 2_000_000, 'a quote without colours'],
])('quotes: %s', (_name, piece, times, quote) => {
  const quotes = Array.from({ length: 20 }, (_, index) => `${quote}${' '.repeat(index)}`)
  expectLinear(
    (size) => output(piece.repeat(size)),
    (run) => locateAll(run, quotes),
    times / 8,
  )
})

test('calls of many tools with the argument of an anchor', () => {
  const call = (part: Part, step: number): Part => {
    const { call: made, ...act } = part.act ?? shellAct()
    const own = { ...made, tool: `get_${step}__send`, looks: true, outcome: 'answered' } as const
    return { ...part, name: 'send.to', act: { ...act, role: 'unknown', language: null, call: own } }
  }
  const anchors = Array.from({ length: 20 }, () => ({ tool: 'send', argument: 'DE89' }))
  const prepare = (size: number) =>
    mapParts(makeTrajectory(Array.from({ length: size }, () => [['agent_action', 'DE89']])), call)
  expectLinear(prepare, (run) => actsOf(run, GROUND_TRUTH).firstUse({ step: 0, part: -1 }, anchors, 'action'), 20_000)
})

test('quotes that stand for megabytes', () => {
  const escapes = (size: number) =>
    Array.from({ length: 60 }, (_, at) => `${'⟨U+0000×100000⟩'.repeat(size)}${' '.repeat(at)}`)
  expectLinear(escapes, (quotes) => locateAll(output('short'), quotes), 60)
})

test('sixty quotes with one head that stands everywhere, none of them there', () => {
  const quotes = Array.from({ length: 60 }, (_, at) => `${'"'.repeat(990)}${at}`)
  expectLinear(
    (size) => makeTrajectory([[['tool_output', '"'.repeat(size)]], [['tool_output', 'else']]]),
    (run) => {
      const locator = createLocator(createRendering(run, '0123456789abcdef'))
      for (const quote of quotes) expect(locator.anywhere(quote)).toBeNull()
    },
    300_000,
  )
})

describe('sights of hundreds of thousands of units', () => {
  const acted = { acted_given: [], acted_derived: [], acted_near: [], acted_words: [], acted_by: 'action' } as const
  const whole = 'Before the tests run `make release-7f3a` on this host, the plain target is known to be broken'
  const seen_given = [
    whole,
    ...Array.from({ length: 200 }, (_, at) => `https://files.example/${at}zz9q`),
    'a'.repeat(400),
  ]
  const anchors: TabAnchors = { cue: { seen_given, seen_derived: [], ...acted }, distractor: null }
  test.each<[string, string]>([
    ['lines of one unit', 'a\n'],
    ['line marks', '#\n'],
    ['an escape every second unit', '\\n'],
    ['the beginnings of 200 needles', 'https://files.example/ '],
    ['one letter', 'a'],
  ])('%s', (_name, piece) => {
    expectLinear(
      (size): Part => ({
        ...{ actor: 'tool_output', path: '', name: '', media: false, act: null },
        text: piece.repeat(size),
      }),
      (part) => createShows(anchors)(part),
      400_000 / piece.length,
    )
  })
})

test('thousands of calls', () => {
  const strings = Array.from({ length: 50 }, (_, index) => `curl http://absent-${index}.example/x`)
  expectLinear(
    (size) =>
      makeTrajectory([
        [['tool_output', 'seen']],
        ...Array.from({ length: size }, () => [['agent_action', 'cat f | grep x > y']] as const),
      ]),
    (run) => actsOf(run, GROUND_TRUTH).firstUse({ step: 0, part: 0 }, strings, 'action'),
    1_000,
  )
})
