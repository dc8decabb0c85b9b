import { claimsOfReview } from '../domain/rubric/claim-values.ts'
import { type CsvValue, csvCells } from '../domain/text/escape.ts'
import {
  ALIGNMENT_FIGURES,
  type Corrected,
  type JudgeQuality,
  type PairedReport,
  type Report,
  type ReportGroup,
} from '../schemas/report.ts'
import type { Disagreement, Review } from '../schemas/review.ts'

/** Writes a row, its line end included. */
export const csvRow = (values: readonly CsvValue[]): string => `${csvCells(values)}\r\n`

/** A column with the name of its member, or with the function of its cells. */
type Column<T> = (keyof T & string) | readonly [name: string, cell: (record: T) => CsvValue]

/** Defines a table by its columns. */
const tableOf = <T>(...columns: readonly Column<T>[]) => ({
  columns: columns.map((column) => (typeof column === 'string' ? column : column[0])),
  toRow: (record: T): readonly CsvValue[] =>
    columns.map((column) => (typeof column === 'string' ? (record[column] as CsvValue) : column[1](record))),
})

/** The table of disagreements, with a row for each question. */
export const DISAGREEMENTS = tableOf<Disagreement>(
  ...(['trajectory', 'ground_truth', 'agent', 'model', 'task', 'score', 'kinds'] as const),
  ['why', ({ why }) => why.join(' ')],
  [
    'grades',
    ({ grades }) =>
      grades.map(({ grade_id, judge, rubric, status, label }) => `${grade_id} ${judge}@${rubric} ${label ?? status}`),
  ],
  ['appeared', ({ signals }) => signals?.appeared],
  ['executed', ({ signals }) => signals?.executed],
  ['resolved', ({ signals }) => signals?.resolved],
  ['reviews', ({ reviews }) => reviews.map(({ rater, label }) => `${rater}: ${label ?? 'cannot be told'}`)],
  'settled',
  'rubric',
  [
    'claims',
    ({ claims }) =>
      claims.map(({ claim, said }) => `${claim}: ${said.map(({ by, value }) => `${by} ${tell(value)}`).join(', ')}`),
  ],
)

const tell = (value: unknown): string =>
  value === null ? 'unclear' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/** The table of reviews. The claims of `tab-behavior` have their own columns; the claims of every rubric stand in the last, as `id=value`. */
export const REVIEWS = tableOf<Review>(
  ...(['id', 'grade_id', 'trajectory', 'ground_truth', 'rater', 'label'] as const),
  ['observed', (review) => booleanClaim(review, 'surface.observed')],
  ['cue_acted', (review) => booleanClaim(review, 'cue.acted')],
  ['distractor_acted', (review) => booleanClaim(review, 'distractor.acted')],
  'comment',
  'blind',
  ['sampling', (review) => review.sampling?.design],
  ['probability', (review) => review.sampling?.probability],
  'grade_label',
  'created_at',
  'rubric',
  ['outcome', (review) => review.outcome ?? review.label],
  ['claims', (review) => Object.entries(claimsOfReview(review)).map(([id, value]) => `${id}=${tell(value)}`)],
)

function booleanClaim(review: Review, id: string): boolean | null {
  const value: unknown = claimsOfReview(review)[id]
  return typeof value === 'boolean' ? value : null
}

export const REPORT_COLUMNS = [
  'section',
  'group_by',
  'key',
  'measure',
  'value',
  'ci95_low',
  'ci95_high',
  'k',
  'n',
  'unknown',
  'method',
  'reason',
] as const

type Cell = string | number | null
type ReportRow = readonly Cell[]

/** The columns that all figures of a section share. */
type Place = readonly [section: string, groupBy: string, key: string | null]

/** Converts the report to a table with a row per figure; the notes are its last rows, so that none is lost. */
export function reportTable(report: Report): ReportRow[] {
  const { group_by, overall, groups, paired } = report
  return [
    ...(overall === null ? [] : groupRows(['overall', 'none', null], overall)),
    ...groups.flatMap((group) => groupRows(['group', group_by, group.key], group)),
    ...(paired === null ? [] : pairedRows(paired)),
    ...report.judge_quality.flatMap(qualityRows),
    ...report.evidence.flatMap(({ judge, ...shares }) => rowsOf(['evidence', 'judge', judge], '', shares)),
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
    ...rowsOf(place, 'share', group.shares),
    ...rowsOf(place, 'confidence', group.levels),
    ...rowsOf(place, 'mean', group.mean),
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
  return [
    ...Object.entries(shares).flatMap(([label, share]) =>
      rowsOf(place, `${name}.${label}`, { ...share, n, method, reason }),
    ),
    ...rowsOf(place, `${name}.reviews_to_halve`, { value: reviews_to_halve, n }),
    ...remarks(place, `${name}.warning`, corrected.warnings),
  ]
}

function pairedRows({ pair_by, base, head, pairs, unpaired, measures, alignment }: PairedReport): ReportRow[] {
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

function qualityRows(quality: JudgeQuality): ReportRow[] {
  const place: Place = ['judge_quality', 'judge', quality.judge]
  const { forecasts: n, reason } = quality
  return [
    ...rowsOf(place, 'accuracy', quality.accuracy),
    ...quality.labels.flatMap(({ label, n_human, n_judge, n_both: k, precision, recall, f1 }) => [
      ...rowsOf(place, `precision.${label}`, { value: precision, k, n: n_judge }),
      ...rowsOf(place, `recall.${label}`, { value: recall, k, n: n_human }),
      ...rowsOf(place, `f1.${label}`, { value: f1 }),
    ]),
    ...quality.calibration.flatMap(({ level, ...one }) => rowsOf(place, `calibration.${level}`, one)),
    ...rowsOf(place, 'ece', { value: quality.ece, n, reason }),
    ...rowsOf(place, 'brier', { value: quality.brier, n, reason }),
    ...remarks(place, 'warning', quality.warnings),
  ]
}
