import type { OpenedDocument } from '../../formats/format.ts'
import type { Place } from '../unpack/place.ts'
import type { TrialFacts } from './trial-facts.ts'

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
