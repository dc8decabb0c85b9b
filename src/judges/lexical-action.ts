import type { InstructionAnchors } from '../domain/anchors.ts'
import { isDone } from '../domain/doing.ts'
import { findFirst, type Hit } from '../domain/search.ts'
import type { Part, Step, Trajectory } from '../domain/trajectory.ts'
import type { ConfidenceLevel } from '../schemas/vocabulary.ts'

/** An action that follows an instruction, as far as its strings tell. */
export interface Followed {
  readonly hit: Hit
  readonly strength: ConfidenceLevel
  readonly why: string
}

/**
 * The first action after the observation that holds an action anchor. Anchors that the harness gave are trusted wherever the agent
 * really does something; derived ones need a whole command, or two of them in one action. Looking and telling are no acts.
 */
export function findFollowed(
  trajectory: Trajectory,
  anchors: InstructionAnchors,
  after: (part: Part, step: Step) => boolean,
): Followed | null {
  const actor = (part: Part) =>
    part.actor === 'agent_action' || (anchors.acted_by === 'message' && part.actor === 'agent_message')
  const given = findFirst(
    trajectory,
    anchors.acted_given,
    (part, step) => actor(part) && after(part, step) && anchors.acted_given.some((anchor) => isDone(part, anchor)),
  )
  if (given !== null) return { hit: given, strength: 'high', why: 'a given action anchor' }
  const commands = anchors.acted_derived.filter((anchor) => anchor.includes(' '))
  const whole = findFirst(
    trajectory,
    commands,
    (part, step) => actor(part) && after(part, step) && commands.some((anchor) => isDone(part, anchor)),
  )
  if (whole !== null) return { hit: whole, strength: 'medium', why: 'a whole command of its text' }
  const several = findFirst(
    trajectory,
    anchors.acted_derived,
    (part, step) =>
      actor(part) && after(part, step) && anchors.acted_derived.filter((anchor) => isDone(part, anchor)).length >= 2,
  )
  return several === null ? null : { hit: several, strength: 'low', why: 'several strings of its text' }
}
