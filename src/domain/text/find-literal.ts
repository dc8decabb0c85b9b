import type { Actor } from '../../schemas/vocabulary.ts'
import type { Part, Step, Trajectory } from '../trajectory/trajectory.ts'

/** Where a text stands; offsets are UTF-16 units of the part’s text. */
interface LiteralHit {
  readonly step_id: number
  readonly path: string
  readonly actor: Actor
  readonly start: number
  readonly end: number
  /** The text around it, of which the first unit stands at `excerpt_start`. */
  readonly excerpt: string
  readonly excerpt_start: number
  /** Of the whole part. */
  readonly text_length: number
  /** Its step holds the text in further places. */
  readonly more_in_step: boolean
}

/** What a search in one stored run came to. */
export interface SearchedRun {
  readonly hits: readonly LiteralHit[]
  /** Further steps hold the text. */
  readonly more: boolean
  /** What the run itself says of its agent. */
  readonly agent: Trajectory['agent']
  /** Of the whole document. */
  readonly chars: number
}

const MOST_PLACES = 3
const BEFORE = 80
const BEHIND = 160

/** The first places of a text, whatever its case, in each of at most `most` steps that hold it. */
export function findLiteral({ steps }: Trajectory, wanted: string, most: number): Pick<SearchedRun, 'hits' | 'more'> {
  // A literal: every character that means something to a pattern is escaped, so that nothing can backtrack.
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'gi')
  const hits: LiteralHit[] = []
  let found = 0
  for (const step of steps) {
    const places = placesIn(step, pattern, MOST_PLACES + 1)
    if (places.length === 0) continue
    if (found === most) return { hits, more: true }
    found++
    const more_in_step = places.length > MOST_PLACES
    hits.push(...places.slice(0, MOST_PLACES).map((place) => ({ ...place, more_in_step })))
  }
  return { hits, more: false }
}

function placesIn({ id, parts }: Step, pattern: RegExp, most: number) {
  const places: Omit<LiteralHit, 'more_in_step'>[] = []
  for (const part of parts)
    for (const { 0: found, index } of part.text.matchAll(pattern)) {
      places.push(hitAt(id, part, index, index + found.length))
      if (places.length === most) return places
    }
  return places
}

function hitAt(step_id: number, { text, path, actor }: Part, start: number, end: number) {
  const from = wordStart(text, Math.max(0, start - BEFORE), start)
  const to = wordEnd(text, Math.min(text.length, end + BEHIND), end)
  const excerpt = text.slice(from, to)
  return { step_id, path, actor, start, end, excerpt, excerpt_start: from, text_length: text.length }
}

/** From `at` on, the first place that cuts no word, but not behind `most`. */
function wordStart(text: string, at: number, most: number): number {
  for (let here = at; here <= most; here++) if (isGap(text[here - 1])) return here
  return wholeAt(text, at)
}

/** From `at` back, the first place that cuts no word, but not before `least`. */
function wordEnd(text: string, at: number, least: number): number {
  for (let here = at; here >= least; here--) if (isGap(text[here])) return here
  return wholeAt(text, at)
}

/** White space, or an end of the text. */
const isGap = (unit = ''): boolean => unit.trim() === ''

/** Never between the halves of a surrogate pair. */
const wholeAt = (text: string, at: number): number => {
  const isTail = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return isTail ? at - 1 : at
}
