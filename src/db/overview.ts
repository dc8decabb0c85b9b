import { sql as raw } from 'kysely'
import { type GradeOverview, NAMED_BY, type NamedBy } from '../schemas/views.ts'
import { GRADE_STATUSES, type GradeStatus, LABELS, type Label } from '../schemas/vocabulary.ts'
import { all, columns, type Db, lit } from './db.ts'
import { columnOf, FILTERS, type GradeFilter, selectGrades } from './grades.ts'

/** More grades than this are not looked at, and more names not listed: a page must not hold up the database. */
const MOST_COUNTED = 20_000
const MOST_NAMES = 200

/** A number of grades with a status and a label; `fits`: 1 where they fit all filters. */
interface CountRow {
  readonly status: GradeStatus
  readonly label: Label | null
  readonly fits: number
  readonly n: number
}

export const createOverview = (db: Db) => ({
  /** Counts, of the newest `most` grades that fit the most selective filter, those that fit the other filters too. */
  async read(query: GradeFilter, most = MOST_COUNTED): Promise<GradeOverview> {
    const [first, ...rest] = FILTERS.filter((name) => query[name] !== undefined)
    const one = { ...(first !== undefined && { [first]: query[first] }), limit: most }
    const walked = selectGrades(db, [...FILTERS, 'rubric_id'].join(', '), one)
    const compared = rest.map((name) => raw`${columns([columnOf(name, query)])} = ${query[name]}`)
    const rows = await all<CountRow>(db.read)`SELECT status, label, fits, count(*) AS n FROM (
        SELECT status, label, CASE WHEN ${raw.join([raw`1 = 1`, ...compared], raw` AND `)} THEN 1 ELSE 0 END AS fits
        FROM (${walked}) AS walked
      ) AS listed GROUP BY status, label, fits`
    const fitting = rows.filter(({ fits }) => fits === 1)
    const sum = (some: readonly CountRow[]): number => some.reduce((total, { n }) => total + n, 0)
    const counted = (column: 'status' | 'label', words: readonly string[]) =>
      Object.fromEntries(words.map((word) => [word, sum(fitting.filter((row) => row[column] === word))]))
    const others = fitting.flatMap(({ label }) => label ?? []).sort()
    const names = await Promise.all(NAMED_BY.map(async (name) => [name, await namesOf(db, name)] as const))
    return {
      total: sum(fitting),
      complete: sum(rows) < most,
      statuses: counted('status', GRADE_STATUSES) as GradeOverview['statuses'],
      labels: counted('label', [...LABELS, ...others]) as GradeOverview['labels'],
      names: Object.fromEntries(names) as GradeOverview['names'],
    }
  },
})

/** Finds the names of one column, each by one step in its index: a walk over all grades would take as long as the table is. */
async function namesOf(db: Db, column: NamedBy): Promise<string[]> {
  const name = columns([column])
  const rows = await all<{ readonly name: string }>(db.read)`
    WITH RECURSIVE found (name, n) AS (
      SELECT MIN(${name}), 1 FROM grades WHERE ${name} IS NOT NULL
      UNION ALL
      SELECT (SELECT MIN(${name}) FROM grades WHERE ${name} > found.name), found.n + 1
      FROM found WHERE found.name IS NOT NULL AND found.n < ${lit(MOST_NAMES)}
    )
    SELECT name FROM found WHERE name IS NOT NULL`
  return rows.map((row) => row.name)
}
