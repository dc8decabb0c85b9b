import { setImmediate as turn } from 'node:timers/promises'
import { DEFAULT_PROJECT } from '../../access/access.ts'
import type { MovedProject, MoveOptions, MoveProgress, MoveReport } from '../../ports/move-ports.ts'
import { Undo } from '../db.ts'
import type { Sql } from '../postgres/connection/pool.ts'
import { projectSchema } from '../postgres/connection/project-schemas.ts'
import { openUnit } from '../postgres/connection/unit.ts'
import { listProjects, projectPath } from '../project-files.ts'
import { refusal } from '../storage-error.ts'
import { MOVED, type MovedTable, type Row } from './moved-tables.ts'
import { openSource, type Source } from './source.ts'
import { createAdder, type Totals } from './table-digest.ts'
import {
  assertEmpty,
  assertMoved,
  assertNoOthers,
  checkReferences,
  enterSchema,
  finishTables,
  makeTables,
  putRows,
  targetChunks,
} from './target.ts'

/** A chunk of one row may be large, and a table may have many indexes. */
const STATEMENT_MS = 10 * 60_000
/** A killed move is rolled back soon; a service that starts has its lock for as long as its migrations take. */
const LOCK_WAIT = "SET LOCAL lock_timeout = '30s'"

/**
 * Moves the store of a SQLite file, with those of its projects, into the schemas of a PostgreSQL, in one transaction: it is all there and
 * verified, or nothing is.
 */
export async function moveStore(options: MoveOptions): Promise<MoveReport> {
  const { from, to, now, chunk_bytes } = options
  const sources: Source[] = []
  const unit = openUnit(to.url, null, {
    ...to.settings,
    ...{ max_connections: 1, statement_timeout_ms: STATEMENT_MS, idle_transaction_timeout_ms: STATEMENT_MS },
  })
  try {
    for (const project of [DEFAULT_PROJECT, ...listProjects(from)])
      sources.push(openSource(projectPath(from, project), project, now(), chunk_bytes))
    // The same again where the connection is lost: what was done is rolled back.
    return await unit.write((sql) => run(sql, options, sources))
  } finally {
    for (const source of sources) source.close()
    await unit.close()
  }
}

/** A project on its way. */
interface Trip {
  readonly sql: Sql
  readonly options: MoveOptions
  readonly source: Source
  readonly schema: string
}

async function run(sql: Sql, options: MoveOptions, sources: readonly Source[]): Promise<MoveReport> {
  const { mode } = options
  const trips = sources.map((source) => ({ sql, options, source, schema: projectSchema(source.project) }))
  await sql.say(LOCK_WAIT)
  await assertNoOthers(
    sql,
    sources.map(({ project }) => project),
  )
  for (const { schema } of trips) await (mode === 'verify' ? assertMoved : assertEmpty)(sql, schema)
  // All of them, before the first row: from here on no service starts on any.
  if (mode === 'move') for (const { schema } of trips) await makeTables(sql, schema)
  const read = await each(trips, readSource)
  if (mode === 'plan') return report('planned', { trips, read: read.totals })
  const verified = await each(trips, readTarget)
  const references = (await each(trips, ({ sql: own }) => checkReferences(own))).totals
  for (const { changed, path } of sources)
    if (changed()) throw refusal(`${path} was written to while it was read: stop what uses it`)
  const given = { trips, read: read.totals, verified: verified.totals, references }
  const equal = report('equal', {
    ...given,
    moving_s: mode === 'move' ? read.seconds : null,
    verifying_s: verified.seconds,
  })
  const isEqual = equal.projects.every(({ tables }) =>
    tables.every((one) => one.rows === one.target_rows && one.digest === one.target_digest),
  )
  if (!isEqual) throw new Undo<MoveReport>({ ...equal, outcome: 'differs' })
  return { ...equal, outcome: mode === 'move' ? 'moved' : 'equal' }
}

type AllTotals = ReadonlyMap<string, Totals>

async function each<T>(trips: readonly Trip[], work: (trip: Trip) => Promise<T>) {
  const begun = performance.now()
  const totals: T[] = []
  for (const trip of trips) {
    await enterSchema(trip.sql, trip.schema)
    totals.push(await work(trip))
  }
  return { totals, seconds: (performance.now() - begun) / 1000 }
}

/** Reads every row of the source, once; a move writes them as it goes. */
async function readSource(trip: Trip): Promise<AllTotals> {
  const { sql, options, source, schema } = trip
  const isMove = options.mode === 'move'
  const found = await addUp(trip, isMove ? 'move' : 'read', async function* (table) {
    for (const rows of source.chunks(table)) {
      if (isMove) await putRows(sql, table, rows)
      yield rows
    }
  })
  if (isMove) await finishTables(sql, schema)
  return found
}

/** Reads every row back. */
const readTarget = (trip: Trip): Promise<AllTotals> =>
  addUp(trip, 'verify', (table) => targetChunks(trip.sql, table, trip.options.chunk_bytes))

async function addUp(
  { options, source }: Trip,
  step: MoveProgress['step'],
  chunksOf: (table: MovedTable) => AsyncIterable<readonly Row[]>,
): Promise<AllTotals> {
  const { signal, onProgress } = options
  const total = source.count()
  const found = new Map<string, Totals>()
  let done = 0
  for (const table of MOVED) {
    const adder = createAdder(table)
    for await (const rows of chunksOf(table)) {
      for (const row of rows) adder.add(row)
      done += rows.length
      onProgress({ project: source.project, step, table: table.name, done, total })
      await turn()
      signal.throwIfAborted()
    }
    found.set(table.name, adder.totals())
  }
  return found
}

interface Found {
  readonly trips: readonly Trip[]
  readonly read: readonly AllTotals[]
  readonly verified?: readonly AllTotals[]
  readonly references?: readonly MovedProject['references'][]
  readonly moving_s?: number | null
  readonly verifying_s?: number
}

/** Both sides, table by table. */
function report(outcome: MoveReport['outcome'], found: Found): MoveReport {
  const { trips, read, verified = [], references = [], moving_s = null, verifying_s = 0 } = found
  const sum = (all: readonly AllTotals[]) =>
    all.flatMap((one) => [...one.values()]).reduce((n, { rows }) => n + rows, 0)
  return {
    outcome,
    projects: trips.map(({ source, schema }, index) => ({
      project: source.project,
      schema,
      tables: MOVED.map(({ name }) => ({
        table: name,
        rows: read[index]?.get(name)?.rows ?? 0,
        digest: read[index]?.get(name)?.digest ?? '',
        target_rows: verified[index]?.get(name)?.rows ?? null,
        target_digest: verified[index]?.get(name)?.digest ?? null,
      })),
      references: references[index] ?? [],
    })),
    ...(moving_s === null ? { moved_rows: 0, moving_s: 0 } : { moved_rows: sum(read), moving_s }),
    ...{ verified_rows: sum(verified), verifying_s },
  }
}
