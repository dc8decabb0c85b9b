import type { CheckedCitation } from '../../schemas/grade.ts'
import type { Position } from '../trajectory/trajectory.ts'
import type { Proved } from './proved.ts'

/** A citation with what came of it. */
export interface Checked {
  readonly citation: CheckedCitation
  readonly position: Position | null
  /** What stands there as proof of its claim; null: the citation itself does not hold. */
  readonly proved: Proved | null
}
