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
  finding,
  MARKERS,
  type MarkerCode,
  type MarkerFinding,
  type MarkerName,
  type MarkerTexts,
  markersOf,
  placesOf,
  removedIn,
} from '../../domain/markers/marker-finding.ts'
import { clashesOf, MarkerSet, type SetTask, type StringOwner } from '../../domain/markers/marker-set.ts'
import type { ReachRow } from '../../domain/markers/reach-shares.ts'
import { clip } from '../results/terminal-text.ts'

/** What is said of one marker in one place: `ok` once, or a row for each finding. */
export interface MarkerRow {
  /** `truth`: of a task of the ground truths whose folder was not among the paths. */
  readonly kind: 'task' | 'run' | 'truth'
  readonly name: string
  readonly task: string | null
  readonly variant: string | null
  readonly marker: MarkerName
  readonly code: MarkerCode
  readonly detail: string
  readonly places: readonly string[]
}

/** Paths of one variant; without one, each run and task says it itself. */
export interface MarkerPaths {
  readonly paths: readonly string[]
  readonly variant?: string
}

interface MarkerAuditOptions {
  /** Of `-g`. */
  readonly truths: GroundTruths | null
  readonly signals: NonNullable<ReadTrialsOptions['signals']>
  readonly abort: AbortSignal
  /** What is said of no one row: what was skipped, and what was not searched. */
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

type Trial = Extract<TrialItem, { kind: 'trial' }>
type Subject = Pick<MarkerRow, 'kind' | 'name' | 'task' | 'variant'>

/** Tasks of which it is told by name that some of their files were not searched. */
const MOST_NOTES = 20

/**
 * Audits everything below some paths. Rows of runs come as runs are read; those of tasks at the end, when it is known which of their markers
 * stand in other tasks. Holds one run, one window of a file, and the rows of tasks.
 */
export class MarkerAudit {
  readonly counts: AuditCounts = { tasks: 0, runs: 0, bytes: 0 }
  readonly reached: ReachRow[] = []
  readonly #options: MarkerAuditOptions
  readonly #set: MarkerSet
  readonly #tasks: {
    readonly subject: Subject
    readonly names: readonly string[]
    readonly markers: readonly MarkerName[]
    readonly findings: MarkerFinding[]
  }[] = []
  /** By task and marker: the strings of it that stand elsewhere, and where. */
  readonly #foreign = new Map<
    string,
    { readonly owner: StringOwner; readonly string: string; readonly places: string[] }
  >()
  #notes = 0

  constructor(options: MarkerAuditOptions) {
    this.#options = options
    const tasks = setOf(options.truths)
    this.#set = new MarkerSet(tasks)
    if (this.#set.left_out > 0)
      options.onNote(
        `warning  too many markers to compare all tasks with each other: those of ${this.#set.left_out} are searched for in their own task alone`,
      )
    for (const { owner, string, place } of clashesOf(tasks, this.#set)) this.#noteForeign(owner, string, place)
  }

  async *run(groups: readonly MarkerPaths[]): AsyncGenerator<MarkerRow> {
    const { readTrials } = await import('../../archives/trials/read-trials.ts')
    const { truths, signals, abort } = this.#options
    for (const { paths, variant } of groups) {
      const items = readTrials(paths, {
        abort,
        ...(truths !== null && { groundTruths: truths }),
        ...(signals.length > 0 && { signals }),
        ...(variant !== undefined && { variant }),
        onTask: (task) => this.#searchTask(task, variant),
      })
      for await (const item of items) {
        if (item.kind === 'skipped') this.#options.onSkipped(item)
        else yield* this.#checkRun(item)
        this.#options.onProgress(this.counts)
      }
    }
    yield* this.#taskRows()
  }

  async #searchTask({ place, names, truth, variant: own, rows }: TaskFolder, given: string | undefined): Promise<void> {
    const { searchTask } = await import('../../archives/tasks/search-task.ts')
    const ofTask = markersOf([truth, ...rows])
    const expectedIn = placesOf([truth, ...rows])
    const variant = given ?? own ?? undefined
    const removed = removedIn(variant, { own: truth, ofTask })
    const { truths, abort, onProgress } = this.#options
    const source = truths === null ? null : realPath(truths.source)
    const searched = await searchTask(place, {
      markers: ofTask,
      expectedIn,
      set: this.#set,
      names,
      ignores: (path) => path === source,
      limits: DEFAULT_LIMITS,
      abort,
      onFile: (bytes) => {
        this.counts.bytes += bytes
        onProgress(this.counts)
      },
    })
    this.counts.tasks++
    for (const { owner, string, place: where } of searched.foreign)
      this.#noteForeign(owner, string, `${names.at(-1) ?? ''}/${where}`)
    const markers = MARKERS.filter((marker) => ofTask[marker] !== undefined)
    const isPlaced = expectedIn !== undefined
    this.#tasks.push({
      subject: { kind: 'task', name: safeText(place.shown), task: names[0] ?? null, variant: variant ?? null },
      ...{ names, markers },
      findings: checkTask({ files: searched.files, cut: searched.cut, markers, removed, isPlaced }),
    })
    this.#noteUnsearched(place.shown, searched.files)
    onProgress(this.counts)
  }

