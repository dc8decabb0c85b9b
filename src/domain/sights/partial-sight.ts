import { exactLetters, type Letters, sourceOf } from '../text/letters.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { isInWord, type Match, type Needle, PIECE } from './needle-search.ts'

/** A stretch of the needle that stands in one piece: letters of the needle, from `first` to `last` in the text. */
interface Run {
  readonly from: number
  readonly to: number
  readonly first: number
  readonly last: number
  readonly letters: Letters
}

/** Pieces of one output that are followed: more of the same say nothing new. */
export const MOST_PIECES = 100_000
const CLEAR_RUN = 40
const CLEAR_SHARE = 0.6
const CLEAR_TOTAL = 0.5

/** Collects the pieces of one whole text over all tool output. */
export class PieceCollector {
  private readonly needle: Needle
  private readonly seen: Uint8Array
  private total = 0
  private reached = 0
  /** The outputs that show a piece, and those of them of which each goes on where the one before ended. */
  private readonly showing = new Set<Part>()
  private readonly inOrder = new Set<Part>()
  private isClear = false

  constructor(needle: Needle) {
    this.needle = needle
    this.seen = new Uint8Array(needle.exact.length)
  }

  /** Lists the outputs with a piece, and how surely each proves a sight; empty where all of them do not show enough. */
  get proofs(): readonly (readonly [Part, 'sure' | 'unsure'])[] {
    const isSure = (part: Part): boolean => this.reached === this.needle.exact.length && this.inOrder.has(part)
    return this.isClear ? [...this.showing].map((part) => [part, isSure(part) ? 'sure' : 'unsure'] as const) : []
  }

  /** Reads the pieces that stand in one output, roughly in the order of its text, and finds the range that shows the text; null: nothing worth a doubt. */
  read(part: Part, pieces: readonly Match[]) {
    let last: Run | null = null
    let best: Run | null = null
    let [runs, covered] = [0, -1]
    for (const piece of pieces) {
      // No letter of the text is followed twice.
      if (piece.last <= covered) continue
      const run = this.follow(piece)
      covered = run.last
      if (last === null || run.to > last.to || run.from < last.from) {
        runs++
        last = run
      }
      if (best === null || run.to - run.from > best.to - best.from) best = run
    }
    if (best === null) return null
    this.showing.add(part)
    if (runs === 1 && this.goesOn(best)) {
      this.reached = best.to
      this.inOrder.add(part)
    }
    const { length } = this.needle.exact
    const shown = best.to - best.from
    const isClear = shown >= CLEAR_RUN || shown >= CLEAR_SHARE * length || this.total >= CLEAR_TOTAL * length
    this.isClear ||= isClear
    // Several outputs show the text line by line without a gap, each from the end of the output before. A missing word can be the word that matters
    // (`did not read`), so any other sight of pieces stays doubtful.
    const isComplete = this.reached === length
    return isClear ? { ...sourceOf(best.letters, best.first, best.last + 1), isComplete } : null
  }

  /** Follows the letters of the needle back and on from a piece. */
  private follow({ entry: { piece }, letters, first, last }: Match): Run {
    const own = this.needle.letters.text
    const { text } = letters
    let [back, on] = [0, 0]
    while (back < PIECE && back < piece && back < first && own[piece - back - 1] === text[first - back - 1]) back++
    const end = piece + PIECE
    while (end + on < own.length && own[end + on] === text[last + on + 1]) on++
    for (let letter = piece - back; letter < end + on; letter++) {
      if (this.seen[letter] === 0) this.total++
      this.seen[letter] = 1
    }
    return { from: piece - back, to: end + on, first: first - back, last: last + on, letters }
  }

  /** Tests whether a run begins where the last run ended, on lines of its own, with the needle's very letters. */
  private goesOn({ from, to, first, last, letters }: Run): boolean {
    const { exact } = this.needle
    const { text } = letters.shown
    const unitOf = (letter: number): number | undefined => letters.from[letter]
    const [begins, ends] = [unitOf(first) ?? 0, (unitOf(last) ?? 0) + 1]
    const before = first === 0 ? '\n' : text.slice((unitOf(first - 1) ?? 0) + 1, begins)
    const behind = unitOf(last + 1) === undefined ? '\n' : text.slice(ends, unitOf(last + 1))
    return (
      from <= this.reached &&
      to > this.reached &&
      (from === 0 ? !isInWord(text, begins) : before.includes('\n')) &&
      (to === exact.length ? !isInWord(text, ends) : behind.includes('\n')) &&
      exactLetters(letters, first, last + 1) === exact.slice(from, to)
    )
  }
}
