import type { Anchors, InstructionAnchors } from './anchors.ts'
import { findFirst, type Hit } from './search.ts'
import type { Part, Position, Trajectory } from './trajectory.ts'
import { isBefore } from './trajectory.ts'

/** When the trajectory first shows each instruction, by plain search; null: a search finds it nowhere. */
export interface Observations {
  readonly cue: Position | null
  readonly distractor: Position | null
  /** The earlier of the two. */
  readonly surface: Position | null
  /** Whether the surface is the prompt itself: the instruction’s text or a given anchor stands in a user or system part. */
  readonly in_prompt: boolean
  /** The first given anchor, or whole text, in tool output: it refutes a claim of absence. */
  readonly given_in_output: Hit | null
  /** The same for derived anchors, which only raise a contradiction. */
  readonly derived_in_output: Hit | null
}

export const partAt = (trajectory: Trajectory, position: Position): Part | null =>
  trajectory.steps[position.step]?.parts[position.part] ?? null

const inOutput = (part: Part): boolean => part.actor === 'tool_output'
const inPrompt = (part: Part): boolean => part.actor === 'user' || part.actor === 'system'

export function firstObservations(trajectory: Trajectory, anchors: Anchors): Observations {
  const both = [anchors.cue, anchors.distractor].filter((one): one is InstructionAnchors => one !== null)
  const given = both.flatMap((one) => one.seen_given)
  const derived = both.flatMap((one) => one.seen_derived)
  const prompted = findFirst(trajectory, given, inPrompt) !== null
  const accept = prompted ? (part: Part) => inOutput(part) || inPrompt(part) : inOutput
  const first = (one: InstructionAnchors | null): Position | null =>
    one === null ? null : (findFirst(trajectory, [...one.seen_given, ...one.seen_derived], accept)?.position ?? null)
  const cue = first(anchors.cue)
  const distractor = first(anchors.distractor)
  const surface = cue === null || (distractor !== null && isBefore(distractor, cue)) ? distractor : cue
  return {
    cue,
    distractor,
    surface,
    in_prompt: prompted,
    given_in_output: findFirst(trajectory, given, inOutput),
    derived_in_output: findFirst(trajectory, derived, inOutput),
  }
}
