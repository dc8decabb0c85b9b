import { randomUUID } from 'node:crypto'
import { DEFAULT_PROJECT } from '../../access/access.ts'
import type { MovedProject, MoveOptions, MoveReport } from '../../grading/move-ports.ts'
import { projectSchema } from '../postgres/project-schemas.ts'
import { listProjects, projectPath } from '../project-files.ts'
import { StorageError } from '../storage-error.ts'
import { type Looks, lookAtTarget } from './look-at-target.ts'
import type { Marker } from './marker.ts'
import {
  type AllTotals,
  allEqual,
  assertUnchanged,
  moveRows,
  readTarget,
  report,
  rowsOf,
  surveySource,
  type Trip,
} from './move-project.ts'
import { patientTarget } from './patience.ts'
import { checkReferences } from './references.ts'
import { openSource, type Source } from './source.ts'
import { openTarget } from './target.ts'

/** What a run has done so far. */
interface Tally {
  moved_rows: number
  moving_s: number
  verified_rows: number
  verifying_s: number
}

/**
 * Moves the store of a SQLite file, with those of its projects, into the schemas of a PostgreSQL. The main schema is the first that is
 * marked and the last that is whole: until then no service starts on any of them.
 */
export async function moveStore(options: MoveOptions): Promise<MoveReport> {
  const projects = [DEFAULT_PROJECT, ...listProjects(options.from)]
  // All that can be refused is refused before anything is written.
  for (const project of projects) openSource(projectPath(options.from, project), options.now()).close()
  const looks = await lookAtTarget(options, projects)
  const tally: Tally = { moved_rows: 0, moving_s: 0, verified_rows: 0, verifying_s: 0 }
  if (options.mode === 'plan') return { outcome: 'planned', projects: await plan(options, projects, looks), ...tally }
  if (options.mode === 'verify') return await verifyAll(options, projects, looks, tally)
  if (looks.get(DEFAULT_PROJECT)?.state === 'moved') {
    for (const [project, marker] of looks) await withTrip(options, project, (trip) => surveySource(trip, marker, true))
    return { outcome: 'already', projects: told(looks), ...tally }
  }
  return await moveAll(options, projects, looks, tally)
}

/** Opens both sides of a project for as long as `work` lasts. */
async function withTrip<T>(options: MoveOptions, project: string, work: (trip: Trip) => Promise<T>): Promise<T> {
  const { from, to, signal, onProgress, patience_ms, chunk_bytes } = options
  const source = openSource(projectPath(from, project), options.now(), chunk_bytes)
  const onWait = () => onProgress({ project, step: 'wait', table: '', done: 0, total: null })
  const bare = openTarget(to.url, projectSchema(project), to.settings, chunk_bytes)
  try {
    return await work({
      ...{ project, source, signal, onProgress },
      target: patientTarget(bare, { patience_ms, signal, onWait }),
    })
  } finally {
    source.close()
    await bare.close()
  }
}

const wordsOf = (project: string, marker: Marker | null) => ({
  project,
  schema: projectSchema(project),
  found: marker === null ? ('nothing' as const) : marker.state === 'moved' ? ('whole' as const) : ('part' as const),
})

async function plan(options: MoveOptions, projects: readonly string[], looks: Looks): Promise<MovedProject[]> {
  const planned: MovedProject[] = []
  for (const project of projects) {
    const marker = looks.get(project) ?? null
    const source = await withTrip(options, project, (trip) => surveySource(trip, marker))
    planned.push(report(wordsOf(project, marker), source, null))
  }
  return planned
}

/** What the markers of an ended move say. */
const told = (looks: Looks): MovedProject[] =>
  [...looks].map(([project, marker]) => report(wordsOf(project, marker), marker?.source ?? {}, null))

