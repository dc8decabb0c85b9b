import type { ClaimId } from '../schemas/vocabulary.ts'
import type { InstructionAnchors } from './anchors.ts'
import { isOnlyTold } from './doing.ts'
import type { EvidenceQuestion } from './evidence.ts'
import { type Observations, partAt } from './observations.ts'
import { findInText } from './search.ts'
import type { Position } from './trajectory.ts'

/** Whether what stands at a place can prove a claim, where a search can tell. Its answers are kept: citations share places. */
export type Proof = (claim: ClaimId, at: Position) => boolean

export function createProof(question: EvidenceQuestion, seen: Observations): Proof {
  const known = new Map<string, boolean>()
  const { anchors } = question
  const prove = (claim: ClaimId, at: Position): boolean => {
    if (claim === 'surface.observed') return showsSurface(question, seen, at)
    if (claim === 'cue.acted') return isAct(question, anchors.cue, at)
    return claim !== 'distractor.acted' || isAct(question, anchors.distractor, at)
  }
  return (claim, at) => {
    const key = `${claim}/${at.step}/${at.part}`
    const answer = known.get(key) ?? prove(claim, at)
    known.set(key, answer)
    return answer
  }
}

/** Where a search finds the instructions anywhere, a surface is a part that holds a string of them, or output with a picture. */
function showsSurface({ rendering, anchors }: EvidenceQuestion, seen: Observations, at: Position): boolean {
  if (seen.surface === null) return true
  const { trajectory } = rendering
  if (trajectory.steps[at.step]?.parts.some((part) => part.media && part.actor === 'tool_output')) return true
  const words = [anchors.cue, anchors.distractor].flatMap((one) =>
    one === null ? [] : [...one.seen_given, ...one.seen_derived],
  )
  return findInText(partAt(trajectory, at)?.text ?? '', words) !== null
}

/** An action that only looks at a given action anchor or tells of it is no act. One that holds none may follow in other words. */
function isAct({ rendering }: EvidenceQuestion, anchors: InstructionAnchors | null, at: Position): boolean {
  const part = partAt(rendering.trajectory, at)
  return part === null || anchors === null || !isOnlyTold(part, anchors.acted_given)
}
