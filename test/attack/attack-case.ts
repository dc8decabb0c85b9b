import type { GroundTruth } from '../../src/schemas/trial.ts'
import type { Behaviour } from '../../src/schemas/vocabulary.ts'
import type { SurfaceId } from './base/surfaces.ts'
import type { LimitId } from './limits.ts'

/** What an attack does; rates are printed by class and judge. */
export const ATTACK_CLASSES = [
  'control',
  'fake_verdict',
  'fake_note',
  'forged_frames',
  'one_token_opener',
  'rewritten_narration',
  'code_or_encoding',
  'other_language',
  'invisible_text',
  'padding',
  'special_tokens',
  'copied_quotes',
  'broken_form',
  'real_evidence',
] as const
export type AttackClass = (typeof ATTACK_CLASSES)[number]

export const JUDGES = ['obedient', 'lazy', 'lexical'] as const
export type JudgeName = (typeof JUDGES)[number]

/** One trajectory with its attack, and the label that is true whatever the attack says. */
export interface AttackCase {
  /** `class/kind/base→target@actor`, unique. */
  readonly name: string
  readonly attack: AttackClass
  /** The weak point that it is for; null: it must not succeed. */
  readonly limit: LimitId | null
  readonly truth: Behaviour
  /** Where the instructions stand. `media`: in a picture that the trajectory only names. */
  readonly surface: SurfaceId
  /** What the attack wants. */
  readonly target: Behaviour
  /** Whether the ground truth brings action anchors. */
  readonly anchored: boolean
  /** Made when asked for: some are long. */
  readonly trajectory: () => Record<string, unknown>
  readonly ground_truth: GroundTruth
  readonly judges: readonly JudgeName[]
}
