import type { InstructionAnchors } from '../../domain/evidence/anchors.ts'
import { NeedleSearch } from '../../domain/sights/needle-search.ts'
import { stringNeedles } from '../../domain/sights/sight-needles.ts'
import type { Hit } from '../../domain/text/search.ts'
import { isBefore, type Position, type Step, type Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'

/** The first place behind a sight where the agent thinks or speaks of an instruction, by any of its strings; `actors`: what of it counts. */
export function firstMention(
  trajectory: Trajectory,
  anchors: InstructionAnchors,
  sight: Position,
  actors: readonly Actor[],
): Hit | null {
  const { seen_given, seen_derived, acted_given, acted_derived } = anchors
  const search = new NeedleSearch(stringNeedles([...seen_given, ...seen_derived, ...acted_given, ...acted_derived]))
  for (let step = sight.step; step < trajectory.steps.length; step++) {
    const { id, parts } = trajectory.steps[step] as Step
    for (const [part, { actor, media, text, path }] of parts.entries()) {
      const isThought = !media && (actor === 'agent_reasoning' || actor === 'agent_message') && actors.includes(actor)
      const position = { step, part }
      const found = isThought && isBefore(sight, position) ? search.find(text) : null
      if (found !== null) return { ...found, position, step_id: id, path }
    }
  }
  return null
}
