import { MOVED, NOT_MOVED } from './moved-tables.ts'

/**
 * Tables and columns of a catalogue of which it is not said what becomes of them, and those that were said to be there and are not, as
 * `table` or `table.column`: a move that knows them not would lose them.
 */
export function findUndescribed(
  side: 'sqlite' | 'postgres',
  catalogue: ReadonlyMap<string, readonly string[]>,
): string[] {
  const known = new Map(MOVED.map((table) => [table.name, new Set(columnsOn(side, table))]))
  const left: ReadonlySet<string> = new Set(NOT_MOVED[side])
  const found: string[] = []
  for (const [name, columns] of catalogue) {
    const described = known.get(name)
    if (described === undefined && !left.has(name)) found.push(name)
    if (described !== undefined)
      found.push(...columns.filter((c) => c !== 'rowid' && !described.has(c)).map((c) => `${name}.${c}`))
  }
  for (const [name, described] of known) {
    const columns = new Set(catalogue.get(name) ?? [])
    found.push(...[...described].filter((column) => !columns.has(column)).map((column) => `${name}.${column}`))
  }
  return found
}

/** The order of writing is no column that is described in SQLite: it comes over as `seq`, or another column gives it. */
const columnsOn = (side: 'sqlite' | 'postgres', { columns, made }: (typeof MOVED)[number]): string[] =>
  Object.keys(columns).filter((name) => side === 'postgres' || (name !== 'seq' && made[name] === undefined))
