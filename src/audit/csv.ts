import { claimsOfReview } from '../domain/rubric/claim-values.ts'
import { type CsvValue, csvCells } from '../domain/text/escape.ts'
import {
  ALIGNMENT_FIGURES,
  type Corrected,
  type JudgeQuality,
  type Report,
  type ReportGroup,
} from '../schemas/report.ts'
import type { Disagreement, Review } from '../schemas/review.ts'

/** Writes a row, its line end included. */
export const csvRow = (values: readonly CsvValue[]): string => `${csvCells(values)}\r\n`

/** Defines a table by the cells of a record, by column. */
const tableOf = <T>(cells: Readonly<Record<string, (record: T) => CsvValue>>) => ({
  columns: Object.keys(cells),
  toRow: (record: T): readonly CsvValue[] => Object.values(cells).map((cell) => cell(record)),
})

/** Makes the columns of members that are cells as they are. */
const plain = <Name extends string>(...names: readonly Name[]) =>
  Object.fromEntries(names.map((name) => [name, (record: { readonly [N in Name]: CsvValue }) => record[name]]))

/** The table of disagreements, with a row for each question. */
export const DISAGREEMENTS = tableOf<Disagreement>({
  ...plain('trajectory', 'ground_truth', 'agent', 'model', 'task', 'score', 'kinds'),
  why: ({ why }) => why.join(' '),
  grades: ({ grades }) =>
    grades.map(({ grade_id, judge, rubric, status, label }) => `${grade_id} ${judge}@${rubric} ${label ?? status}`),
  appeared: ({ signals }) => signals?.appeared,
  executed: ({ signals }) => signals?.executed,
  resolved: ({ signals }) => signals?.resolved,
  reviews: ({ reviews }) => reviews.map(({ rater, label }) => `${rater}: ${label ?? 'cannot be told'}`),
  ...plain('settled', 'rubric'),
  claims: ({ claims }) =>
    claims.map(({ claim, said }) => `${claim}: ${said.map(({ by, value }) => `${by} ${tell(value)}`).join(', ')}`),
})

const tell = (value: unknown): string =>
  value === null ? 'unclear' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The table of reviews. The claims of `tab-behavior` have their own columns; the claims of every rubric stand in the last, as `id=value`. */
export const REVIEWS = tableOf<Review>({
  ...plain('id', 'grade_id', 'trajectory', 'ground_truth', 'rater', 'label'),
  observed: (review) => booleanClaim(review, 'surface.observed'),
  cue_acted: (review) => booleanClaim(review, 'cue.acted'),
  distractor_acted: (review) => booleanClaim(review, 'distractor.acted'),
  ...plain('comment', 'blind'),
  sampling: (review) => review.sampling?.design,
  probability: (review) => review.sampling?.probability,
  ...plain('grade_label', 'created_at', 'rubric'),
  outcome: (review) => review.outcome ?? review.label,
  claims: (review) => Object.entries(claimsOfReview(review)).map(([id, value]) => `${id}=${tell(value)}`),
  provenance: ({ provenance }) => provenance ?? 'human',
})

const booleanClaim = (review: Review, id: string) => claimsOfReview(review)[id] as boolean | null | undefined

export const REPORT_COLUMNS = 'section group_by key measure value ci95_low ci95_high k n unknown method reason'.split(
  ' ',
)

type ReportRow = readonly (string | number | null)[]

/** The columns that all figures of a section share. */
type Place = readonly [section: string, groupBy: string, key: string | null]

/** Converts the report to a table with a row per figure; the notes are its last rows, so that none is lost. */
export function reportTable({ group_by, overall, groups, paired, ...report }: Report): ReportRow[] {
  return [
    ...(overall === null ? [] : groupRows(['overall', 'none', null], overall)),
    ...groups.flatMap((group) => groupRows(['group', group_by, group.key], group)),
    ...(paired === null ? [] : pairedRows(paired)),
    ...report.judge_quality.flatMap(qualityRows),
    ...report.evidence.flatMap(({ judge, ...shares }) => rowsOf(['evidence', 'judge', judge], '', shares)),
    ...report.evidence_agreement.flatMap(({ raters, ...counts }) =>
      rowsOf(['evidence_agreement', 'judge', raters.join(' ~ ')], '', counts),
    ),
    ...remarks(['note', group_by, null], 'note', report.notes),
  ]
}

interface Figure {
  readonly value: number | null
  readonly ci95?: readonly number[] | null
  readonly k?: number
  readonly n?: number
  readonly unknown?: number
  readonly method?: string | null
  readonly reason?: string | null
}

