import { isWord } from '../text/search.ts'
import type { Part } from '../trajectory/trajectory.ts'
import type { Match } from './needle-search.ts'
import { type Needle, PIECE } from './sight-needles.ts'
import type { Skeleton } from './skeleton.ts'

/** How far a text, or several one after the other, show a whole instruction. */
interface PartialSight {
  readonly start: number
  readonly end: number
  /**
   * Nothing is missing: several outputs show it line by line, each going on where the one before ended. Where a word is missing, it can be
   * the one that matters (`did not read`), so any other sight of pieces stays doubtful.
   */
  readonly isComplete: boolean
}

/** A stretch of the needle that stands in one piece, in units of needle and text. */
interface Run {
  from: number
  to: number
  last: number
  start: number
  end: number
  beginsLine: boolean
  endsLine: boolean
  /** At the first or last word of the needle a longer word stands: `make release-7` in `make release-70`. */
  isPartOfWord: boolean
}

/** Pieces followed in one text: more of the same say nothing new. */
const MOST_ADDED = 20_000
const CLEAR_RUN = 40
const CLEAR_SHARE = 0.6
const CLEAR_TOTAL = 0.5

/** Collects the pieces of one whole text over all tool output. */
export class PieceCollector {
  private readonly needle: Needle
  private readonly seen: Uint8Array
  private total = 0
  private reached = 0
  private runs = 0
  /** The last unit of the text that a run was followed to: none is followed twice. */
  private covered = -1
  private added = 0
  private run: Run | null = null
  private best: Run | null = null
  /** The outputs that show a piece, and those of them of which each goes on where the one before ended. */
  private readonly showing = new Set<Part>()
  private readonly inOrder = new Set<Part>()
  private isClear = false

  constructor(needle: Needle) {
    this.needle = needle
    this.seen = new Uint8Array(needle.units.length)
  }

  /** A piece in the text that is being read; matches come in the order of the text. */
  add({ meaning, first, last, start, end }: Match, text: string, skeleton: Skeleton): void {
    const { units } = this.needle
    const { run } = this
    if (last <= this.covered || ++this.added > MOST_ADDED) return
    const { codes, length } = skeleton
    const most = Math.min(PIECE, first, meaning.piece)
    let left = 0
    while (left < most && units[meaning.piece - left - 1] === codes[first - left - 1]) left++
    const after = meaning.piece + PIECE
    const rest = Math.min(length - last - 1, units.length - after)
    let right = 0
    while (right < rest && units[after + right] === codes[last + right + 1]) right++
    this.covered = last + right
    const from = meaning.piece - left
    const to = after + right
    for (let unit = from; unit < to; unit++) {
      if (this.seen[unit] === 0) this.total++
      this.seen[unit] = 1
    }
    const begin = left === 0 ? start : skeleton.offset(first - left)
    const stop = right === 0 ? end : skeleton.end(last + right)
    const isPartOfWord = isInWord(this.needle, from, to, skeleton, first - left, last + right)
    if (run !== null && from <= run.to && to > run.to && isNextTo(skeleton, run.last, first - left)) {
      run.to = to
      run.last = last + right
      run.end = stop
      run.endsLine = endsLine(text, stop)
      run.isPartOfWord ||= isPartOfWord
    } else if (run === null || to > run.to || from < run.from) {
      this.runs++
      const begins = beginsLine(text, begin)
      this.run = {
        from,
        to,
        last: last + right,
        start: begin,
        end: stop,
        beginsLine: begins,
        endsLine: endsLine(text, stop),
        isPartOfWord,
      }
    }
    const { best } = this
    if (this.run !== null && (best === null || this.run.to - this.run.from > best.to - best.from)) this.best = this.run
  }

  /** What each output with a piece proves of a sight; nothing, where all of them do not show enough. */
  get proofs(): readonly (readonly [Part, 'sure' | 'unsure'])[] {
    const isSure = (part: Part): boolean => this.isComplete && this.inOrder.has(part)
    return this.isClear ? [...this.showing].map((part) => [part, isSure(part) ? 'sure' : 'unsure'] as const) : []
  }

  private get isComplete(): boolean {
    return this.reached === this.needle.units.length
  }

  /** What the output that was read shows; null: nothing worth a doubt. */
  finish(part: Part): PartialSight | null {
    const { best, needle } = this
    if (best === null) return null
    this.showing.add(part)
    const isNext =
      this.runs === 1 && !best.isPartOfWord && best.from <= this.reached && (best.from === 0 || best.beginsLine)
    if (isNext && best.to > this.reached && (best.endsLine || best.to === needle.units.length)) {
      this.reached = best.to
      this.inOrder.add(part)
    }
    const length = needle.units.length
    const run = best.to - best.from
    this.run = null
    this.best = null
    this.runs = 0
    this.covered = -1
    this.added = 0
    const isClear = run >= CLEAR_RUN || run >= CLEAR_SHARE * length || this.total >= CLEAR_TOTAL * length
    this.isClear ||= isClear
    return isClear ? { start: best.start, end: best.end, isComplete: this.isComplete } : null
  }
}

/** A word between two stretches would change what they say. */
const isNextTo = (skeleton: Skeleton, last: number, first: number): boolean =>
  first === last + 1 || (first > last && skeleton.isBlock(last + 1, first))

/** Whether `units[from, to)` of the needle, from `first` to `last` in the text, are its beginning or its end in a longer word. */
function isInWord(needle: Needle, from: number, to: number, skeleton: Skeleton, first: number, last: number): boolean {
  const { units, endsWord } = needle
  const isWordAt = (unit: number, joint: number) => !skeleton.isApart(joint) && isWord(skeleton.codes[unit] ?? 0)
  return (
    (from === 0 && isWord(units[0] ?? 0) && isWordAt(first - 1, first)) ||
    (to === units.length && endsWord && isWordAt(last + 1, last + 1))
  )
}

function endsLine(text: string, at: number): boolean {
  for (let next = at; next < at + 80; next++) {
    const char = text[next]
    if (char === undefined || char === '\n' || char === '\r') return true
    if (char !== ' ' && char !== '\t') return false
  }
  return false
}

function beginsLine(text: string, at: number): boolean {
  for (let next = at - 1; next > at - 80; next--) {
    const char = text[next]
    if (char === undefined || char === '\n') return true
    if (char !== ' ' && char !== '\t') return false
  }
  return false
}
