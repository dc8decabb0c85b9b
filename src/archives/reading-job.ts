import type { TrialMetadata } from '../schemas/grade-request.ts'
import type { GroundTruths } from './ground-truths.ts'
import type { ArchiveLimits } from './limits.ts'
import { NameBook, safeText } from './names.ts'
import type { Place } from './place.ts'
import type { SignalSource } from './signals.ts'
import type { Unpacked } from './spool.ts'
import type { RunFacts } from './terminal-bench.ts'
import type { SkipReason, TrialItem } from './trial-item.ts'

export interface ReadProgress {
  /** What is being read or unpacked. */
  readonly source: string
  readonly trials: number
  readonly skipped: number
  /** Entries and bytes unpacked so far from archives. */
  readonly entries: number
  readonly bytes: number
}

/** What metadata may hold: the names that the product knows, and any others. */
export type MoreMetadata = TrialMetadata & Readonly<Record<string, string | number | boolean | null | undefined>>

export interface ReadTrialsOptions {
  /** Comes before a `ground_truth.json` that stands in a folder. */
  readonly groundTruths?: GroundTruths
  /** Where signals stand in a trial. Absent: `resolved` is `reward >= 1`. */
  readonly signals?: readonly SignalSource[]
  readonly limits?: Partial<ArchiveLimits>
  /** The `variant` of every trial. */
  readonly variant?: string
  /** Set on every trial, over what the trial says of itself. */
  readonly metadata?: MoreMetadata
  /** Where archives are unpacked; the system's folder for such things where absent. */
  readonly tempFolder?: string
  /** Ends the reading; what was unpacked is removed. */
  readonly abort?: AbortSignal
  readonly onProgress?: (progress: ReadProgress) => void
}

/** One call of `readTrials`: what all of its parts share. */
export class ReadingJob {
  readonly options: ReadTrialsOptions
  readonly limits: ArchiveLimits
  readonly #names = new NameBook()
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

export const skip = (scope: Scope, place: Place, reason: SkipReason, detail: string, run = ''): TrialItem => ({
  kind: 'skipped',
  name: nameOf(scope, place, run),
  source: safeText(place.shown),
  reason,
  detail: safeText(detail.slice(0, MAX_DETAIL)),
})
