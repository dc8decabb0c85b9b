import type { Actor } from '../schemas/vocabulary.ts'
import type { Part, Trajectory } from './trajectory.ts'

/** Where a text stands; offsets are UTF-16 units of the part’s text. */
export interface LiteralHit {
  readonly step_id: number
  readonly path: string
  readonly actor: Actor
  readonly start: number
  readonly end: number
  /** The text around it, of which the first unit stands at `excerpt_start`. */
  readonly excerpt: string
  readonly excerpt_start: number
}

/** What a search in one stored run came to. */
export interface SearchedRun {
  readonly hits: readonly LiteralHit[]
  /** Further steps hold the text. */
  readonly more: boolean
  /** Of the whole document. */
  readonly chars: number
}

const BEFORE = 80
const BEHIND = 160

/** The first place of a text in each step that holds it, whatever its case, in at most `most` steps. */
export function findLiteral({ steps }: Trajectory, wanted: string, most: number): Pick<SearchedRun, 'hits' | 'more'> {
  // A literal: every character that means something to a pattern is escaped, so that nothing can backtrack.
  const pattern = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'), 'i')
  const hits: LiteralHit[] = []
  for (const { id, parts } of steps) {
    const part = parts.find(({ text }) => pattern.test(text))
    if (part === undefined) continue
    if (hits.length === most) return { hits, more: true }
    const start = part.text.search(pattern)
    hits.push(hitAt(id, part, start, start + wanted.length))
  }
  return { hits, more: false }
}

function hitAt(step_id: number, { text, path, actor }: Part, start: number, end: number): LiteralHit {
  const from = wholeAt(text, Math.max(0, start - BEFORE))
  const to = wholeAt(text, Math.min(text.length, end + BEHIND))
  return { step_id, path, actor, start, end, excerpt: text.slice(from, to), excerpt_start: from }
}

/** Never between the halves of a surrogate pair. */
const wholeAt = (text: string, at: number): number => {
  const isTail = (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800
  return isTail ? at - 1 : at
}
