import { claimsOfReview } from '../domain/rubric/claim-values.ts'
import type { Disagreement } from '../schemas/audit/disagreement.ts'
import type { Review } from '../schemas/audit/review.ts'

/** The value of a cell. A list is joined by `; `; null and undefined are empty. */
export type CsvValue = string | number | boolean | null | undefined | readonly string[]

/** Control, bidirectional and invisible characters, and lone surrogates: a name must not steer a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Characters that begin a formula in a spreadsheet, full-width forms included. */
const FORMULA_STARTS: readonly string[] = ['=', '+', '-', '@', '＝', '＋', '－', '＠']

/**
 * Writes a row of RFC 4180, its line end included. Invisible characters are written `⟨U+001B⟩`, as in prompts, so that no cell has a line break; a text
 * that a spreadsheet would take for a formula gets a leading apostrophe; numbers stay numbers.
 */
export const csvRow = (values: readonly CsvValue[]): string => `${values.map(csvCell).join(',')}\r\n`

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = guard((typeof value === 'string' ? value : value.join('; ')).replaceAll(UNSEEN, escapeUnseen))
  return text.includes('"') || text.includes(',') ? `"${text.replaceAll('"', '""')}"` : text
}

/** Looks behind leading space, which spreadsheets ignore. */
const guard = (text: string): string => (FORMULA_STARTS.includes(text.trimStart()[0] ?? '') ? `'${text}` : text)

const escapeUnseen = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

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
