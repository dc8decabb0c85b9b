import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { OpenedDocument } from '../../formats/format.ts'
import type { GradeRequest, TrialMetadata } from '../../schemas/trial.ts'
import type { GroundTruths } from '../truth/ground-truths.ts'
import type { SignalSource } from '../truth/signals.ts'
import type { TruthRow } from '../truth/truth-rows.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { NameBook, safeText } from '../unpack/names.ts'
import type { Place } from '../unpack/place.ts'
import type { Unpacked } from '../unpack/spool.ts'
import type { RunFacts, TrialFacts } from './trial-facts.ts'

/** The folder of a task from which agents make runs: Harbor's, or that of Terminal-Bench 1. */
export interface TaskFolder {
  readonly place: Place
  /** Exact names by which a row of ground truth may refer to the task: the folder's, and that in its task.toml. */
  readonly names: readonly string[]
  readonly truth: TruthRow
  /** The variant that its row names. */
  readonly variant: string | null
  /** Every row that names the task: the other variants tell the omissions of an ablation. */
  readonly rows: readonly TruthRow[]
}

/** Counts so far; `source`: the file that is being read or unpacked. */
interface ReadProgress extends Readonly<Unpacked> {
  readonly source: string
  readonly trials: number
  readonly skipped: number
}

export interface ReadTrialsOptions {
  /** Takes precedence over a `ground_truth.json` in a folder. */
  readonly groundTruths?: GroundTruths
  /** The places of signals in a trial. `resolved` defaults to `reward >= 1`. */
  readonly signals?: readonly SignalSource[]
  readonly limits?: Partial<ArchiveLimits>
  /** The rubric of the trials, which decides the required ground truth. */
  readonly rubric?: string
  /** The `variant` of every trial. */
  readonly variant?: string
  /** Metadata of every trial, over the trial's own. */
  readonly metadata?: TrialMetadata & Readonly<Record<string, string | number | boolean | null | undefined>>
  /** The parent of the folder for unpacked archives; the system's folder for temporary files where absent. */
  readonly tempFolder?: string
  /** Ends the reading; unpacked files are removed. */
  readonly abort?: AbortSignal
  readonly onProgress?: (progress: ReadProgress) => void
  /** Receives the folders of tasks, which are then not read further (plain folders without it). Awaited: an archive's files are removed later. */
  readonly onTask?: (task: TaskFolder) => Promise<void>
  /** Called at the end for each source of `signals` that was missing in some trials. */
  readonly onMissing?: (missing: MissingSource) => void
}

/** A requested source of a signal, and the count of trials without it. */
export interface MissingSource {
  readonly source: SignalSource
  readonly missing: number
  readonly trials: number
}

/** The state of one call of `readTrials`, which all of its parts share. */
export class ReadingJob {
  readonly options: ReadTrialsOptions
  readonly limits: ArchiveLimits
  readonly #names = new NameBook()
  /** Real paths of files that were joined to another file's run. */
  readonly consumed = new Set<string>()
  readonly #runs = new Map<string, number>()
  readonly #messages = new Set<string>()
  readonly #missing = new Map<SignalSource, number>()
  #measured = 0
  #trials = 0
  #skipped = 0

  constructor(options: ReadTrialsOptions, limits: ArchiveLimits) {
    this.options = options
    this.limits = limits
  }

