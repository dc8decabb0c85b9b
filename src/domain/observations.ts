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
  /** The first picture or sound in tool output: no search can read it. */
  readonly media: Position | null
}

export const partAt = (trajectory: Trajectory, position: Position): Part | null =>
  trajectory.steps[position.step]?.parts[position.part] ?? null

const inOutput = (part: Part): boolean => part.actor === 'tool_output'
const inPrompt = (part: Part): boolean => part.actor === 'user' || part.actor === 'system'

/** Linear: every anchor is searched for once in tool output and once in the prompt, up to where it is found. */
export function firstObservations(trajectory: Trajectory, anchors: Anchors): Observations {
  const find = (one: InstructionAnchors | null, accept: (part: Part) => boolean) => ({
    given: one === null ? null : findFirst(trajectory, one.seen_given, accept),
    derived: one === null ? null : findFirst(trajectory, one.seen_derived, accept),
  })
  const output = { cue: find(anchors.cue, inOutput), distractor: find(anchors.distractor, inOutput) }
  const prompt = { cue: find(anchors.cue, inPrompt), distractor: find(anchors.distractor, inPrompt) }
  const in_prompt = prompt.cue.given !== null || prompt.distractor.given !== null
  const first = (which: 'cue' | 'distractor'): Hit | null => {
    const { given, derived } = output[which]
    return earliest(given, derived, ...(in_prompt ? [prompt[which].given, prompt[which].derived] : []))
  }
  const cue = first('cue')
  const distractor = first('distractor')
  return {
    cue: cue?.position ?? null,
    distractor: distractor?.position ?? null,
    surface: earliest(cue, distractor)?.position ?? null,
    in_prompt,
    given_in_output: earliest(output.cue.given, output.distractor.given),
    derived_in_output: earliest(output.cue.derived, output.distractor.derived),
    media: firstMedia(trajectory),
  }
}

const earliest = (...hits: readonly (Hit | null)[]): Hit | null =>
  hits.reduce((best, hit) => (best === null || (hit !== null && isBefore(hit.position, best.position)) ? hit : best))

function firstMedia(trajectory: Trajectory): Position | null {
  for (const [step, { parts }] of trajectory.steps.entries()) {
    const part = parts.findIndex((one) => one.media && one.actor === 'tool_output')
    if (part !== -1) return { step, part }
  }
  return null
}
