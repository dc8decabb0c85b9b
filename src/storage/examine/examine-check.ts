import type Database from 'better-sqlite3'
import type { ExamineOptions, Finding, Severity } from '../../ports/upkeep-ports.ts'

export interface Examined {
  readonly db: Database.Database
  readonly options: ExamineOptions
  /** How many migrations the file has. */
  readonly applied: number
  /** Ids of the processes that use the file now. */
  readonly living: ReadonlySet<string>
}

/** One look. It reads and says; it changes nothing. */
export interface Check {
  readonly name: string
  /** The migration that made what it looks at. */
  readonly since: number
  look(examined: Examined): Iterable<Finding> | AsyncIterable<Finding>
}

type Rest = Partial<Pick<Finding, 'means' | 'advice' | 'ids'>>

const finding =
  (severity: Severity) =>
  (check: string, found: string, { means = null, advice = null, ids = [] }: Rest = {}): Finding => ({
    check,
    severity,
    found,
    means,
    advice,
    ids,
  })

export const ok = finding('ok')
export const note = finding('note')
export const warning = finding('warning')
export const error = finding('error')

/** So many ids are named. */
export const MOST_IDS = 5

interface CountedIds {
  readonly n: number
  readonly ids: readonly string[]
}

/** Named values of a query. */
type Values = Readonly<Record<string, string>>

/** How many rows the query gives, and the ids of the first: one walk, bounded memory. `sql` selects an `id`. */
export function countIds(db: Database.Database, sql: string, values: Values = {}): CountedIds {
  const n = db.prepare(`SELECT count(*) FROM (${sql})`).pluck().get(values) as number
  if (n === 0) return { n, ids: [] }
  const ids = db.prepare(`SELECT id FROM (${sql}) LIMIT ${MOST_IDS}`).pluck().all(values) as unknown[]
  return { n, ids: ids.filter((id) => typeof id === 'string') }
}

/** Dollars as they stand in the ledger, to a hundredth of a cent. */
export const dollars = (usd: number | null): string => `$${(usd ?? 0).toFixed(4)}`

/** The value of `@living` in `OF_THE_DEAD`. */
export const livingValue = ({ living }: Examined): { readonly living: string } => ({
  living: JSON.stringify([...living]),
})

/** What no living process holds. What was held before there were processes is held by none. */
export const ofTheDead = ({ applied }: Pick<Examined, 'applied'>): string =>
  applied < 3 ? '1' : '(process IS NULL OR process NOT IN (SELECT value FROM json_each(@living)))'

const MIB = 1024 * 1024
export const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(bytes < 10 * MIB ? 1 : 0)} MiB`