  #noteUnsearched(name: string, files: readonly SearchedFile[]): void {
    const left = files.filter(({ unsearched, isExpected }) => unsearched !== null && !isExpected)
    const [first] = left
    if (first === undefined || ++this.#notes > MOST_NOTES) return
    const more = left.length > 1 ? `, and ${left.length - 1} more` : ''
    this.#options.onNote(`note     ${name}: not searched: ${first.path} ${first.unsearched}${more}`)
    if (this.#notes === MOST_NOTES)
      this.#options.onNote('note     files of further tasks that are not searched are not told')
  }

  *#checkRun({ name, request, trajectory }: Trial): Generator<MarkerRow> {
    if (trajectory === null) {
      this.#options.onNote(
        `skipped  ${clip(name, 200)}  the request only names a stored trajectory; give the files it was made of`,
      )
      return
    }
    this.counts.runs++
    const { ground_truth: truth, metadata = {} } = request
    const variant = metadata.variant ?? null
    const task = metadata.task ?? null
    const rows = [truth, ...this.#rowsOf(task)]
    const ofTask = markersOf(rows)
    const removed = removedIn(variant ?? undefined, { own: truth, ofTask })
    const whole = normalizeGroundTruth({ ...truth, ...ofTask })
    const anchors = resolveAnchors(whole)
    const { findings, reached } = checkRun({
      ...{ trajectory, anchors, removed },
      expectedIn: placesOf(rows) ?? [],
      signals: truth.signals ?? {},
    })
    const { agent = null, model = null, run_index = null } = metadata
    for (const [marker, value] of Object.entries(reached))
      this.reached.push({ marker: marker as MarkerName, variant, task, agent, model, run_index, reached: value })
    const markers = MARKERS.filter((marker) => (anchors[marker] ?? null) !== null)
    yield* rowsOf({ kind: 'run', name, task, variant }, markers, findings)
  }

  #rowsOf(task: string | null): readonly MarkerTexts[] {
    if (task === null) return []
    const last = task.slice(task.lastIndexOf('/') + 1)
    return this.#options.truths?.rowsOf([task, last]) ?? []
  }

  #noteForeign(owner: StringOwner, string: string, place: string): void {
    const key = JSON.stringify([owner.task, owner.marker])
    const known = this.#foreign.get(key)
    if (known === undefined) this.#foreign.set(key, { owner, string, places: [place] })
    else if (!known.places.includes(place) && known.places.length < 1000) known.places.push(place)
  }

  *#taskRows(): Generator<MarkerRow> {
    const told = new Set<string>()
    for (const { subject, names, markers, findings } of this.#tasks) {
      const foreign = [...this.#foreign].filter(([, { owner }]) => names.includes(owner.task))
      for (const [key] of foreign) told.add(key)
      yield* rowsOf(subject, markers, [...findings, ...foreign.map(([, one]) => ambiguous(one))])
    }
    for (const [key, one] of this.#foreign) {
      if (told.has(key)) continue
      const { task } = one.owner
      yield* rowsOf({ kind: 'truth', name: task, task, variant: null }, [one.owner.marker], [ambiguous(one)])
    }
  }
}

const ambiguous = ({ owner, string, places }: { owner: StringOwner; string: string; places: readonly string[] }) =>
  finding(owner.marker, 'ambiguous_anchor', `${JSON.stringify(clip(string, 60))} also stands in another task`, places)

function* rowsOf(
  subject: Subject,
  markers: readonly MarkerName[],
  findings: readonly MarkerFinding[],
): Generator<MarkerRow> {
  for (const marker of markers) {
    const own = findings.filter((one) => one.marker === marker)
    if (own.length === 0) yield { ...subject, marker, code: 'ok', detail: '', places: [] }
    else for (const one of own) yield { ...subject, ...one }
  }
}

/** Every task of the ground truths with its markers, whatever variants there are of it. */
function setOf(truths: GroundTruths | null): SetTask[] {
  if (truths === null) return []
  return truths.tasks.map((task) => {
    const rows = truths.rowsOf([task])
    return {
      task,
      ...markersOf(rows),
      instruction: rows.find(({ instruction }) => instruction !== undefined)?.instruction,
    }
  })
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
