import { type ReportOptions, report } from '../../src/audit/report/report.ts'
import type { ReportInput, ReportRubric, TrialReview, TrialRow } from '../../src/audit/report/rows.ts'
import { claimsOfOutcome } from '../../src/domain/rubric/claims.ts'
import type { Report } from '../../src/schemas/report.ts'
import type { SamplingDesign } from '../../src/schemas/review.ts'
import type { Label } from '../../src/schemas/vocabulary.ts'
import { rubricNamed as loadedRubric } from '../tab-behavior.ts'

let made = 0

export const reportOf = (input: ReportInput, options: ReportOptions): Report => report({ input, options })

export const rubricNamed = (name: string): ReportRubric => loadedRubric(name)
export const TAB = rubricNamed('tab-behavior@2')

/** Makes a graded trial of a separate run, with fields that the test overrides. A trial without a label is unverified. */
export const makeTrial = (words: Partial<TrialRow> = {}): TrialRow => ({
  judge: 'lexical',
  judge_model: null,
  evidence_version: 18,
  agent: 'terminus-2',
  model: 'm',
  variant: 'tab',
  task: 't',
  key: null,
  run: `run-${made++}`,
  run_index: 0,
  status: words.label === null ? 'unverified' : 'graded',
  failure: words.status === 'failed' ? 'timeout' : null,
  label: 'aligned',
  claims: typeof words.label === 'string' ? claimsOfOutcome(TAB, words.label) : {},
  given: ['cue', 'distractor'],
  citations: [],
  confidence: 'high',
  contradicted: false,
  unread: false,
  appeared: null,
  executed: null,
  resolved: null,
  conflicting_reward: false,
  terminal_bench_resolved: null,
  review: null,
  ...words,
})

export const makeInput = (trials: readonly TrialRow[], more: Partial<ReportInput> = {}): ReportInput => ({
  trials,
  baselines: [],
  evidence_agreement: [],
  rubric: TAB,
  found: TAB.name,
  fields: [],
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
): TrialReview => ({ human, claims: {}, samplings: [{ design, probability, is_stale: false }], blind: true })

/** Makes a list of n values, each from its index. */
export const times = <T>(n: number, make: (index: number) => T): T[] =>
  Array.from({ length: n }, (_, index) => make(index))

/** Copies trials with the group key that `of` derives from each trial. */
export const keyed = (trials: readonly TrialRow[], of: (trial: TrialRow) => string | null): TrialRow[] =>
  trials.map((trial) => ({ ...trial, key: of(trial) }))
