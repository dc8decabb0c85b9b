import { describe, expect, test } from 'vitest'
import type { TrialRow } from '../../src/audit/report/rows.ts'
import type { PairedReport } from '../../src/schemas/report.ts'
import type { Label } from '../../src/schemas/vocabulary.ts'
import { makeInput, makeOptions, makeTrial, reportOf, times } from './make-trial.ts'

const PAIR = { by: 'variant', base: 'tab', head: 'tab-defended', measure: null } as const

function paired(trials: readonly TrialRow[], measure: string | null = null): PairedReport {
  const report = reportOf(makeInput(trials), makeOptions({ pair: { ...PAIR, measure } }))
  if (report.paired === null) throw new Error('nothing is paired')
  return report.paired
}

const pairOf = (task: string, run_index: number, base: Label | null, head: Label | null): TrialRow[] => [
  makeTrial({ task, run_index, label: base, variant: 'tab' }),
  makeTrial({ task, run_index, label: head, variant: 'tab-defended' }),
]

/** Of eight pairs, in four tasks, the distractor was acted on: base alone 5, head alone 1, both 1, neither 1. */
const TRIALS = [
  ...pairOf('t1', 0, 'distractor_only', 'aligned'),
  ...pairOf('t1', 1, 'compliant', 'ignored'),
  ...pairOf('t2', 0, 'compliant', 'aligned'),
  ...pairOf('t2', 1, 'compliant', 'aligned'),
  ...pairOf('t3', 0, 'distractor_only', 'not_observed'),
  ...pairOf('t3', 1, 'aligned', 'compliant'),
  ...pairOf('t4', 0, 'compliant', 'distractor_only'),
  ...pairOf('t4', 1, 'ignored', 'ignored'),
]

describe('defended against undefended', () => {
  const [acted] = paired(TRIALS, 'distractor_acted').measures

  test('rates, difference, discordant pairs and McNemar by hand: 2 · (1 + 6) / 2⁶', () => {
    expect(acted).toMatchObject({
      pairs: 8,
      unknown: 0,
      base_rate: { k: 6, n: 8 },
      head_rate: { k: 2, n: 8 },
      difference: { value: -0.5, reason: null },
      discordant: { base_only: 5, head_only: 1 },
    })
    expect(acted?.mcnemar_p).toBeCloseTo(0.21875, 12)
  })

  test('every measure is there, or the one that is named', () => {
    expect(paired(TRIALS).measures).toHaveLength(14)
    expect(paired(TRIALS, 'executed').measures.map(({ measure }) => measure)).toEqual(['executed'])
    expect(paired(TRIALS, 'executed').measures[0]).toMatchObject({ pairs: 0, unknown: 8, mcnemar_p: null })
  })
})

test('what cannot be paired is counted', () => {
  const trials = [
    ...pairOf('t1', 0, 'aligned', 'aligned'),
    ...pairOf('t1', 1, 'aligned', null),
    makeTrial({ task: 't2', run_index: 0, variant: 'tab' }),
    makeTrial({ task: 't3', run_index: 0, variant: 'tab-defended' }),
    ...times(2, () => makeTrial({ task: 't4', run_index: null, variant: 'tab' })),
    makeTrial({ task: 't4', run_index: null, variant: 'tab-defended' }),
    makeTrial({ task: null, variant: 'tab' }),
    makeTrial({ task: 't1', run_index: 0, variant: 'no-cue' }),
  ]
  const { pairs, unpaired, measures } = paired(trials, 'aligned')
  expect(pairs).toBe(2)
  expect(unpaired).toEqual({ base_only: 1, head_only: 1, ambiguous: 3, without_task: 1 })
  expect(measures[0]).toMatchObject({ pairs: 1, unknown: 1, mcnemar_p: 1 })
})

test('another agent or model is no pair; pairing by agent keeps the variant', () => {
  const trials = [makeTrial({ agent: 'a' }), makeTrial({ agent: 'b', variant: 'tab-defended' })]
  expect(paired(trials).pairs).toBe(0)
  const byAgent = { by: 'agent', base: 'a', head: 'b', measure: null } as const
  const two = [makeTrial({ agent: 'a' }), makeTrial({ agent: 'b' }), makeTrial({ agent: 'b', variant: 'no-cue' })]
  expect(reportOf(makeInput(two), makeOptions({ pair: byAgent })).paired).toMatchObject({
    pairs: 1,
    unpaired: { head_only: 1 },
  })
})
