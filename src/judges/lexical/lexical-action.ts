import { actsOf, type FoundUse } from '../../domain/acts/acts.ts'
import type { InstructionAnchors } from '../../domain/evidence/anchors.ts'
import { type Hit, indexOfWord } from '../../domain/text/search.ts'
import type { Position, Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { GroundTruth } from '../../schemas/ground-truth.ts'
import type { ConfidenceLevel } from '../../schemas/vocabulary.ts'

/** An action that follows an instruction, as far as its strings tell. */
interface Followed {
  readonly hit: Hit
  readonly strength: ConfidenceLevel
  readonly why: string
}

/** What the actions after a sight do with the strings of an instruction. */
export interface Study {
  readonly followed: Followed | null
  /** Where no action follows it surely: the first that does something with a word of it, or may. */
  readonly near: FoundUse | null
}

/**
 * The first action after the sight that does something with an action anchor. Anchors that the harness gave are trusted; derived ones need a whole
 * command, or two of them in one action.
 */
export function studyActs(
  trajectory: Trajectory,
  truth: GroundTruth,
  anchors: InstructionAnchors,
  sight: Position | null,
): Study {
  const acts = actsOf(trajectory, truth)
  const find = (strings: readonly string[]) => acts.firstUse(sight, strings, anchors.acted_by)
  const follow = (found: FoundUse, strength: ConfidenceLevel, why: string): Study => ({
    followed: { hit: hitOf(trajectory, found), strength, why },
    near: null,
  })
  const followed = (found: FoundUse | null, strength: ConfidenceLevel, why: string): Study | null =>
    found?.use === 'done' ? follow(found, strength, why) : null
  const commands = anchors.acted_derived.filter((anchor) => anchor.includes(' '))
  const sure =
    followed(find(anchors.acted_given), 'high', 'a given action anchor') ??
    followed(find(commands), 'medium', 'a whole command of its text')
  if (sure !== null) return sure
  const near = find(anchors.acted_near) ?? find(anchors.acted_given) ?? find(anchors.acted_derived)
  if (near === null) return { followed: null, near }
  // What a tool that is in no table does with them is not known either.
  const hasOthers = anchors.acted_derived.some(
    (one) => one !== near.string && ['done', 'unsure'].includes(acts.useOf(near.position, [one])),
  )
  return hasOthers ? follow(near, 'low', 'several strings of its text') : { followed: null, near }
}

/** Where to quote an act: the string itself, else its longest word, else the beginning of the action. */
function hitOf(trajectory: Trajectory, { position, string, step }: FoundUse): Hit {
  const part = step.parts[position.part]
  const text = part?.text ?? ''
  const words = string.split(' ').sort((a, b) => b.length - a.length)
  const needle = [string, ...words].find((one) => one !== '' && indexOfWord(text, one, 0) !== -1)
  const start = needle === undefined ? text.length - text.trimStart().length : indexOfWord(text, needle, 0)
  const end = start + (needle?.length ?? 1)
  return {
    needle: string,
    position,
    step_id: trajectory.steps[position.step]?.id ?? step.id,
    path: part?.path ?? '',
    start,
    end,
  }
}
