import type { GroundTruth } from '../schemas/ground-truth.ts'

/** The strings by which a plain search finds one instruction, and who said that they do. */
export interface InstructionAnchors {
  /** Shown to have been seen: given by the harness. Always holds the instruction's whole text. */
  readonly seen_given: readonly string[]
  /** Derived by us from the text: weaker, they only raise contradictions. */
  readonly seen_derived: readonly string[]
  readonly acted_given: readonly string[]
  readonly acted_derived: readonly string[]
  readonly acted_by: 'action' | 'message'
}

export interface Anchors {
  readonly cue: InstructionAnchors | null
  readonly distractor: InstructionAnchors | null
}

export function resolveAnchors(_groundTruth: GroundTruth): Anchors {
  throw new Error('written by the anchors part')
}
