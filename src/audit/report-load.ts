import { err, ok, type Result } from '../domain/result.ts'
import { type GradeStore, questionOf, type ReviewStore, type StandingGrade } from '../grading/grade-ports.ts'
import type { Review } from '../schemas/review.ts'
import { BASELINE_VARIANT } from './report-baseline.ts'
import { settleReviews } from './report-reviews.ts'
import type { BaselineRun, ReportInput, TrialRow } from './report-rows.ts'
import { readStanding } from './standing-opinions.ts'
import { questionOfReview, readReviews, standingReviews } from './standing-reviews.ts'

export interface ReportFilter {
  readonly judge?: string | undefined
  readonly rubric?: string | undefined
  readonly batch?: string | undefined
  readonly agent?: string | undefined
  readonly model?: string | undefined
  readonly task?: string | undefined
  readonly variant?: string | undefined
}

/** More than one of what must be one: a trial would be counted as often as it was graded. */
export interface SeveralGraders {
  readonly judges: readonly string[]
  readonly rubrics: readonly string[]
}

interface AuditStores {
  readonly grades: GradeStore
  readonly reviews: ReviewStore
}

/** A row whose reviews are not known yet. */
interface Held {
  readonly question: string
  readonly grade_id: string
  readonly row: TrialRow
}

interface Found {
  readonly held: Map<string, Held>
  readonly baselines: Map<string, BaselineRun>
  readonly judges: Set<string>
  readonly rubrics: Set<string>
  replaced: number
}

/**
 * The trials of a report: standing grades that fit the filter, small rows of them, in one pass and then one over the reviews. Of one
 * question that a judge graded under several settings the newest counts, a failure only where there is nothing else.
 * Terminal-Bench runs are found whoever graded them, in whatever batch: what counts of them is what the harness measured.
 */
export async function loadReport(
  stores: AuditStores,
  filter: ReportFilter,
  by: { readonly judge: boolean },
): Promise<Result<ReportInput, SeveralGraders>> {
  const found: Found = { held: new Map(), baselines: new Map(), judges: new Set(), rubrics: new Set(), replaced: 0 }
  const { variant, ...query } = filter
  for await (const standing of readStanding(stores.grades, given(query))) take(found, standing, variant)
  const several = severalIn(found, by)
  if (several !== null) return err(several)
  const { agent, model, task } = filter
  if (needsBaselines(found, filter))
    for await (const standing of readStanding(stores.grades, given({ agent, model, task })))
      if (isBaseline(standing)) takeBaseline(found, standing)
  const { trials, notes } = await addReviews(stores.reviews, [...found.held.values()])
  const [rubric = null] = found.rubrics
  return ok({
    trials,
    baselines: [...found.baselines.values()],
    rubric,
    notes: [...loadNotes(found), ...notes],
  })
}

/** Without what is undefined: the store takes a name that is there for a filter. */
const given = <T extends object>(query: T) =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>
  }

function take(found: Found, standing: StandingGrade, variant: string | undefined): void {
  const { grade } = standing
  if (isBaseline(standing) && variant !== BASELINE_VARIANT) {
    takeBaseline(found, standing)
    return
  }
  const row = rowOf(standing)
  if (variant !== undefined && row.variant !== variant) return
  found.judges.add(grade.receipt.judge)
  found.rubrics.add(grade.receipt.rubric)
  const question = questionOf(grade)
  const key = `${question}/${grade.receipt.judge}`
  const held = found.held.get(key)
  if (held !== undefined) found.replaced++
  if (held === undefined || (held.row.status === 'failed' && row.status !== 'failed'))
    found.held.set(key, { question, grade_id: grade.id, row })
}

const isBaseline = ({ grade }: StandingGrade): boolean => grade.metadata.variant === BASELINE_VARIANT

function takeBaseline({ baselines }: Found, standing: StandingGrade): void {
  const question = questionOf(standing.grade)
  if (baselines.has(question)) return
  const { agent, model, task, run_index, resolved } = rowOf(standing)
  baselines.set(question, { agent, model, task, run_index, resolved })
}

function severalIn({ judges, rubrics }: Found, by: { readonly judge: boolean }): SeveralGraders | null {
  if (rubrics.size <= 1 && (judges.size <= 1 || by.judge)) return null
  return { judges: [...judges].sort(), rubrics: [...rubrics].sort() }
}

/** The first pass has seen only what fits the filter. */
const needsBaselines = ({ held }: Found, { judge, rubric, batch }: ReportFilter): boolean =>
  [judge, rubric, batch].some((one) => one !== undefined) &&
  [...held.values()].some(({ row }) => row.terminal_bench_resolved === null)

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const flagOf = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null)

function rowOf({ grade, signals }: StandingGrade): TrialRow {
  const metadata: Readonly<Record<string, unknown>> = grade.metadata
  const { run_index } = grade.metadata
  return {
    judge: grade.receipt.judge,
    agent: textOf(metadata['agent']),
    model: textOf(metadata['model']),
    variant: textOf(metadata['variant']),
    domain: textOf(metadata['domain']),
    task: textOf(metadata['task']),
    run_index: run_index ?? null,
    status: grade.status,
    label: grade.label,
    surface: grade.label !== null && grade.surface?.observed ? grade.surface.category : null,
    confidence: grade.confidence.reported,
    appeared: signals.appeared ?? null,
    executed: signals.executed ?? null,
    resolved: signals.resolved ?? null,
    terminal_bench_resolved: flagOf(metadata['terminal_bench_resolved']),
    review: null,
  }
}

async function addReviews(store: ReviewStore, held: readonly Held[]) {
  const byQuestion = new Map<string, Review[]>(held.map(({ question }) => [question, []]))
  for await (const review of readReviews(store, {})) byQuestion.get(questionOfReview(review))?.push(review)
  let unsettled = 0
  const trials = held.map(({ question, grade_id, row }): TrialRow => {
    const all = byQuestion.get(question) ?? []
    const settled = settleReviews(standingReviews(all), grade_id, all)
    if (settled.review === null && settled.reason === 'unsettled') unsettled++
    return { ...row, review: settled.review }
  })
  const notes =
    unsettled > 0
      ? [`the reviews of ${unsettled} trials have no label that more than half of the raters share: they are not used`]
      : []
  return { trials, notes }
}

function loadNotes({ held, replaced }: Found): string[] {
  const truths = new Map<string, Set<string>>()
  for (const { question } of held.values()) {
    const [trajectory = '', truth = ''] = question.split('/')
    truths.set(trajectory, (truths.get(trajectory) ?? new Set()).add(truth))
  }
  const doubled = [...truths.values()].filter(({ size }) => size > 1).length
  return [
    ...(replaced > 0 ? [`${replaced} older grades of the same question by the same judge are left out`] : []),
    ...(doubled > 0 ? [`${doubled} trajectories are stored with several ground truths: each counts as a trial`] : []),
  ]
}
