import type { InstructionAnchors } from '../../domain/evidence/anchors.ts'
import { NeedleSearch } from '../../domain/sights/needle-search.ts'
import { stringNeedles } from '../../domain/sights/sight-needles.ts'
import type { Hit } from '../../domain/text/search.ts'
import { isBefore, type Part, type Position, type Trajectory } from '../../domain/trajectory/trajectory.ts'
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
  for (const [step, { id, parts }] of trajectory.steps.entries())
    for (const [part, one] of parts.entries()) {
      const position = { step, part }
      const found =
        isThought(one) && actors.includes(one.actor) && isBefore(sight, position) ? search.find(one.text) : null
      if (found !== null) return { ...found, position, step_id: id, path: one.path }
    }
  return null
}

const isThought = ({ actor, media }: Part): boolean =>
  !media && (actor === 'agent_reasoning' || actor === 'agent_message')
