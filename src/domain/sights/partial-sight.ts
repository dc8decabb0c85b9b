import { exactLetters, type Letters } from '../text/letters.ts'
import type { Part } from '../trajectory/trajectory.ts'
import { isInWord, type Match } from './needle-search.ts'
import { type Needle, PIECE } from './needles.ts'

/** The range in which a text shows pieces of a whole instruction. */
interface PartialSight {
  readonly start: number
  readonly end: number
  /**
   * Nothing is missing: several outputs show it line by line, each going on where the one before ended. Where a word is missing, it can be
   * the one that matters (`did not read`), so any other sight of pieces stays doubtful.
   */
  readonly isComplete: boolean
}

/** A stretch of the needle that stands in one piece: letters of the needle, from `first` to `last` in the text. */
interface Run {
  readonly from: number
  readonly to: number
  readonly first: number
  readonly last: number
  readonly letters: Letters
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
  /** The last letter of the text that a run was followed to: none is followed twice. */
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
    this.seen = new Uint8Array(needle.exact.length)
  }

  /** Adds a piece in the text that is being read; matches come roughly in the order of the text. */
  add({ entry, letters, first, last }: Match): void {
    if (last <= this.covered || ++this.added > MOST_ADDED) return
    const own = this.needle.letters.text
    const { text } = letters
    let from = entry.piece
    let begin = first
    while (from > 0 && begin > 0 && entry.piece - from < PIECE && own[from - 1] === text[begin - 1]) {
      from--
      begin--
    }
    let to = entry.piece + PIECE
    let stop = last + 1
    while (to < own.length && stop < text.length && own[to] === text[stop]) {
      to++
      stop++
    }
    this.covered = stop - 1
    for (let letter = from; letter < to; letter++) {
      if (this.seen[letter] === 0) this.total++
      this.seen[letter] = 1
    }
    const { run, best } = this
    const found = { from, to, first: begin, last: stop - 1, letters }
    if (run === null || to > run.to || from < run.from) {
      this.runs++
      this.run = found
    }
    if (best === null || to - from > best.to - best.from) this.best = found
  }

  /** Lists the outputs with a piece, and how surely each proves a sight; empty where all of them do not show enough. */
  get proofs(): readonly (readonly [Part, 'sure' | 'unsure'])[] {
    const isSure = (part: Part): boolean => this.isComplete && this.inOrder.has(part)
    return this.isClear ? [...this.showing].map((part) => [part, isSure(part) ? 'sure' : 'unsure'] as const) : []
  }

  private get isComplete(): boolean {
    return this.reached === this.needle.exact.length
  }

  /** Ends the output that was read: what it shows; null: nothing worth a doubt. */
  finish(part: Part): PartialSight | null {
    const { best, needle } = this
    if (best === null) return null
    this.showing.add(part)
    if (this.runs === 1 && this.goesOn(best)) {
      this.reached = best.to
      this.inOrder.add(part)
    }
    const { length } = needle.exact
    const run = best.to - best.from
    this.run = null
    this.best = null
    this.runs = 0
    this.covered = -1
    this.added = 0
    const isClear = run >= CLEAR_RUN || run >= CLEAR_SHARE * length || this.total >= CLEAR_TOTAL * length
    this.isClear ||= isClear
    const { shown, from } = best.letters
    const place = shown.range(from[best.first] ?? 0, (from[best.last] ?? 0) + 1)
    return isClear ? { ...place, isComplete: this.isComplete } : null
  }

  /** Tests whether a run begins where the last run ended, on lines of its own, with the needle's very letters. */
  private goesOn({ from, to, first, last, letters }: Run): boolean {
    const { needle } = this
    const { text } = letters.shown
    const begins = letters.from[first] ?? 0
    const ends = (letters.from[last] ?? 0) + 1
    const isPartOfWord = (from === 0 && isInWord(text, begins)) || (to === needle.exact.length && isInWord(text, ends))
    if (isPartOfWord || from > this.reached || to <= this.reached) return false
    if (from > 0 && !isBreak(text, first === 0 ? 0 : (letters.from[first - 1] ?? 0) + 1, begins, first === 0))
      return false
    const next = letters.from[last + 1] ?? text.length
    const isEnd = last + 1 === letters.text.length
    if (to < needle.exact.length && !isBreak(text, ends, isEnd ? text.length : next, isEnd)) return false
    return exactLetters(letters, first, last + 1) === needle.exact.slice(from, to)
  }
}

/** Tests whether a line ends between two letters, or the text does. */
const isBreak = (text: string, from: number, to: number, isEdge: boolean): boolean =>
  isEdge || text.slice(from, to).includes('\n')