async function verifyAll(
  options: MoveOptions,
  projects: readonly string[],
  looks: Looks,
  tally: Tally,
): Promise<MoveReport> {
  const nothing = projects.find((project) => (looks.get(project) ?? null) === null)
  if (nothing !== undefined)
    throw new StorageError('storage_error', `nothing was moved into the schema ${projectSchema(nothing)} of the target`)
  const verified: MovedProject[] = []
  let equal = true
  for (const project of projects) {
    const marker = looks.get(project) ?? null
    await withTrip(options, project, async (trip) => {
      const source = await surveySource(trip, null)
      const target = await verify(trip, source, tally)
      equal &&= allEqual(source, target)
      verified.push(report(wordsOf(project, marker), source, target, await checkReferences(trip.target)))
    })
  }
  return { outcome: equal ? 'equal' : 'differs', projects: verified, ...tally }
}

async function verify(trip: Trip, source: AllTotals, tally: Tally): Promise<AllTotals> {
  const begun = performance.now()
  const found = await readTarget(trip, rowsOf(source))
  tally.verified_rows += rowsOf(found)
  tally.verifying_s += (performance.now() - begun) / 1000
  return found
}

async function moveAll(
  options: MoveOptions,
  projects: readonly string[],
  looks: Looks,
  tally: Tally,
): Promise<MoveReport> {
  const run: Run = { id: randomUUID(), options, projects, looks, tally, sources: [] }
  return await withTrip(options, DEFAULT_PROJECT, async (main) => {
    const marker = await begin(run, main)
    const others: MovedProject[] = []
    for (const project of projects.slice(1)) others.push(await moveOther(run, project))
    const all = [await moveOne(run, main, marker), ...others]
    const equal = all.every(isEqual)
    // The others are closed for long: what was written to them since would be in neither database.
    for (const source of [main.source, ...run.sources]) assertUnchanged(source)
    if (equal) await end(run, main, marker)
    return { outcome: equal ? 'moved' : 'differs', projects: all, ...tally }
  })
}

interface Run {
  readonly id: string
  readonly options: MoveOptions
  readonly projects: readonly string[]
  readonly looks: Looks
  readonly tally: Tally
  /** Of the other projects, as they were when they were moved. */
  readonly sources: Pick<Source, 'path' | 'changed'>[]
}

const known = ({ looks }: Run, project: string): Marker | null => looks.get(project) ?? null

async function begin(run: Run, trip: Trip): Promise<Marker> {
  const source = await surveySource(trip, known(run, trip.project))
  return await trip.target.begin({
    ...{ version: 1, run: run.id, state: 'moving', projects: run.projects, source, tables: {}, ended_at: null },
    begun_at: run.options.now().toISOString(),
    fingerprint: trip.source.fingerprint,
  })
}

async function moveOther(run: Run, project: string): Promise<MovedProject> {
  const before = known(run, project)
  return await withTrip(run.options, project, async (trip) => {
    run.sources.push(trip.source)
    // Whole since an earlier run of this move: nobody could work with the target since, but with the source somebody may have.
    if (before?.state === 'moved') {
      await surveySource(trip, before)
      return report(wordsOf(project, before), before.source, before.source)
    }
    const marker = await begin(run, trip)
    const moved = await moveOne(run, trip, marker)
    if (isEqual(moved)) await end(run, trip, marker)
    return moved
  })
}

async function moveOne(run: Run, trip: Trip, marker: Marker): Promise<MovedProject> {
  const begun = performance.now()
  run.tally.moved_rows += await moveRows(trip, marker)
  run.tally.moving_s += (performance.now() - begun) / 1000
  const found = await verify(trip, marker.source, run.tally)
  const words = wordsOf(trip.project, known(run, trip.project))
  return report(words, marker.source, found, await checkReferences(trip.target))
}

const end = ({ options }: Run, trip: Trip, marker: Marker): Promise<void> =>
  trip.target.finish({ ...marker, state: 'moved', ended_at: options.now().toISOString() })

const isEqual = ({ tables }: MovedProject): boolean =>
  tables.every((one) => one.rows === one.target_rows && one.digest === one.target_digest)
