import { actsOf, type FoundUse } from '../../domain/acts/acts.ts'
import type { InstructionAnchors } from '../../domain/anchors/anchors.ts'
import { NeedleSearch } from '../../domain/sights/needle-search.ts'
import { stringNeedles } from '../../domain/sights/needles.ts'
import { indexOfWord } from '../../domain/text/search.ts'
import { type Hit, isBefore, type Position, type Step, type Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { GroundTruth } from '../../schemas/ground-truth.ts'
import type { Actor, ConfidenceLevel } from '../../schemas/vocabulary.ts'

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
    for (const [part, one] of parts.entries()) {
      const { actor, media, path } = one
      const isThought = !media && (actor === 'agent_reasoning' || actor === 'agent_message') && actors.includes(actor)
      const position = { step, part }
      const found = isThought && isBefore(sight, position) ? search.find(one) : null
      if (found !== null) return { ...found, position, step_id: id, path }
    }
  }
  return null
}

const LONGEST = 300
const VISIBLE = 12

/** The line around a hit, verbatim, cut to 300 characters that hold the hit; more lines where one is too short to prove anything. */
export function quoteAround(text: string, start: number, end: number): string {
  let from = text.lastIndexOf('\n', start - 1) + 1
  let to = text.indexOf('\n', end)
  if (to === -1) to = text.length
  if (to > from && text[to - 1] === '\r') to--
  if (to - from > LONGEST) {
    const stop = Math.min(to, Math.max(end, start + LONGEST))
    from = Math.max(from, Math.min(start, stop - LONGEST))
    to = Math.min(stop, from + LONGEST)
  }
  const line = text.slice(from, to)
  const clean = withoutControls(line, start - from, Math.min(end, to) - from)
  return countVisible(clean) >= VISIBLE ? clean : line
}

/** The longest stretch around the hit without control characters: what a person would copy. */
function withoutControls(line: string, start: number, end: number): string {
  let from = Math.max(0, start)
  let to = Math.max(from, Math.min(end, line.length))
  while (from > 0 && line.charCodeAt(from - 1) >= 0x20) from--
  while (to < line.length && line.charCodeAt(to) >= 0x20) to++
  return line.slice(from, to).trim()
}

const countVisible = (text: string): number => {
  let count = 0
  for (const character of text) if (character.trim() !== '') count++
  return count
}
