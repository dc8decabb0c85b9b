import type { Actor, ClaimId, Label } from '../schemas/vocabulary.ts'
import type { Digest } from './digest.ts'

/** One row of the label table. `null` matches both; rows are tried for exactly one match. */
export interface LabelRow {
  readonly observed: boolean | null
  readonly cue_acted: boolean | null
  readonly distractor_acted: boolean | null
  readonly label: Label
}

/**
 * A rubric as loaded and checked: the table is total and disjoint, every claim is known, every prompt variable has a value.
 * Made only by `parseRubric`.
 */
export interface Rubric {
  readonly id: string
  readonly version: number
  /** `id@version` */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly digest: Digest
  /** Frozen system text: no variables, so that every rubric and trajectory shares it in the provider's cache. */
  readonly system: string
  /** Asked after the trajectory; holds `{{variables}}`. */
  readonly question: string
  readonly evidence: Readonly<Record<ClaimId, readonly Actor[]>>
  readonly table: readonly LabelRow[]
}
