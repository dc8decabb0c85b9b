import { claimsOfReview } from '../domain/rubric/claims.ts'
import { type CsvValue, csvCells } from '../domain/text/escape.ts'
import type { Corrected, JudgeQuality, Rate, Report, ReportGroup } from '../schemas/report.ts'
import { ALIGNMENT_FIGURES } from '../schemas/report.ts'
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
    ...(overall === null ? [] : rowsOf(['overall', 'none', null], '', groupFigures(overall))),
    ...groups.flatMap((group) => rowsOf(['group', group_by, group.key], '', groupFigures(group))),
    ...(paired === null ? [] : pairedRows(paired)),
    ...report.judge_quality.flatMap((one) => rowsOf(['judge_quality', 'judge', one.judge], '', qualityFigures(one))),
    ...report.evidence.flatMap(({ judge, ...shares }) => rowsOf(['evidence', 'judge', judge], '', shares)),
    ...report.evidence_agreement.flatMap(({ raters, ...counts }) =>
      rowsOf(['evidence_agreement', 'judge', raters.join(' ~ ')], '', counts),
    ),
    ...rowsOf(['note', group_by, null], 'note', report.notes),
  ]
}

interface Figure extends Partial<Omit<Rate, 'value' | 'reason'>> {
  readonly value: number | null
  readonly method?: string | null
  readonly reason?: string | null
}

/** A count, a figure, remarks, or figures by name; null and undefined have no row. Names in pairs may repeat: a label may be called `warning`. */
type Figures = number | null | undefined | Figure | { readonly [name: string]: Figures } | readonly (string | Named)[]
type Named = readonly [name: string, figures: Figures]

/** A label or a claim may be called `value`, too. */
const isFigure = (figures: object): figures is Figure =>
  'value' in figures && (figures.value === null || typeof figures.value === 'number')

/** Makes a row of each figure and remark; the names on the way to a figure are its measure. */
function rowsOf(place: Place, measure: string, figures: Figures): ReportRow[] {
  if (figures === null || figures === undefined) return []
  if (typeof figures === 'number') return rowsOf(place, measure, { value: figures })
  if (Array.isArray(figures))
    return (figures as readonly (string | Named)[]).flatMap((one) => {
      if (typeof one === 'string') return rowsOf(place, measure, { value: null, reason: one })
      return rowsOf(place, measure === '' ? one[0] : `${measure}.${one[0]}`, one[1])
    })
  if (!isFigure(figures)) return rowsOf(place, measure, Object.entries(figures))
  const { value, ci95, k = null, n = null, unknown = null, method = null, reason = null } = figures
  return [[...place, measure, value, ci95?.[0] ?? null, ci95?.[1] ?? null, k, n, unknown, method, reason]]
}

function groupFigures({ counts: { failures, ...counts }, ...group }: ReportGroup): Named[] {
  return [
    ['count', counts],
    ['count.failed', failures],
    ['share', group.shares],
    ['confidence', group.levels],
    ['mean', group.mean],
    ...ALIGNMENT_FIGURES.map((name): Named => [name, group[name]]),
    ['corrected', correctedFigures(group.corrected)],
    ...Object.entries(group.claims).flatMap(([id, { shares, mean, corrected }]): Named[] => [
      [`claim.${id}`, shares],
      [`claim.${id}.mean`, mean],
      [`corrected.claim.${id}`, corrected && correctedFigures(corrected)],
    ]),
  ]
}

const correctedFigures = ({ shares, estimator: method, reason, n_reviews: n, ...one }: Corrected): Named[] => [
  ...Object.entries(shares).map(([label, share]): Named => [label, { ...share, n, method, reason }]),
  ['reviews_to_halve', { value: one.reviews_to_halve, n }],
  ['warning', one.warnings],
]

function pairedRows({ pair_by, base, head, pairs, unpaired, measures, alignment }: NonNullable<Report['paired']>) {
  const figures = measures.map(({ measure, pairs: n, unknown, mcnemar_p, ...one }): Named => {
    const { base_rate, head_rate, difference, discordant } = one
    const compared = { base: base_rate, head: head_rate, difference: { ...difference, n, unknown } }
    return [measure, { ...compared, mcnemar_p: { value: mcnemar_p, n }, ...discordant }]
  })
  const all: Named[] = [['count', { pairs, ...unpaired }], ...figures, ...Object.entries(alignment ?? {})]
  return rowsOf(['paired', pair_by, `${base} → ${head}`], '', all)
}

function qualityFigures({ accuracy, labels, calibration, ece, brier, ...quality }: JudgeQuality): Named[] {
  const { forecasts: n, reason, base_rate, constant_guess } = quality
  return [
    ['accuracy', accuracy],
    [`base_rate.${base_rate?.label}`, base_rate?.share],
    [`constant_guess.${constant_guess?.label}`, constant_guess?.agreement],
    ...labels.flatMap(({ label, n_human, n_judge, n_both: k, precision, recall, f1 }): Named[] => [
      [`precision.${label}`, { value: precision, k, n: n_judge }],
      [`recall.${label}`, { value: recall, k, n: n_human }],
      [`f1.${label}`, { value: f1 }],
    ]),
    ...calibration.map(({ level, ...one }): Named => [`calibration.${level}`, one]),
    ['ece', { value: ece, n, reason }],
    ['brier', { value: brier, n, reason }],
    ['warning', quality.warnings],
  ]
}
