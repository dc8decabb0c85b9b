import { exactLetters, foldVisible, type Letters, lettersOfPart, symbolsOf } from '../text/letters.ts'
import { foldForSearch, isWord } from '../text/search.ts'
import type { Hit } from '../trajectory/trajectory.ts'
import { type Entry, type Needle, type Needles, WHOLE } from './needles.ts'

/** A needle, or a piece of one, in a form of a text. `first` and `last` are letters of the form, `start` and `end` offsets of the text. */
export interface Match {
  readonly entry: Entry
  readonly letters: Letters
  readonly first: number
  readonly last: number
  readonly start: number
  readonly end: number
  /**
   * `same`: the same letters and punctuation, but for case, white space and the marks of lines. `letters`: other punctuation. `confused`: letters and
   * digits that a scan confuses, too.
   */
  readonly likeness: 'same' | 'letters' | 'confused'
}

/** Searches texts for all needles at once. */
export class NeedleSearch {
  readonly needles: Needles

  constructor(needles: Needles) {
    this.needles = needles
  }

  needleOf({ needle }: Entry): Needle {
    return this.needles.all[needle] as Needle
  }

  /** Calls `onMatch` for every match of the wanted entries that keeps whole words; false ends the search. Forms come one after the other. */
  each(forms: readonly Letters[], wanted: (entry: Entry) => boolean, onMatch: (match: Match) => boolean): void {
    const { needles } = this
    /** With the marks of its lines: symbols may be among them. */
    const plain = forms.findLast(({ kind }) => kind === 'plain')
    if (!forms.every((letters) => this.eachIn(letters, needles.entries, wanted, onMatch))) return
    if (needles.symbols.length > 0 && plain !== undefined)
      this.eachIn(symbolsOf(plain), needles.symbols, wanted, onMatch)
  }

  /** Searches one form for all entries; false: `onMatch` ended the search. */
  private eachIn(
    letters: Letters,
    entries: readonly Entry[],
    wanted: (entry: Entry) => boolean,
    onMatch: (match: Match) => boolean,
  ): boolean {
    for (const { entry, first } of candidatesIn(letters, entries, wanted)) {
      const match = wanted(entry) ? this.matchOf(letters, entry, first) : null
      if (match !== null && !onMatch(match)) return false
    }
    return true
  }

  /** Finds the first needle that surely stands in a part; null: none does. */
  find(part: { readonly text: string }): Pick<Hit, 'needle' | 'start' | 'end'> | null {
    let best: ReturnType<NeedleSearch['find']> = null
    const isWhole = ({ piece }: Entry): boolean => piece === WHOLE
    this.each(lettersOfPart(part), isWhole, (match) => {
      const needle = this.needleOf(match.entry)
      if ((best === null || match.start < best.start) && isSure(part.text, match, needle))
        best = { needle: needle.text, start: match.start, end: match.end }
      return true
    })
    return best
  }

  /** Null: a longer word stands there, or a short needle with other letters or punctuation. */
  private matchOf(letters: Letters, entry: Entry, first: number): Match | null {
    const { shown, from } = letters
    const end = first + entry.string.length
    const begins = from[first] ?? 0
    const ends = (from[end - 1] ?? 0) + 1
    const place = { entry, letters, first, last: end - 1 }
    if (entry.piece !== WHOLE) return { ...place, ...shown.range(begins, ends), likeness: 'letters' }
    const needle = this.needleOf(entry)
    const { before, behind } = needle
    const [leads, tails] = [isEdge(shown.text, begins - before.length, before), isEdge(shown.text, ends, behind)]
    const starts = leads ? begins - before.length : begins
    const stops = tails ? ends + behind.length : ends
    if (isInWord(shown.text, starts) || isInWord(shown.text, stops)) return null
    const likeness = likenessOf(letters, first, needle, leads && tails)
    if (needle.isShort && likeness !== 'same') return null
    return { ...place, ...shown.range(starts, stops), likeness }
  }
}

/** Lists pieces in the order of the text, then whole needles, of which a certain one ends the search for more. */
function* candidatesIn({ text }: Letters, entries: readonly Entry[], wanted: (entry: Entry) => boolean) {
  const pieces = entries.filter((entry) => entry.piece >= 0 && wanted(entry))
  yield* pieces
    .flatMap((entry) => [...placesOf(text, entry.string)].map((first) => ({ entry, first })))
    .sort((a, b) => a.first - b.first)
  for (const entry of entries)
    if (entry.piece < 0 && wanted(entry))
      for (const first of placesOf(text, entry.string)) {
        if (!wanted(entry)) break
        yield { entry, first }
      }
}

/** Lists the places of a string, overlapping ones too. */
function* placesOf(text: string, string: string): Generator<number> {
  for (let at = text.indexOf(string); at !== -1; at = text.indexOf(string, at + 1)) yield at
}

/** Tests whether the character at a place continues a word. */
export const isInWord = (text: string, at: number): boolean =>
  at > 0 && isWord(text.charCodeAt(at - 1)) && isWord(text.charCodeAt(at))

/** Tests whether a match of a whole needle is sure: a short needle as it is written, a long one by its letters alone. */
export function isSure(text: string, { likeness, start, end }: Match, needle: Needle): boolean {
  if (needle.isShort) return likeness === 'same' && isAsWritten(text, start, end, needle)
  return likeness === 'same' || (likeness === 'letters' && needle.isLong)
}

/** Tests whether the needle stands there as it is written, but for white space, quotation marks, control sequences and disguises. */
function isAsWritten(text: string, start: number, end: number, { text: needle }: Needle): boolean {
  if (end - start > 40 * needle.length) return false
  const there = text.slice(start, end)
  return there === needle || composedForm(there) === composedForm(needle)
}

const composedForm = (text: string): string => foldForSearch(text.normalize('NFC').replaceAll('\0', ' '))

function likenessOf(letters: Letters, first: number, needle: Needle, hasEdges: boolean): Match['likeness'] {
  const { length } = needle.exact
  if (exactLetters(letters, first, first + length) !== needle.exact) return 'confused'
  if (!hasEdges) return 'letters'
  const written = punctuated(needle.letters, 0, length, false)
  if (punctuated(letters, first, first + length, false) === written) return 'same'
  const unmarked = punctuated(letters, first, first + length, true)
  return unmarked === written || unmarked === punctuated(needle.letters, 0, length, true) ? 'same' : 'letters'
}

/** Tests whether the punctuation at an end of a needle stands at a place; blanks within may differ. */
const isEdge = (text: string, at: number, edge: string): boolean =>
  edge === '' || (at >= 0 && foldVisible(text.slice(at, at + edge.length)) === foldVisible(edge))

/** Writes letters with the punctuation between them. `isUnmarked`: without the frame at the ends of lines and all that stands before the next letter. */
function punctuated({ text, shown, from }: Letters, first: number, end: number, isUnmarked: boolean): string {
  const out: string[] = []
  for (let at = first; at < end - 1; at++) {
    out.push(text.charAt(at))
    const next = (from[at] ?? 0) + 1
    if (from[at + 1] === next) continue
    const gap = shown.text.slice(next, from[at + 1])
    const line = isUnmarked ? gap.indexOf('\n') : -1
    out.push(foldVisible(line === -1 ? gap : withoutFrame(gap.slice(0, line))))
  }
  return out.join('')
}

/** Drops the end of a line in a box or in `cat -A`, or the backslash that joins it with the next one. */
function withoutFrame(line: string): string {
  let end = line.length
  while (end > 0 && /[\0- $|\\\u2500-\u259f]/.test(line.charAt(end - 1))) end--
  return line.slice(0, end)
}
