import type { GradeFilter, GradeOverviewReader } from '../../ports/grade-ports.ts'
import { type GradeOverview, NAMED_BY, type NamedBy } from '../../schemas/audit/grade-overview.ts'
import { GRADE_STATUSES, type GradeStatus, LABELS, type Label } from '../../schemas/vocabulary.ts'
import type { Db } from '../db.ts'
import type { Statement } from '../statements.ts'
import { columnOf, FILTERS, renderList } from './grade-query.ts'

/** More grades than this are not looked at, and more names not listed: a page must not hold up the database. */
const MOST_COUNTED = 20_000
const MOST_NAMES = 200

/** As many of a status and a label; whether they fit all filters. */
interface CountRow {
  readonly status: GradeStatus
  readonly label: Label | null
  readonly fits: number
  readonly n: number
}

/** The columns that filters compare. */
const COUNTED_COLUMNS = FILTERS.map((name) => `grades.${name} AS ${name}`).join(', ')

/** One filter’s index is walked, and the others are compared afterwards: what is looked at has a bound whatever fits. */
function renderCount(isShared: boolean, query: GradeFilter, limit: number): Statement {
  const [first, ...rest] = FILTERS.filter((name) => query[name] !== undefined)
  const walked = { ...(first !== undefined && { [first]: query[first] }), limit }
  const [list, values] = renderList(isShared, walked, COUNTED_COLUMNS)
  const compared = rest.map((name) => `${columnOf(name, query)} = $${values.push(query[name])}`)
  const text = `
    SELECT status, label, CASE WHEN ${['1 = 1', ...compared].join(' AND ')} THEN 1 ELSE 0 END AS fits, count(*) AS n
    FROM (${list}) AS listed GROUP BY status, label, fits`
  return [text, values]
}

/**
 * The names of one column, each found by one step in its index: a walk over all grades would take as long as there are grades.
 * The column’s name comes from a closed list.
 */
export const renderNamesSql = (column: NamedBy): string => `
  WITH RECURSIVE found (name, n) AS (
    SELECT MIN(${column}), 1 FROM grades WHERE ${column} IS NOT NULL
    UNION ALL
    SELECT (SELECT MIN(${column}) FROM grades WHERE ${column} > found.name), found.n + 1
    FROM found WHERE found.name IS NOT NULL AND found.n < ${MOST_NAMES}
  )
  SELECT name FROM found WHERE name IS NOT NULL`

function toOverview(rows: readonly CountRow[], names: GradeOverview['names'], most: number): GradeOverview {
  const sum = (wanted: (row: CountRow) => boolean) => rows.reduce((total, row) => total + (wanted(row) ? row.n : 0), 0)
  const counted = <K extends string>(words: readonly K[], of: (row: CountRow) => string | null) =>
    Object.fromEntries(words.map((word) => [word, sum((row) => row.fits === 1 && of(row) === word)])) as Record<
      K,
      number
    >
  const others = rows.flatMap(({ label, fits }) => (label === null || fits === 0 ? [] : [label])).sort()
  return {
    total: sum(({ fits }) => fits === 1),
    complete: sum(() => true) < most,
    statuses: counted(GRADE_STATUSES, ({ status }) => status),
    labels: counted<string>([...LABELS, ...others], ({ label }) => label) as GradeOverview['labels'],
    names,
  }
}

export function createGradeOverview(db: Db): GradeOverviewReader {
  const namesOf = async (column: NamedBy) =>
    [column, (await db.rows<{ readonly name: string }>(renderNamesSql(column))).map(({ name }) => name)] as const
  return {
    async read(query, most = MOST_COUNTED) {
      const rows = await db.rows<CountRow>(...renderCount(db.isShared, query, most))
      const names = Object.fromEntries(await Promise.all(NAMED_BY.map(namesOf)))
      return toOverview(rows, names as GradeOverview['names'], most)
    },
  }
}
