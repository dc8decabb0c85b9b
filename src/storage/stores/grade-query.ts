import { isOwnBatch } from '../../ports/batch-ports.ts'
import { meansAllVersions } from '../../ports/fits-names.ts'
import type { GradeFilter, GradeQuery } from '../../ports/grade-ports.ts'
import { createValues, type Statement } from '../statements.ts'

/**
 * What lists can be filtered by, from the most selective to the least. SQLite has no statistics of its own here and
 * would choose among several filters by chance, so that one rare task could mean a walk over every `graded` row.
 */
export const FILTERS = ['batch', 'task', 'model', 'agent', 'rubric', 'judge', 'label', 'status'] as const

/** What a filter is compared with: a rubric without its version means all of them, as the index `grades_by_rubric_id` has them. */
export const columnOf = (name: (typeof FILTERS)[number], query: GradeFilter, table = ''): string =>
  name === 'rubric' && meansAllVersions(query.rubric) ? `split_part(${table}rubric, '@', 1)` : `${table}${name}`

/**
 * The statement for a query, newest first (ids sort by age). One filter uses its index `(column, id)`, which has the
 * order too; SQLite may use that of no other. Column names come from the closed list above; values are bound.
 */
export function renderList(isShared: boolean, query: GradeQuery, columns: string, more = ''): Statement {
  const { values, mark } = createValues()
  const { batch } = query
  const items = isOwnBatch(batch) ? (isShared ? itemsJoined : itemsWalked)(mark(batch)) : null
  const given = FILTERS.filter((name) => query[name] !== undefined && !(items !== null && name === 'batch'))
  const compared = given.map((name, index) => {
    const column = columnOf(name, query, 'grades.')
    return `${index === 0 && items === null ? '' : '/*+*/ '}${column} = ${mark(query[name])}`
  })
  const id = items === null ? 'grades.id' : 'item.grade_id'
  const terms = [...(items?.terms ?? []), ...compared]
  if (query.before !== undefined) terms.push(`${id} < ${mark(query.before)}`)
  if (more !== '') terms.push(more)
  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')}` : ''
  const text = `SELECT ${columns} FROM ${items?.from ?? 'grades'} ${where} ${items?.group ?? ''}
    ORDER BY ${id} DESC LIMIT ${mark(query.limit)}`
  return [text, values]
}

/** The grades of a batch’s items, those that another batch has paid for among them; a grade of several items once. */
const itemsJoined = (batch: string) => ({
  from: `(SELECT DISTINCT grade_id FROM batch_items
      WHERE batch = (SELECT seq FROM batches WHERE id = ${batch}) AND grade_id IS NOT NULL) AS item
    JOIN grades ON grades.id = item.grade_id`,
  terms: [],
  group: '',
})

/** In SQLite, CROSS JOIN: the items’ index gives the order, in which groups need no sorting, and the grades are looked up. */
const itemsWalked = (batch: string) => ({
  from: 'batch_items AS item CROSS JOIN grades ON grades.id = item.grade_id',
  terms: [`item.batch = (SELECT seq FROM batches WHERE id = ${batch})`, 'item.grade_id IS NOT NULL'],
  group: 'GROUP BY item.grade_id',
})

/** With what the harness measured; a key without any good grade is stood for by its newest failure. */
export const STANDING_COLUMNS = 'grades.body, grades.signals AS signals'
export const STANDS = `grades.silent = 0 AND CASE grades.status
    WHEN 'failed' THEN NOT EXISTS (SELECT 1 FROM current_grades AS c WHERE c.key = grades.key)
      AND NOT EXISTS (SELECT 1 FROM grades AS later
        WHERE later.key = grades.key AND later.id > grades.id AND (later.status = 'failed' OR later.silent = 1))
    ELSE EXISTS (SELECT 1 FROM current_grades AS c WHERE c.key = grades.key AND c.grade_id = grades.id) END`

/** What `grades_by_question` has of a question: the first 16 digits of its trajectory’s digest and the first 8 of its ground truth’s. */
const shortOf = (question: string): string => `substr(${question}, 8, 16) || substr(${question}, 80, 8)`

export const OF_QUESTION = `
  SELECT ${STANDING_COLUMNS} FROM grades WHERE ${shortOf('question')} = ${shortOf('$1')} AND question = $1 AND ${STANDS}
  ORDER BY id DESC`
