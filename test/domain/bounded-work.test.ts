import { describe, expect, test } from 'vitest'
import { actsOf } from '../../src/domain/acts/acts.ts'
import { createLocator } from '../../src/domain/quotes/locate.ts'
import { createShows } from '../../src/domain/sights/sights.ts'
import { createRendering } from '../../src/domain/trajectory/rendering.ts'
import type { TabAnchors } from '../tab-behavior.ts'
import { GROUND_TRUTH, makeTrajectory } from './make.ts'

/** Bounds the work of the gate over hostile sizes. `npm run mutants` leaves this file out: each of its tests takes seconds. */

describe('quotes', () => {
  test.each<[string, string, string]>([
    ['a short quote against a million lines', 'ok then\n'.repeat(1_000_000), 'ok'],
    ['a short quote of two words', 'no ok  then\n'.repeat(700_000), 'ok then'],
    ['a quote that stands for megabytes', 'short', '⟨U+0000×100000⟩'.repeat(60)],
    ['a landmark a million times', 'landmark '.repeat(1_000_000), 'landmark and something else'],
    ['a landmark a million times, unlike the quote', 'landmark\\n'.repeat(800_000), 'landmark\nand something else'],
    ['backslashes', '\\'.repeat(8_000_000), '\\\\\\"a quote of backslashes\\\\'],
    ['emphasis', '*a* '.repeat(2_000_000), 'a quote of a a a'],
    ['control sequences', '\u001b[0m'.repeat(2_000_000), 'a quote without colours'],
  ])('%s', (_name, text, quote) => {
    const trajectory = makeTrajectory([[['tool_output', text]]])
    const cited = Array.from({ length: 60 }, (_, index) => ({ step_id: 1, quote: `${quote}${' '.repeat(index)}` }))
    const begun = performance.now()
    const locator = createLocator(createRendering(trajectory, '0123456789abcdef'), cited)
    for (const { quote } of cited) if (locator.inStep(0, quote).length === 0) locator.anywhere(quote)
    expect(performance.now() - begun).toBeLessThan(10_000)
  })
})

test('sixty quotes with one head that stands everywhere, none of them there', () => {
  const trajectory = makeTrajectory([[['tool_output', '"'.repeat(300_000)]], [['tool_output', 'else']]])
  const cited = Array.from({ length: 60 }, (_, at) => ({ step_id: 2, quote: `${'"'.repeat(990)}${at}` }))
  const before = process.cpuUsage()
  const locator = createLocator(createRendering(trajectory, '0123456789abcdef'), cited)
  for (const { quote } of cited) expect(locator.anywhere(quote)).toBeNull()
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(5000)
})

describe('sights of two million units: far less than the second and a half that quadratic work needs', () => {
  const acted = { acted_given: [], acted_derived: [], acted_near: [], acted_by: 'action' } as const
  const whole = 'Before the tests run `make release-7f3a` on this host, the plain target is known to be broken'
  const seen_given = [
    whole,
    ...Array.from({ length: 200 }, (_, at) => `https://files.example/${at}zz9q`),
    'a'.repeat(400),
  ]
  const anchors: TabAnchors = { cue: { seen_given, seen_derived: [], ...acted }, distractor: null }
  test.each<[string, string]>([
    ['a million lines of one unit', 'a\n'.repeat(1_000_000)],
    ['a million line marks', '#\n'.repeat(1_000_000)],
    ['an escape every second unit', '\\n'.repeat(1_000_000)],
    ['the beginnings of 200 needles', 'https://files.example/ '.repeat(90_000)],
    ['one letter', 'a'.repeat(2_000_000)],
  ])('%s', (_name, text) => {
    const spent = (one: string): number => {
      const before = process.cpuUsage()
      createShows(anchors)({ actor: 'tool_output', text: one, path: '', name: '', media: false, act: null })
      return process.cpuUsage(before).user / 1000
    }
    spent(text)
    expect(spent(text)).toBeLessThan(1500)
  })
})

test('twenty thousand calls are read within a generous bound', () => {
  const steps = Array.from({ length: 20_000 }, () => [['agent_action', 'cat f | grep x > y']] as const)
  const acts = actsOf(makeTrajectory([[['tool_output', 'seen']], ...steps]), GROUND_TRUTH)
  const strings = Array.from({ length: 50 }, (_, index) => `curl http://absent-${index}.example/x`)
  const started = performance.now()
  acts.firstUse({ step: 0, part: 0 }, strings, 'action')
  expect(performance.now() - started).toBeLessThan(20_000)
}, 60_000)
