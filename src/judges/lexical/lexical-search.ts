import { actsOf, isDone, type LocatedUse } from '../../domain/acts/acts.ts'
import { type InstructionAnchors, textOfAnchor } from '../../domain/anchors/anchors.ts'
import { NeedleSearch } from '../../domain/sights/needle-search.ts'
import { stringNeedles } from '../../domain/sights/needles.ts'
import { indexOfWord, mentions } from '../../domain/text/search.ts'
import { type Hit, isBefore, type Position, type Step, type Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { ActionAnchor, GroundTruth } from '../../schemas/trial.ts'
import type { Actor } from '../../schemas/vocabulary.ts'

/** An action that follows an instruction, by its anchors. */
interface Followed {
  readonly hit: Hit
  readonly why: string
}

/** The acts behind a sight by the anchors of an instruction. */
export interface Study {
  readonly followed: Followed | null
  /** Without a certain follower: the first act that holds one of the anchor's words, or may follow the instruction. */
  readonly near: LocatedUse | null
}

/**
 * Finds the first action after the sight that carries out an action anchor: a given anchor, a whole command of the text, or, without given
 * anchors, two words of the text in one action.
 */
export function studyActs(
  trajectory: Trajectory,
  truth: GroundTruth,
  anchors: InstructionAnchors,
  sight: Position | null,
): Study {
  const acts = actsOf(trajectory, truth)
  const find = (wanted: readonly ActionAnchor[]) => acts.firstUse(sight, wanted, anchors.acted_by)
  const follow = (use: LocatedUse, why: string): Study => ({
    followed: { hit: hitOf(trajectory, use), why },
    near: null,
  })
  const explicit = find(anchors.acted_given)
  if (explicit !== null && (isDone(explicit.use) || holdsAnchor(explicit)))
    return follow(explicit, isDone(explicit.use) ? 'a given action anchor' : 'perhaps, by a given action anchor')
  const command = find(anchors.acted_derived.filter((anchor) => anchor.includes(' ')))
  if (command !== null && isDone(command.use)) return follow(command, 'a whole command of its text')
  const near = explicit ?? find(anchors.acted_near) ?? find(anchors.acted_derived)
  if (near === null) return { followed: null, near }
  const hasOthers = anchors.acted_derived.some(
    (anchor) => anchor !== near.anchor && !['told', 'absent'].includes(acts.useOf(near.position, [anchor])),
  )
  return hasOthers ? follow(near, 'several strings of its text') : { followed: null, near }
}

/** Tells whether the part of an act has the words of its anchor: an act that no search can read may do anything. */
const holdsAnchor = ({ step, position, anchor }: LocatedUse): boolean =>
  mentions(step.parts[position.part]?.text ?? '', anchor)

/** Returns the place to quote from an act: the string itself, else its longest word, else the beginning of the action. */
function hitOf(trajectory: Trajectory, { position, anchor: string, step }: LocatedUse): Hit {
  const part = step.parts[position.part]
  const text = part?.text ?? ''
  const words = string.split(' ').sort((a, b) => b.length - a.length)
  const needle = [string, ...words].find((word) => word !== '' && indexOfWord(text, word, 0) !== -1)
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

/**
 * Finds the first place behind a sight where the agent thinks or speaks of an instruction, by any of its strings. `actors`: the kinds of
 * parts that count.
 */
export function firstMention(
  trajectory: Trajectory,
  anchors: InstructionAnchors,
  sight: Position,
  actors: readonly Actor[],
): Hit | null {
  const { seen_given, seen_derived, acted_given, acted_derived } = anchors
  const search = new NeedleSearch(
    stringNeedles([...seen_given, ...seen_derived, ...acted_given.map(textOfAnchor), ...acted_derived]),
  )
  for (let step = sight.step; step < trajectory.steps.length; step++) {
    const { id, parts } = trajectory.steps[step] as Step
    for (const [part, content] of parts.entries()) {
      const { actor, media, path } = content
      const isThought = !media && (actor === 'agent_reasoning' || actor === 'agent_message') && actors.includes(actor)
      const position = { step, part }
      const hit = isThought && isBefore(sight, position) ? search.find(content) : null
      if (hit !== null) return { ...hit, position, step_id: id, path }
    }
  }
  return null
}

const LONGEST = 300
const VISIBLE = 12

/** Returns the line around a hit, verbatim, cut to 300 characters around it; more lines where one is too short to prove anything. */
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

/** Returns the longest stretch around the hit without control characters, as a person would copy it. */
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
