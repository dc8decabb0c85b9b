import type { Signal } from '../../schemas/ground-truth.ts'
import type { Actor, ClaimId, Label } from '../../schemas/vocabulary.ts'
import type { Digest } from '../digest.ts'

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
  /** Asked after the trajectory; holds `{{variables}}` and `{{#sections}}` (`template.ts`). */
  readonly question: string
  /** What a judge has to answer with: the schema of the rubric’s answer version. */
  readonly answer_schema: object
  /** What the harness measured that a judge is told; the rest stays unknown to it, so that its answers are its own. */
  readonly shows_signals: readonly Signal[]
  readonly evidence: Readonly<Record<ClaimId, readonly Actor[]>>
  readonly table: readonly LabelRow[]
}
