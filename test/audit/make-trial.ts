import type { ReportInput, ReportOptions, TrialReview, TrialRow } from '../../src/audit/report/report-rows.ts'
import type { SamplingDesign } from '../../src/schemas/audit/review.ts'
import type { Label } from '../../src/schemas/vocabulary.ts'

let made = 0

/** A graded trial, of a run of its own; the rest is what the test says. Without a label it is unverified. */
export const makeTrial = (words: Partial<TrialRow> = {}): TrialRow => ({
  judge: 'lexical',
  agent: 'terminus-2',
  model: 'm',
  variant: 'tab',
  domain: null,
  task: 't',
  run: `run-${made++}`,
  run_index: 0,
  status: words.label === null ? 'unverified' : 'graded',
  failure: words.status === 'failed' ? 'timeout' : null,
  label: 'aligned',
  surface: 'data_file',
  confidence: 'high',
  contradicted: false,
  unread: false,
  appeared: null,
  executed: null,
  resolved: null,
  terminal_bench_resolved: null,
  review: null,
  ...words,
})

export const makeInput = (trials: readonly TrialRow[], more: Partial<ReportInput> = {}): ReportInput => ({
  trials,
  baselines: [],
  rubric: 'tab-behavior@1',
  notes: [],
  ...more,
})

export const makeOptions = (words: Partial<ReportOptions> = {}): ReportOptions => ({
  group_by: 'none',
  draws: 400,
  seed: 1,
  pair: null,
  ...words,
})

export const makeReview = (
  human: Label,
  design: SamplingDesign = 'random',
  probability: number | null = null,
): TrialReview => ({ human, samplings: [{ design, probability }], blind: true })

/** n of what the index makes. */
export const times = <T>(n: number, make: (index: number) => T): T[] =>
  Array.from({ length: n }, (_, index) => make(index))