  /** Finishes an item: gives it its unique name, and counts it. */
  hand(item: TrialItem, unpacked: Unpacked): TrialItem {
    this.options.abort?.throwIfAborted()
    if (item.kind === 'trial') this.#trials++
    else this.#skipped++
    this.tell(item.source, unpacked)
    return { ...item, name: this.#names.unique(item.name) }
  }

  /** Returns the number of the next run of a task by one agent and model, from 0; null for an unknown task. */
  nextRun({ tasks: [task], agent, model }: TrialFacts): number | null {
    if (task === undefined) return null
    const group = JSON.stringify([task, agent, model])
    const index = this.#runs.get(group) ?? 0
    this.#runs.set(group, index + 1)
    return index
  }

  /** Tells whether a message is new in this reading. */
  isFirst(message: string): boolean {
    if (this.#messages.has(message)) return false
    this.#messages.add(message)
    return true
  }

  countSources(requested: readonly SignalSource[], missing: readonly SignalSource[]): void {
    this.#measured++
    for (const source of missing)
      if (requested.includes(source)) this.#missing.set(source, (this.#missing.get(source) ?? 0) + 1)
  }

  /** Reports the missing sources at the end of the reading. */
  finish(): void {
    for (const [source, missing] of this.#missing) this.options.onMissing?.({ source, missing, trials: this.#measured })
  }

  tell(source: string, unpacked: Unpacked): void {
    this.options.onProgress?.({ source, trials: this.#trials, skipped: this.#skipped, ...unpacked })
  }
}

/** The position of a walk below one requested path. */
export interface Scope {
  readonly job: ReadingJob
  /** The requested path, and its label in names of items. */
  readonly root: { readonly shown: string; readonly label: string }
  readonly unpacked: Unpacked
  /** Count of archives that are open around this place. */
  readonly nested: number
  readonly depth: number
  /** Ground truths of the folders around this place, the nearest first. */
  readonly truths: readonly GroundTruths[]
  /** Facts of the run's folder around the trials. */
  readonly run: RunFacts | null
  /** Count of hidden files so far below the requested path. */
  readonly skippedFiles: { hidden: number }
}

/** Returns the name of the item at a place. */
export const nameOf = ({ root }: Scope, place: Place, run = ''): string =>
  `${root.label}${place.shown.slice(root.shown.length)}${run === '' ? '' : `#${run}`}`

/** Bounds a message, which may quote a file's content. */
const MAX_DETAIL = 2000

export const skip = (scope: Scope, place: Place, reason: SkipReason, detail: string, run = ''): SkippedItem => ({
  kind: 'skipped',
  name: nameOf(scope, place, run),
  source: safeText(place.shown),
  reason,
  detail: safeText(detail.slice(0, MAX_DETAIL)),
})

/** Reasons why an item cannot be graded. */
type SkipReason =
  /** A trial without a trajectory file. */
  | 'no_trajectory'
  /** A task without ground truth, in the file of ground truths and in the trial alike. */
  | 'no_ground_truth'
  /** A file that should be a trajectory and cannot be read; `detail` names the place. */
  | 'unreadable'
  /** A file of no known format. */
  | 'unsupported'
  /** A file over a limit, or unsafe to open: a bomb, a path that leaves its folder, a link. */
  | 'refused'

/** A trial that can be graded, or a skipped item with its reason. No file is left out silently. */
export type TrialItem =
  | {
      readonly kind: 'trial'
      /** The name, unique among all items of one reading; the batch's `item_id`. */
      readonly name: string
      /** The name and the label of a person that a line of a request file gives. */
      readonly item_id?: string
      readonly human?: unknown
      /** The path as requested, with the place inside of an archive after `!`. */
      readonly source: string
      /** The grade request; a line of a request file keeps its own judge, rubric, samples and cache mode. */
      readonly request: GradeRequest
      /** The request's trajectory, read; null for a request that only refers to it. */
      readonly trajectory: Trajectory | null
      readonly warnings: readonly string[]
    }
  | SkippedItem

export interface SkippedItem {
  readonly kind: 'skipped'
  readonly name: string
  readonly source: string
  readonly reason: SkipReason
  readonly detail: string
}

export interface TrialRun {
  /** The place that names the item: a trial's folder, or a loose file. */
  readonly place: Place
  /** The file of the run. */
  readonly file: Place
  readonly run: OpenedDocument
  readonly facts: TrialFacts
  readonly warnings: readonly string[]
  /** Folders of the trial in which signals are searched, the nearest first. */
  readonly folders: readonly Place[]
}
