import { realpathSync } from 'node:fs'
import type { TaskFolder } from '../../archives/tasks/task-folder.ts'
import type { ReadTrialsOptions } from '../../archives/trials/reading-job.ts'
import type { SkippedItem, TrialItem } from '../../archives/trials/trial-item.ts'
import type { GroundTruths } from '../../archives/truth/ground-truths.ts'
import { DEFAULT_LIMITS } from '../../archives/unpack/limits.ts'
import { safeText } from '../../archives/unpack/names.ts'
import { normalizeGroundTruth } from '../../domain/cache-key.ts'
import { resolveAnchors } from '../../domain/evidence/anchors.ts'
import { checkRun } from '../../domain/markers/check-run.ts'
import { checkTask, type SearchedFile } from '../../domain/markers/check-task.ts'
import {
  MARKERS,
  type MarkerCode,
  type MarkerFinding,
  type MarkerName,
  markersOf,
  placesOf,
  removedIn,
} from '../../domain/markers/marker-finding.ts'
import { clip } from '../output/text.ts'

/** A finding on a marker of a task or run, or `ok`. */
export interface MarkerRow {
  readonly kind: 'task' | 'run'
  readonly name: string
  readonly task: string | null
  readonly variant: string | null
  readonly marker: MarkerName
  readonly code: MarkerCode
  readonly detail: string
  readonly places: readonly string[]
}

interface MarkerAuditOptions {
  readonly paths: readonly string[]
  /** The variant of all paths; absent: each run and task names its own. */
  readonly variant: string | undefined
  /** The ground truths of `-g`. */
  readonly truths: GroundTruths | null
  readonly signals: NonNullable<ReadTrialsOptions['signals']>
  readonly abort: AbortSignal
  readonly onNote: (text: string) => void
  readonly onSkipped: (item: SkippedItem) => void
  readonly onProgress: (counts: AuditCounts) => void
}

export interface AuditCounts {
  tasks: number
  runs: number
  /** Bytes of task folders. */
  bytes: number
}

/** Audits the tasks and runs below some paths. Holds one run, one window of a file, and the rows of tasks, which come at the end. */
export async function* auditMarkers(options: MarkerAuditOptions, counts: AuditCounts): AsyncGenerator<MarkerRow> {
  const { readTrials } = await import('../../archives/trials/read-trials.ts')
  const { paths, truths, signals, abort, variant, onSkipped, onProgress } = options
  const ofTasks: MarkerRow[] = []
  const items = readTrials(paths, {
    abort,
    ...(truths !== null && { groundTruths: truths }),
    ...(signals.length > 0 && { signals }),
    ...(variant !== undefined && { variant }),
    onTask: async (task) => {
      ofTasks.push(...(await searchTaskFolder(task, options, counts)))
    },
  })
  for await (const item of items) {
    if (item.kind === 'skipped') onSkipped(item)
    else yield* runRows(item, options, counts)
    onProgress(counts)
  }
  yield* ofTasks
}

async function searchTaskFolder(
  { place, names, truth, variant: own, rows }: TaskFolder,
  { truths, abort, variant: given, onProgress, onNote }: MarkerAuditOptions,
  counts: AuditCounts,
): Promise<MarkerRow[]> {
  const { searchTask } = await import('../../archives/tasks/search-task.ts')
  const ofTask = markersOf([truth, ...rows])
  const expectedIn = placesOf([truth, ...rows])
  const variant = given ?? own ?? undefined
  const removed = removedIn(variant, { own: truth, ofTask })
  const source = truths === null ? null : realPath(truths.source)
  const onFile = (bytes: number) => {
    counts.bytes += bytes
    onProgress(counts)
  }
  const { files, cut } = await searchTask(place, {
    ...{ markers: ofTask, expectedIn, limits: DEFAULT_LIMITS, abort, onFile },
    ignores: (path) => path === source,
  })
  counts.tasks++
  noteUnsearched(place.shown, files, onNote)
  const markers = MARKERS.filter((marker) => ofTask[marker] !== undefined)
  const findings = checkTask({ files, cut, markers, removed, isPlaced: expectedIn !== undefined })
  const subject = {
    kind: 'task',
    name: safeText(place.shown),
    task: names[0] ?? null,
    variant: variant ?? null,
  } as const
  return rowsOf(subject, markers, findings)
}

function noteUnsearched(name: string, files: readonly SearchedFile[], onNote: (text: string) => void): void {
  const left = files.filter(({ unsearched, isExpected }) => unsearched !== null && !isExpected)
  const [first] = left
  if (first === undefined) return
  const more = left.length > 1 ? `, and ${left.length - 1} more` : ''
  onNote(`note     ${name}: not searched: ${first.path} ${first.unsearched}${more}`)
}

function runRows(
  { name, request, trajectory }: Extract<TrialItem, { kind: 'trial' }>,
  { truths, onNote }: MarkerAuditOptions,
  counts: AuditCounts,
): MarkerRow[] {
  if (trajectory === null) {
    const why = 'the request only names a stored trajectory; give the files it was made of'
    onNote(`skipped  ${clip(name, 200)}  ${why}`)
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

function rowsOf(
  subject: Pick<MarkerRow, 'kind' | 'name' | 'task' | 'variant'>,
  markers: readonly MarkerName[],
  findings: readonly MarkerFinding[],
): MarkerRow[] {
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
