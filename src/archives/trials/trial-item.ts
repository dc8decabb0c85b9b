import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { OpenedDocument } from '../../formats/format.ts'
import type { GradeRequest } from '../../schemas/grade-request.ts'
import type { Place } from '../unpack/place.ts'
import type { TrialFacts } from './trial-facts.ts'

/** Reasons why an item cannot be graded. */
const SKIP_REASONS = [
  /** A trial without a trajectory file. */
  'no_trajectory',
  /** A task without ground truth, in the file of ground truths and in the trial alike. */
  'no_ground_truth',
  /** A file that should be a trajectory and cannot be read; `detail` names the place. */
  'unreadable',
  /** A file of no known format. */
  'unsupported',
  /** A file over a limit, or unsafe to open: a bomb, a path that leaves its folder, a link. */
  'refused',
] as const
export type SkipReason = (typeof SKIP_REASONS)[number]

/** A trial that can be graded, or a skipped item with its reason. No file is left out silently. */
export type TrialItem =
  | {
      readonly kind: 'trial'
      /** The name, unique among all items of one reading; the batch's `item_id`. */
      readonly name: string
      /** The `item_id` that a line of a request file gives. */
      readonly item_id?: string
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
  /** Count of files that the item stands for; one where absent. */
  readonly files?: number
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