/** A count, a figure, or figures by name; null and undefined have no row. */
type Figures = number | null | undefined | Figure | { readonly [name: string]: Figures }

/** A label or a claim may be called `value`, too. */
const isFigure = (figures: object): figures is Figure =>
  'value' in figures && (figures.value === null || typeof figures.value === 'number')

/** Makes a row of each figure; the names on the way to a figure are its measure. */
function rowsOf(place: Place, measure: string, figures: Figures): ReportRow[] {
  if (figures === null || figures === undefined) return []
  if (typeof figures === 'number') return rowsOf(place, measure, { value: figures })
  if (!isFigure(figures))
    return Object.entries(figures).flatMap(([name, own]) =>
      rowsOf(place, measure === '' ? name : `${measure}.${name}`, own),
    )
  const { value, ci95, k = null, n = null, unknown = null, method = null, reason = null } = figures
  return [[...place, measure, value, ci95?.[0] ?? null, ci95?.[1] ?? null, k, n, unknown, method, reason]]
}

/** Makes a row of each remark on the figures. */
const remarks = (place: Place, measure: string, texts: readonly string[]): ReportRow[] =>
  texts.flatMap((reason) => rowsOf(place, measure, { value: null, reason }))

function groupRows(place: Place, group: ReportGroup): ReportRow[] {
  const { failures, ...counts } = group.counts
  return [
    ...rowsOf(place, 'count', counts),
    ...rowsOf(place, 'count.failed', failures),
    ...rowsOf(place, '', { share: group.shares, confidence: group.levels, mean: group.mean }),
    ...ALIGNMENT_FIGURES.flatMap((name) => rowsOf(place, name, group[name])),
    ...correctedRows(place, 'corrected', group.corrected),
    ...Object.entries(group.claims).flatMap(([id, { shares, mean, corrected }]) => [
      ...rowsOf(place, `claim.${id}`, shares),
      ...rowsOf(place, `claim.${id}.mean`, mean),
      ...(corrected === null ? [] : correctedRows(place, `corrected.claim.${id}`, corrected)),
    ]),
  ]
}

function correctedRows(place: Place, name: string, corrected: Corrected): ReportRow[] {
  const { shares, estimator: method, reason, n_reviews: n, reviews_to_halve } = corrected
  const rows = Object.entries(shares).flatMap(([label, share]) =>
    rowsOf(place, `${name}.${label}`, { ...share, n, method, reason }),
  )
  const toHalve = rowsOf(place, `${name}.reviews_to_halve`, { value: reviews_to_halve, n })
  return [...rows, ...toHalve, ...remarks(place, `${name}.warning`, corrected.warnings)]
}

function pairedRows({ pair_by, base, head, pairs, unpaired, measures, alignment }: NonNullable<Report['paired']>) {
  const place: Place = ['paired', pair_by, `${base} → ${head}`]
  return [
    ...rowsOf(place, 'count', { pairs, ...unpaired }),
    ...measures.flatMap(({ measure, pairs: n, unknown, mcnemar_p, ...one }) =>
      rowsOf(place, measure, {
        base: one.base_rate,
        head: one.head_rate,
        difference: { ...one.difference, n, unknown },
        mcnemar_p: { value: mcnemar_p, n },
        ...one.discordant,
      }),
    ),
    ...rowsOf(place, '', alignment),
  ]
}

function qualityRows({ judge, accuracy, labels, calibration, ece, brier, ...quality }: JudgeQuality): ReportRow[] {
  const place: Place = ['judge_quality', 'judge', judge]
  const { forecasts: n, reason, base_rate, constant_guess } = quality
  return [
    ...rowsOf(place, 'accuracy', accuracy),
    ...rowsOf(place, `base_rate.${base_rate?.label}`, base_rate?.share),
    ...rowsOf(place, `constant_guess.${constant_guess?.label}`, constant_guess?.agreement),
    ...labels.flatMap(({ label, n_human, n_judge, n_both: k, precision, recall, f1 }) => [
      ...rowsOf(place, `precision.${label}`, { value: precision, k, n: n_judge }),
      ...rowsOf(place, `recall.${label}`, { value: recall, k, n: n_human }),
      ...rowsOf(place, `f1.${label}`, { value: f1 }),
    ]),
    ...calibration.flatMap(({ level, ...one }) => rowsOf(place, `calibration.${level}`, one)),
    ...rowsOf(place, 'ece', { value: ece, n, reason }),
    ...rowsOf(place, 'brier', { value: brier, n, reason }),
    ...remarks(place, 'warning', quality.warnings),
  ]
}
