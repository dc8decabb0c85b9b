import type { InstructionAnchors } from '../../domain/evidence/anchors.ts'
import { NeedleSearch } from '../../domain/sights/needle-search.ts'
import { type Needles, stringNeedles } from '../../domain/sights/sight-needles.ts'
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
  const search = new NeedleSearch(needlesOf(anchors))
  for (const [step, { id, parts }] of trajectory.steps.entries())
    for (const [part, one] of parts.entries()) {
      const position = { step, part }
      const found =
        isThought(one) && actors.includes(one.actor) && isBefore(sight, position) ? search.find(one.text) : null
      if (found !== null) return { ...found, position, step_id: id, path: one.path }
    }
  return null
}

/** Of a few questions: the trials of a task ask for the same. */
const kept = new Map<InstructionAnchors, Needles>()
const MOST_KEPT = 64

function needlesOf(anchors: InstructionAnchors): Needles {
  const { seen_given, seen_derived, acted_given, acted_derived } = anchors
  const needles = kept.get(anchors) ?? stringNeedles([...seen_given, ...seen_derived, ...acted_given, ...acted_derived])
  if (kept.size === MOST_KEPT) kept.clear()
  kept.set(anchors, needles)
  return needles
}

const isThought = ({ actor, media }: Part): boolean =>
  !media && (actor === 'agent_reasoning' || actor === 'agent_message')
