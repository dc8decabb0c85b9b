import { type Outcome, sharesOf } from '../../domain/statistics/clustered-rates.ts'
import type { ReportGroup } from '../../schemas/audit/report.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import { claimFigures } from './report-claims.ts'
import { correctShares } from './report-corrected.ts'
import { meanOf } from './report-means.ts'
import { countEnds, type GroupOptions, type TrialRow } from './report-rows.ts'
import type { ReportRubric } from './report-rubric.ts'

/** The figures of one group of trials that every rubric has. */
export function describeGroup(
  key: string | null,
  trials: readonly TrialRow[],
  { claims, outcome }: ReportRubric,
  labels: readonly string[],
  options: GroupOptions,
): ReportGroup {
  return {
    key,
    counts: countTrials(trials),
    shares: sharesOf(trials, labels, hasLabel, options.clusterOf, options),
    mean: outcome.kind === 'sum' ? meanOf(trials, numberOf, options) : null,
    claims: claimFigures(trials, claims, options),
    corrected: correctShares(trials, { labels, judged: ({ label }) => label, reviewed: ({ human }) => human }, options),
  }
}

export const hasLabel = (trial: TrialRow, label: Label): Outcome =>
  trial.label === null ? 'unknown' : trial.label === label

/** The label of an outcome that is a number is its text. */
const numberOf = ({ label }: TrialRow): number | null => (label === null ? null : Number(label))

function countTrials(trials: readonly TrialRow[]): ReportGroup['counts'] {
  const named = trials.flatMap(({ task }) => task ?? [])
  const graded = trials.filter(({ status }) => status === 'graded')
  return {
    n: trials.length,
    ...countEnds(trials),
    contradicted: graded.filter(({ contradicted }) => contradicted).length,
    unread: graded.filter(({ unread }) => unread).length,
    tasks: new Set(named).size,
    without_task: trials.length - named.length,
  }
}
