import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import { ratesOf, tally } from '../../domain/statistics/clustered-rates.ts'
import type { JudgeEvidence, Rate } from '../../schemas/audit/report.ts'
import { CITATION_STATUSES, GRADE_STATUSES } from '../../schemas/vocabulary.ts'
import { clusterOfTask, type TrialRow } from './report-rows.ts'

/** How the grades of one judge ended, and what checking their citations came to. Citations of one task are no independent ones. */
export function judgeEvidence(judge: string, trials: readonly TrialRow[], settings: BootstrapSettings): JudgeEvidence {
  const grades = trials.map(({ task, run, status }) => ({ task, run, status }))
  const citations = trials.flatMap(({ task, run, citations: own }) => own.map((status) => ({ task, run, status })))
  return {
    judge,
    grades: byStatus(
      GRADE_STATUSES,
      grades.filter(({ status }) => status !== 'cancelled'),
      settings,
    ),
    citations: byStatus(CITATION_STATUSES, citations, settings),
  }
}

function byStatus<S extends string>(
  statuses: readonly S[],
  rows: readonly { readonly task: string | null; readonly run: string; readonly status: string }[],
  settings: BootstrapSettings,
): Record<S, Rate> {
  const outcomes = statuses.map(
    (status) =>
      (row: (typeof rows)[number]): boolean =>
        row.status === status,
  )
  const rates = ratesOf(tally(rows, clusterOfTask, outcomes), settings)
  return Object.fromEntries(statuses.map((status, index) => [status, rates[index]])) as Record<S, Rate>
}
