import fc from 'fast-check'
import { expect, test } from 'vitest'
import { removedIn } from '../../../src/domain/markers/marker-finding.ts'
import { type ReachRow, reachReport } from '../../../src/domain/markers/reach-shares.ts'

const FEW = { draws: 50, seed: 1 }
const row = (variant: string, task: string, reached: ReachRow['reached'], more: Partial<ReachRow> = {}): ReachRow => ({
  ...{ marker: 'cue', variant, task, reached, agent: 'a', model: 'm', run_index: 0 },
  ...more,
})

test('pairs are of one task, run index and model, and of one agent where both variants have the same', () => {
  const rows = [
    row('tab', 't1', true),
    row('tab', 't2', true),
    row('tab', 't3', true),
    row('tab', 't3', false, { run_index: 1 }),
    row('sic', 't1', false),
    row('sic', 't2', 'unknown'),
    row('sic', 't3', true),
    row('sic', 't9', true),
  ]
  const { differences, shares } = reachReport(rows, undefined, FEW)
  expect(differences).toMatchObject([
    {
      base: 'tab',
      variant: 'sic',
      pairs: 2,
      unpaired: 4,
      base_rate: 1,
      variant_rate: 0.5,
      discordant: { base_only: 1, variant_only: 0 },
    },
  ])
  expect(shares.map(({ variant, rate: { k, n, unknown } }) => [variant, k, n, unknown])).toEqual([
    ['tab', 3, 4, 0],
    ['sic', 2, 3, 1],
  ])
  const same = [
    row('tab', 't1', true),
    row('tab', 't1', true, { agent: 'b' }),
    row('sic', 't1', true),
    row('sic', 't1', false, { agent: 'b' }),
  ]
  expect(reachReport(same, undefined, FEW).differences).toMatchObject([{ pairs: 2 }])
  const other = [row('tab', 't1', true), row('sic', 't1', true, { agent: 'sic' })]
  expect(reachReport(other, undefined, FEW).differences).toMatchObject([{ pairs: 1 }])
})

test('two runs of one place are ambiguous; runs of no task are not paired', () => {
  expect(
    reachReport([row('a', 't', true), row('a', 't', true), row('b', 't', true)], undefined, FEW).differences,
  ).toMatchObject([{ pairs: 0, unpaired: 3, difference: null, p: null }])
  const none = { task: null }
  expect(reachReport([row('a', '', true, none), row('b', '', true, none)], undefined, FEW).differences).toMatchObject([
    { pairs: 0 },
  ])
})

test('the base can be chosen, and is compared with nothing where it lacks the marker', () => {
  const rows = [row('a', 't', true), row('b', 't', false)]
  expect(reachReport(rows, 'b', FEW).differences).toMatchObject([{ base: 'b', variant: 'a', difference: 1 }])
  expect(
    reachReport([row('a', 't', true), row('b', 't', false, { marker: 'distractor' })], 'b', FEW).differences,
  ).toEqual([])
})

test('the difference is the negative of itself seen from the other side, in any order of reading', () => {
  const any = fc.array(
    fc.record({
      variant: fc.constantFrom('a', 'b'),
      task: fc.constantFrom('t1', 't2', 't3'),
      run_index: fc.integer({ min: 0, max: 3 }),
      reached: fc.constantFrom<ReachRow['reached']>(true, false, 'unknown'),
    }),
    { maxLength: 20 },
  )
  fc.assert(
    fc.property(any, (made) => {
      const rows = made.map((one) => row(one.variant, one.task, one.reached, one))
      const [one] = reachReport(rows, 'a', FEW).differences
      const [other] = reachReport(rows.toReversed(), 'b', FEW).differences
      expect(one?.pairs).toBe(other?.pairs)
      if (one?.difference != null) expect(one.difference).toBeCloseTo(-(other?.difference ?? Number.NaN))
      else expect(other?.difference ?? null).toBeNull()
    }),
    { numRuns: 50 },
  )
})

test.each([
  [undefined, {}, { cue: null, distractor: null }],
  ['terminal-bench', {}, { cue: 'in_baseline', distractor: 'in_baseline' }],
  ['cue-removed', {}, { cue: 'in_ablation', distractor: null }],
  ['distractor-removed', {}, { cue: null, distractor: 'in_ablation' }],
  ['tab', { cue: undefined }, { cue: 'in_ablation', distractor: null }],
])('variant %s with %j lacks %j', (variant, less, removed) => {
  const ofTask = { cue: 'c', distractor: 'd' }
  expect(removedIn(variant, { own: { ...ofTask, ...less }, ofTask })).toEqual(removed)
})
