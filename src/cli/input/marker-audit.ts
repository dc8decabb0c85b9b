import { realpathSync } from 'node:fs'
import type { ReadTrialsOptions, TaskFolder, TrialItem } from '../../archives/trials/reading-job.ts'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { DEFAULT_LIMITS } from '../../archives/unpack/limits.ts'
import { safeText } from '../../archives/unpack/names.ts'
import { resolveAnchors } from '../../domain/anchors/anchors.ts'
import { normalizeGroundTruth } from '../../domain/cache-key.ts'
import {
  checkRun,
  MARKERS,
  type MarkerCode,
  type MarkerFinding,
  type MarkerName,
  markersOf,
  placesOf,
  removedIn,
} from '../../domain/markers/check-run.ts'
import { checkTask } from '../../domain/markers/check-task.ts'
import { count } from '../../domain/words.ts'
import type { ProgressView } from '../output/progress.ts'
import { clip } from '../output/text.ts'
import { isTrial, skippedText } from './trial-stream.ts'

/** A finding on a marker of a task or run, or `ok`. */
export type MarkerRow = Subject & Omit<MarkerFinding, 'code'> & { readonly code: MarkerCode }

interface Subject {
  readonly kind: 'task' | 'run'
  readonly name: string
  readonly task: string | null
  readonly variant: string | null
}

interface MarkerAudit {
  readonly paths: readonly string[]
  /** The variant of all paths; undefined: each run and task names its own. */
  readonly variant: string | undefined
  /** The ground truths of `-g`. */
  readonly truths: GroundTruths | null
  readonly signals: NonNullable<ReadTrialsOptions['signals']>
  readonly abort: AbortSignal
  readonly view: Pick<ProgressView, 'note' | 'doing'>
  readonly counts: AuditCounts
}

/** Counts of an audit. `skipped`: lost runs and tasks. */
export interface AuditCounts {
  tasks: number
  runs: number
  skipped: number
}

/** Audits the tasks and runs below some paths. Holds one run, one window of a file, and the rows of tasks, which come at the end. */
export async function* auditMarkers(audit: MarkerAudit): AsyncGenerator<MarkerRow> {
  const { readTrials } = await import('../../archives/trials/read-trials.ts')
  const { paths, truths, signals, abort, variant, counts, view } = audit
  const ofTasks: MarkerRow[] = []
  const items = readTrials(paths, {
    abort,
    ...(truths !== null && { groundTruths: truths }),
    ...(signals.length > 0 && { signals }),
    ...(variant !== undefined && { variant }),
    onTask: async (task) => {
      ofTasks.push(...(await taskRows(task, audit)))
    },
  })
  for await (const item of items) {
    if (item.kind === 'trial') yield* runRows(item, audit)
    else if (isTrial(item)) {
      counts.skipped++
      view.note(skippedText(item))
    }
    view.doing(`auditing: ${count(counts.tasks, 'task')}, ${count(counts.runs, 'run')}`)
  }
  yield* ofTasks
}

async function taskRows(task: TaskFolder, audit: MarkerAudit): Promise<MarkerRow[]> {
  const { searchTask } = await import('../../archives/tasks/search-task.ts')
  const { place, names, truth, rows } = task
  const ofTask = markersOf([truth, ...rows])
  const expectedIn = placesOf([truth, ...rows])
  const variant = audit.variant ?? task.variant ?? undefined
  const source = audit.truths === null ? null : realPath(audit.truths.source)
  const { files, cut } = await searchTask(place, {
    ...{ markers: ofTask, expectedIn, limits: DEFAULT_LIMITS, abort: audit.abort },
    ignores: (path) => path === source,
  })
  audit.counts.tasks++
  const [first, ...more] = files.filter(({ unsearched, isExpected }) => unsearched !== null && !isExpected)
  if (first !== undefined) {
    const others = more.length > 0 ? `, and ${more.length} more` : ''
    audit.view.note(`note     ${place.shown}: not searched: ${first.path} ${first.unsearched}${others}`)
  }
  const markers = MARKERS.filter((marker) => ofTask[marker] !== undefined)
  const removed = removedIn(variant, { own: truth, ofTask })
  const findings = checkTask({ files, cut, markers, removed, isPlaced: expectedIn !== undefined })
  const subject = { kind: 'task', name: safeText(place.shown), task: names[0] ?? null } as const
  return rowsOf({ ...subject, variant: variant ?? null }, markers, findings)
}

function runRows(run: Extract<TrialItem, { kind: 'trial' }>, { truths, view, counts }: MarkerAudit): MarkerRow[] {
  const { name, request, trajectory } = run
  if (trajectory === null) {
    view.note(`skipped  ${clip(name, 200)}  the request only names a stored trajectory; give the files it was made of`)
    return []
  }
  counts.runs++
  const { ground_truth: truth, metadata = {} } = request
  const { variant = null, task = null } = metadata
  const known = task === null ? [] : truths?.rowsOf([task, task.slice(task.lastIndexOf('/') + 1)])
  const rows = [truth, ...(known ?? [])]
  const ofTask = markersOf(rows)
  const anchors = resolveAnchors(normalizeGroundTruth({ ...truth, ...ofTask }))
  const findings = checkRun({
    ...{ trajectory, anchors, removed: removedIn(variant ?? undefined, { own: truth, ofTask }) },
    ...{ expectedIn: placesOf(rows) ?? [], signals: truth.signals ?? {} },
  })
  const markers = MARKERS.filter((marker) => (anchors[marker] ?? null) !== null)
  return rowsOf({ kind: 'run', name, task, variant }, markers, findings)
}

function rowsOf(subject: Subject, markers: readonly MarkerName[], findings: readonly MarkerFinding[]): MarkerRow[] {
  return markers.flatMap((marker): MarkerRow[] => {
    const own = findings.filter((finding) => finding.marker === marker)
    if (own.length === 0) return [{ ...subject, marker, code: 'ok', detail: '', places: [] }]
    return own.map((finding) => ({ ...subject, ...finding }))
  })
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
