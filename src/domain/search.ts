import { hasDisguise } from './disguises.ts'
import { fold } from './fold.ts'
import type { Part, Position, Step, Trajectory } from './trajectory.ts'

/** Where a needle stands; offsets are those of the part's source text. */
export interface Hit {
  readonly needle: string
  readonly position: Position
  readonly step_id: number
  readonly path: string
  readonly start: number
  readonly end: number
}

const FOR_SEARCH = { ansi: true, disguises: true } as const

/** White space, typographic quotes and disguises folded, ANSI sequences dropped: the form in which texts are compared that are not equal. */
export const foldForSearch = (text: string): string => fold(text, FOR_SEARCH).text.trim()

/**
 * The earliest part, in the order of events, that holds any of the needles, and the earliest place in it. Exact first; where a
 * part holds escape sequences or disguises, or a needle holds white space, also after folding. A needle that begins or ends with a word
 * character only matches whole words there, so that `42` is not found in `1423`.
 */
export function findFirst(
  trajectory: Trajectory,
  needles: readonly string[],
  accept: (part: Part, step: Step) => boolean,
): Hit | null {
  const wanted = prepareAll(needles)
  if (wanted.length === 0) return null
  for (const [stepIndex, step] of trajectory.steps.entries()) {
    for (const [partIndex, part] of step.parts.entries()) {
      if (part.media || !accept(part, step)) continue
      const found = findPrepared(part.text, wanted, () => needsFold(part))
      if (found === null) continue
      return { ...found, position: { step: stepIndex, part: partIndex }, step_id: step.id, path: part.path }
    }
  }
  return null
}

type Found = Pick<Hit, 'needle' | 'start' | 'end'>

/** A needle with what its fold says, which is worked out once for all texts and only where a text asks for it. */
interface Needle {
  readonly needle: string
  readonly fold: () => FoldedNeedle
}

interface FoldedNeedle {
  readonly text: string
  /** Folding can change the needle, or the text where it stands. */
  readonly foldable: boolean
  /** The longest word without a quote: without escape sequences and disguises a fold only joins white space and straightens quotes, so it must stand in the text as it is. */
  readonly longest: string
}

/** A blank needle would stand anywhere. */
const prepareAll = (needles: readonly string[]): Needle[] =>
  needles.filter((needle) => needle.trim() !== '').map(prepare)

function prepare(needle: string): Needle {
  let known: FoldedNeedle | null = null
  return {
    needle,
    fold() {
      known ??= foldNeedle(needle)
      return known
    },
  }
}

function foldNeedle(needle: string): FoldedNeedle {
  const text = foldForSearch(needle)
  let longest = ''
  for (const word of text.split(' '))
    if (word.length > longest.length && !word.includes("'") && !word.includes('"')) longest = word
  const foldable = text !== needle || text.includes(' ') || text.includes("'") || text.includes('"')
  return { text, foldable, longest }
}

/** The earliest of the needles in one text. */
export const findInText = (text: string, needles: readonly string[]): Found | null =>
  findPrepared(text, prepareAll(needles), () => isDisguised(text))

const isDisguised = (text: string): boolean => text.includes('\u001b') || hasDisguise(text)

/** Whether a part is disguised, asked once for all needles. */
const disguised = new WeakMap<Part, boolean>()

function needsFold(part: Part): boolean {
  const known = disguised.get(part) ?? isDisguised(part.text)
  disguised.set(part, known)
  return known
}

/** `whole`: whether the text must be folded for every needle, and not only for those that a fold can change. */
function findPrepared(text: string, needles: readonly Needle[], whole: () => boolean): Found | null {
  let best: Found | null = null
  for (const { needle } of needles) {
    const at = indexOfWord(text, needle, 0)
    if (at !== -1 && (best === null || at < best.start)) best = { needle, start: at, end: at + needle.length }
  }
  return best ?? findFolded(text, needles, whole())
}

function findFolded(text: string, needles: readonly Needle[], whole: boolean): Found | null {
  const foldable = needles.filter((one) => whole || (one.fold().foldable && text.includes(one.fold().longest)))
  if (foldable.length === 0) return null
  const hay = fold(text, FOR_SEARCH)
  for (const one of foldable) {
    const folded = one.fold().text
    const at = folded === '' ? -1 : indexOfWord(hay.text, folded, 0)
    if (at === -1) continue
    return { needle: one.needle, start: hay.from[at] ?? 0, end: (hay.from[at + folded.length - 1] ?? 0) + 1 }
  }
  return null
}

/** `indexOf` that respects word boundaries on the sides where the needle has a word character. */
export function indexOfWord(text: string, needle: string, from: number): number {
  const left = isWord(needle.charCodeAt(0))
  const right = isWord(needle.charCodeAt(needle.length - 1))
  const isWhole = (at: number): boolean => {
    const before = left && at > 0 && isWord(text.charCodeAt(at - 1))
    return !before && !(right && isWord(text.charCodeAt(at + needle.length)))
  }
  let compared = 0
  for (let at = text.indexOf(needle, from); at !== -1; at = text.indexOf(needle, at + 1)) {
    if (isWhole(at)) return at
    compared += needle.length
    if (compared > MOST_COMPARED + (at - from)) return indexOfOverlapping(text, needle, at + 1, isWhole)
  }
  return -1
}

/** Units compared in vain, above those of one reading: occurrences that overlap (`aaaa` in `aaaaaa…`) cost the native search a needle each. */
const MOST_COMPARED = 100_000

/** The same after Knuth, Morris and Pratt: slower for texts that people write, linear for all. */
function indexOfOverlapping(text: string, needle: string, from: number, accept: (at: number) => boolean): number {
  const border = new Uint32Array(needle.length + 1)
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle[at] !== needle[length]) length = border[length] ?? 0
    if (needle[at] === needle[length]) length++
    border[at + 1] = length
  }
  for (let at = from, length = 0; at < text.length; at++) {
    while (length > 0 && text[at] !== needle[length]) length = border[length] ?? 0
    if (text[at] === needle[length]) length++
    if (length < needle.length) continue
    const start = at + 1 - needle.length
    if (accept(start)) return start
    length = border[length] ?? 0
  }
  return -1
}

const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
