import type { GradeQuery } from '../grading/ports.ts'

/**
 * * What lists can be filtered by, from the most selective to the least. SQLite has no statistics of its own here and
 * would choose among several filters by chance, so that one rare task could mean a walk over every `graded` row.
 */
export const FILTERS = ['batch', 'task', 'model', 'agent', 'rubric', 'judge', 'label', 'status'] as const

/**
 * * The statement for a query, newest first (ids sort by age). One filter uses its index `(column, id)`, which has the
 * order too; the others stand behind a unary plus, which keeps SQLite from using theirs. Column names come from the
 * closed list above; values are bound.
 */
export function renderListSql(query: GradeQuery): string {
  const given = FILTERS.filter((name) => query[name] !== undefined)
  const terms = given.map((name, index) => (index === 0 ? `${name} = @${name}` : `+${name} = @${name}`))
  if (query.before !== undefined) terms.push('id < @before')
  const where = terms.length > 0 ? `WHERE ${terms.join(' AND ')} ` : ''
  return `SELECT body FROM grades ${where}ORDER BY id DESC LIMIT @limit`
}
