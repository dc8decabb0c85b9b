import type { TrialMetadata } from '../../schemas/grade-request.ts'
import type { TaskFolder } from '../tasks/task-folder.ts'
import type { GroundTruths } from '../truth/ground-truths.ts'
import type { SignalSource } from '../truth/signals.ts'
import type { ArchiveLimits } from '../unpack/limits.ts'
import { NameBook, safeText } from '../unpack/names.ts'
import type { Place } from '../unpack/place.ts'
import type { Unpacked } from '../unpack/spool.ts'
import type { RunFacts } from './terminal-bench.ts'
import type { TrialFacts } from './trial-facts.ts'
import type { SkippedItem, SkipReason, TrialItem } from './trial-item.ts'

interface ReadProgress {
  /** What is being read or unpacked. */
  readonly source: string
  readonly trials: number
  readonly skipped: number
  /** Entries and bytes unpacked so far from archives. */
  readonly entries: number
  readonly bytes: number
}

/** What metadata may hold: the names that the product knows, and any others. */
type MoreMetadata = TrialMetadata & Readonly<Record<string, string | number | boolean | null | undefined>>

export interface ReadTrialsOptions {
  /** Comes before a `ground_truth.json` that stands in a folder. */
  readonly groundTruths?: GroundTruths
  /** Where signals stand in a trial. `resolved` is `reward >= 1` where none of them is of it. */
  readonly signals?: readonly SignalSource[]
  readonly limits?: Partial<ArchiveLimits>
  /** The rubric that the trials are for: it says what is to be known of them. */
  readonly rubric?: string
  /** The `variant` of every trial. */
  readonly variant?: string
  /** Set on every trial, over what the trial says of itself. */
  readonly metadata?: MoreMetadata
  /** Where archives are unpacked; the system's folder for such things where absent. */
  readonly tempFolder?: string
  /** Ends the reading; what was unpacked is removed. */
  readonly abort?: AbortSignal
  readonly onProgress?: (progress: ReadProgress) => void
  /** Hears of the folders of tasks, which are then walked no further; without it they are folders of whatever. Awaited: what an archive holds is removed later. */
  readonly onTask?: (task: TaskFolder) => Promise<void>
  /** Called once for each of `signals` that told nothing in some trials, when all are read. */
  readonly onMissing?: (missing: MissingSource) => void
}

/** A source of a signal that was given, and how often nothing was there. */
export interface MissingSource {
  readonly source: SignalSource
  readonly missing: number
  readonly trials: number
}

/** One call of `readTrials`: what all of its parts share. */
export class ReadingJob {
  readonly options: ReadTrialsOptions
  readonly limits: ArchiveLimits
  readonly #names = new NameBook()
  /** Real paths of files that were joined to another's run. */
  readonly consumed = new Set<string>()
  readonly #runs = new Map<string, number>()
  readonly #told = new Set<string>()
  readonly #missing = new Map<SignalSource, number>()
  #measured = 0
  #trials = 0
  #skipped = 0

  constructor(options: ReadTrialsOptions, limits: ArchiveLimits) {
    this.options = options
    this.limits = limits
  }

  /** The last thing that happens to an item: it gets its unique name, and is counted. */
  hand(item: TrialItem, unpacked: Unpacked): TrialItem {
    this.options.abort?.throwIfAborted()
    if (item.kind === 'trial') this.#trials++
    else this.#skipped++
    this.tell(item.source, unpacked)
    return { ...item, name: this.#names.take(item.name) }
  }

  /** The number of the next run of a task by one agent and model, from 0; null where the task is not known. */
  nextRun({ tasks: [task], agent, model }: TrialFacts): number | null {
    if (task === undefined) return null
    const group = JSON.stringify([task, agent, model])
    const index = this.#runs.get(group) ?? 0
    this.#runs.set(group, index + 1)
    return index
  }

  /** Whether this is said for the first time. */
  isFirst(told: string): boolean {
    if (this.#told.has(told)) return false
    this.#told.add(told)
    return true
  }

  countSources(given: readonly SignalSource[], missing: readonly SignalSource[]): void {
    this.#measured++
    for (const source of missing)
      if (given.includes(source)) this.#missing.set(source, (this.#missing.get(source) ?? 0) + 1)
  }

  /** What can be said only when everything is read. */
  finish(): void {
    for (const [source, missing] of this.#missing) this.options.onMissing?.({ source, missing, trials: this.#measured })
  }

  tell(source: string, unpacked: Unpacked): void {
    this.options.onProgress?.({ source, trials: this.#trials, skipped: this.#skipped, ...unpacked })
  }
}

/** Where a walk is: below one path that was given. */
export interface Scope {
  readonly job: ReadingJob
  /** The path that was given, and what it is called in names of items. */
  readonly root: { readonly shown: string; readonly label: string }
  readonly unpacked: Unpacked
  /** Archives that are open around this place. */
  readonly nested: number
  readonly depth: number
  /** What the folders around this place say, the nearest first. */
  readonly truths: readonly GroundTruths[]
  /** What a folder around this place says of the run that its trials are of. */
  readonly run: RunFacts | null
  /** Unsupported files told so far below the path that was given. */
  readonly told: { files: number; hidden: number }
}

/** What an item below a place is called. */
export const nameOf = ({ root }: Scope, place: Place, run = ''): string =>
  `${root.label}${place.shown.slice(root.shown.length)}${run === '' ? '' : `#${run}`}`

/** A message may quote what is wrong, and what is wrong may be as long as a file. */
const MAX_DETAIL = 2000

export const skip = (scope: Scope, place: Place, reason: SkipReason, detail: string, run = ''): SkippedItem => ({
  kind: 'skipped',
  name: nameOf(scope, place, run),
  source: safeText(place.shown),
  reason,
  detail: safeText(detail.slice(0, MAX_DETAIL)),
})
