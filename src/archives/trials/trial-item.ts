import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { OpenedDocument } from '../../formats/format.ts'
import type { GradeRequest } from '../../schemas/grade-request.ts'
import type { Place } from '../unpack/place.ts'
import type { TrialFacts } from './trial-facts.ts'

/** Why something that was found cannot be graded. */
const SKIP_REASONS = [
  /** A trial without a trajectory file. */
  'no_trajectory',
  /** No ground truth for the task, neither in the file of ground truths nor in the trial. */
  'no_ground_truth',
  /** A file that should be a trajectory and cannot be read; `detail` says where. */
  'unreadable',
  /** A file of no known format. */
  'unsupported',
  /** Over a limit, or not safe to open: a bomb, a path that leaves its folder, a link. */
  'refused',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** One trial that can be graded, or one that cannot, by name. Nothing that was found is left out silently. */
export type TrialItem =
  | {
      readonly kind: 'trial'
      /** Unique among all items of one reading; becomes the batch's `item_id`. */
      readonly name: string
      /** The path, as given, with the place inside of an archive after `!`. */
      readonly source: string
      /** A line of ready requests keeps its own judge, rubric, samples and cache mode. */
      readonly request: GradeRequest
      /** The request's trajectory, read; null: the request only names it. */
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
  /** How many files it stands for; absent: one. */
  readonly files?: number
}

export interface FoundRun {
  /** What the item is called after: a trial's folder, or a loose file. */
  readonly place: Place
  /** Where the run itself stands. */
  readonly file: Place
  readonly run: OpenedDocument
  readonly facts: TrialFacts
  readonly warnings: readonly string[]
  /** Folders of the trial, the nearest first, where signals are looked for. */
  readonly folders: readonly Place[]
}
