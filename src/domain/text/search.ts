import type { Position } from '../trajectory/trajectory.ts'
import { foldText } from './fold.ts'

/** Where a needle stands; offsets are those of the part's source text. */
export interface Hit {
  readonly needle: string
  readonly position: Position
  readonly step_id: number
  readonly path: string
  readonly start: number
  readonly end: number
}

/** White space, typographic quotes and disguises folded, ANSI sequences dropped: the form in which texts are compared that are not equal. */
export const foldForSearch = (text: string): string => foldWhole(text).trim()

const FOR_SEARCH = { ansi: true, disguises: true } as const

/** The same with the blanks at its ends. */
export const foldWhole = (text: string): string => foldText(text, FOR_SEARCH)

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

/** A word's unit: ASCII letters, digits and the underscore. */
export const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || code === 0x5f || (code >= 0x61 && code <= 0x7a)
