import { claimsOfReview } from '../domain/rubric/claim-values.ts'
import { type CsvValue, csvCells } from '../domain/text/csv.ts'
import type { Disagreement } from '../schemas/audit/disagreement.ts'
import type { Review } from '../schemas/audit/review.ts'

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
