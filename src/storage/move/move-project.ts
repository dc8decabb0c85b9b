import { setImmediate as turn } from 'node:timers/promises'
import type { MovedProject, MoveProgress, ReferenceReport } from '../../grading/move-ports.ts'
import { StorageError } from '../storage-error.ts'
import { type Marker, unpackKey } from './marker.ts'
import { MOVED, type MovedTable } from './moved-tables.ts'
import type { Value } from './row.ts'
import type { Source } from './source.ts'
import { changedTables, createAdder, type Totals } from './table-digest.ts'
import { progressAfter, type Target } from './target.ts'

export type AllTotals = Readonly<Record<string, Totals>>

/** One project on its way. */
export interface Trip {
  readonly project: string
  readonly source: Source
  readonly target: Target
  readonly signal: AbortSignal
  readonly onProgress: (progress: MoveProgress) => void
}

export const rowsOf = (totals: AllTotals): number => Object.values(totals).reduce((sum, { rows }) => sum + rows, 0)

/** Counts and digests of the source. Throws where an earlier run has seen another content; `ended`: that run was the last. */
export async function surveySource(
  trip: Omit<Trip, 'target'>,
  marker: Marker | null,
  ended = false,
): Promise<AllTotals> {
  const { project, source, signal, onProgress } = trip
  if (marker !== null && marker.fingerprint === source.fingerprint) return marker.source
  let [before, current, last] = [0, '', 0]
  const found = await source.survey(async (table, rows) => {
    if (table !== current) [before, current] = [before + last, table]
    last = rows
    onProgress({ project, step: 'read', table, done: before + rows, total: marker && rowsOf(marker.source) })
    await turn()
    signal.throwIfAborted()
  })
  const changed = marker === null ? [] : changedTables(marker.source, found)
  if (changed.length === 0) return found
  throw new StorageError(
    'storage_error',
    ended
      ? `${source.path} is not what was moved: ${changed.join(', ')} changed. What is new in it is not in the target, and nothing was done`
      : `${source.path} is not what the unfinished move began with: ${changed.join(', ')} changed. Put that file back and run the same command, or begin anew: as the owner of the target, DROP SCHEMA "…" CASCADE for its schemas (veridict, veridict_…)`,
  )
}

/** Moves what is still to be moved; answers how many rows that were. */
export async function moveRows(trip: Trip, marker: Marker): Promise<number> {
  const { project, source, target, signal, onProgress } = trip
  const total = rowsOf(marker.source)
  const start = Object.values(marker.tables).reduce((sum, { rows }) => sum + rows, 0)
  let moved = 0
  for (const table of MOVED) {
    let progress = marker.tables[table.name] ?? { rows: 0, after: null, whole: false }
    while (!progress.whole) {
      signal.throwIfAborted()
      const chunk = source.read(table, progress.after && unpackKey(progress.after))
      progress = progressAfter(progress.rows, chunk.rows.length, chunk.next)
      await naming(table, target.put(table, chunk.rows, progress, marker.run))
      moved += chunk.rows.length
      onProgress({ project, step: 'move', table: table.name, done: start + moved, total })
    }
  }
  assertUnchanged(source)
  return moved
}

/** Throws where somebody has written to the source since it was opened. */
export function assertUnchanged(source: Pick<Source, 'path' | 'changed'>): void {
  if (!source.changed()) return
  throw new StorageError(
    'storage_error',
    `${source.path} was written to while it was moved: stop what uses it; this move cannot be ended`,
  )
}

/** What the server refuses is said of a table. */
const naming = <T>(table: MovedTable, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    if (!(error instanceof StorageError) || error.code === 'storage_busy') throw error
    throw new StorageError(error.code, `${table.name}: ${error.message}`, { cause: error })
  })

/** Counts and digests of what the target answers. */
export async function readTarget(trip: Omit<Trip, 'source'>, total: number): Promise<AllTotals> {
  const { project, target, signal, onProgress } = trip
  const found: Record<string, Totals> = {}
  let done = 0
  for (const table of MOVED) {
    const adder = createAdder(table)
    for (let after: readonly Value[] | null = null; ; ) {
      signal.throwIfAborted()
      const rows = await target.read(table, after)
      const last = rows.at(-1)
      if (last === undefined) break
      for (const row of rows) adder.add(row)
      after = table.key.map((name) => last[name] ?? null)
      done += rows.length
      onProgress({ project, step: 'verify', table: table.name, done, total })
    }
    found[table.name] = adder.totals()
  }
  return found
}

export const allEqual = (source: AllTotals, target: AllTotals): boolean => changedTables(source, target).length === 0

/** Both sides, table by table. */
export function report(
  words: Pick<MovedProject, 'project' | 'schema' | 'found'>,
  source: AllTotals,
  target: AllTotals | null,
  references: readonly ReferenceReport[] = [],
): MovedProject {
  const tables = MOVED.map(({ name }) => ({
    table: name,
    rows: source[name]?.rows ?? 0,
    digest: source[name]?.digest ?? '',
    target_rows: target === null ? null : (target[name]?.rows ?? 0),
    target_digest: target === null ? null : (target[name]?.digest ?? ''),
  }))
  return { ...words, tables, references }
}
