import { foldText, MAY_HIDE } from './normal-text.ts'

/** Folds a text for search, without the blanks at its ends. */
export const foldForSearch = (text: string): string => foldText(text).trim()

/**
 * `indexOf` that respects word boundaries on the sides where the needle has a word character. Inside a run of word characters only the first of
 * overlapping places is compared.
 */
export function indexOfWord(text: string, needle: string, from = 0, accepts = isWordAt): number {
  const beginsWord = isWord(needle.charCodeAt(0))
  for (let at = text.indexOf(needle, from); at !== -1; ) {
    if (accepts(text, at, at + needle.length)) return at
    let next = at + 1
    while (beginsWord && next < text.length && isWord(text.charCodeAt(next - 1))) next++
    at = text.indexOf(needle, next)
  }
  return -1
}

/** Finds a needle that no longer word holds: `test-all` stands in `make test-all-slow`, and names something else there. */
export const indexOfName = (text: string, needle: string, from = 0): number => indexOfWord(text, needle, from, isNameAt)

/** Tests whether the text holds the string, white space apart, or all of its words in order. */
export const mentions = (text: string, string: string, fold?: () => string): boolean =>
  holds(text, string, indexOfWord, fold)

/** Tests the same where no word of the string is a piece of a longer word. */
export const namesAll = (text: string, string: string): boolean => holds(text, string, indexOfName)

function holds(text: string, string: string, indexOf: typeof indexOfName, fold = () => foldForSearch(text)): boolean {
  if (indexOf(text, string) !== -1) return true
  // White space between words is alike for the search.
  const folded = MAY_HIDE.test(text) ? fold() : text
  let at = 0
  for (const word of foldForSearch(string).split(' ')) {
    const found = indexOf(folded, word, at)
    if (found === -1) return false
    at = found + word.length
  }
  return true
}

export const mentionsAny = (text: string, string: string): boolean =>
  string.split(' ').some((word) => word.trim() !== '' && indexOfWord(text, word.trim()) !== -1)

function isWordAt(text: string, start: number, end: number): boolean {
  const before = start > 0 && isWord(text.charCodeAt(start)) && isWord(text.charCodeAt(start - 1))
  return !before && !(isWord(text.charCodeAt(end - 1)) && isWord(text.charCodeAt(end)))
}

const isNameAt = (text: string, start: number, end: number): boolean =>
  isWordAt(text, start, end) && !goesOnBefore(text, start, end) && !goesOnBehind(text, end)

/** `no-test`, `evil.example.net`, `app:main`; not what is reached by a name, as in `config.audit`. */
function goesOnBefore(text: string, start: number, end: number): boolean {
  if (start < 2 || !isWord(text.charCodeAt(start)) || !isWord(text.charCodeAt(start - 2))) return false
  const joint = text[start - 1]
  return joint === '-' || joint === ':' || (joint === '.' && !isIdentifier(text, start, end))
}

/** `test-all`, `v1.2`, `app:main`, `https://name@host`; not a line, port or version behind a name, or the end of a sentence. */
function goesOnBehind(text: string, end: number): boolean {
  if (!isWord(text.charCodeAt(end - 1))) return false
  const joint = text[end]
  const next = text.charCodeAt(end + 1)
  if (joint === '-') return isWord(next) || next === 0x2d
  return isWord(next) && (joint === '.' || ((joint === ':' || joint === '@') && !isDigit(next)))
}

function isIdentifier(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isWord(text.charCodeAt(at))) return false
  return true
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** A word’s unit: letters, digits, the underscore; no letters of scripts that write words without a gap, or glue small ones to them. */
export const isWord = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) ||
  (code >= 0x41 && code <= 0x5a) ||
  code === 0x5f ||
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0xc0 && isLetter(code))

const isLetter = (code: number): boolean =>
  (code <= 0x52f && !NO_LETTERS.has(code) && !(code >= 0x2b0 && code <= 0x2ff)) || (code >= 0x1e00 && code <= 0x1ffc)

/** Between them: the signs × and ÷, and marks of Greek and Cyrillic writing. */
const NO_LETTERS: ReadonlySet<number> = new Set([0xd7, 0xf7, 0x375, 0x37e, 0x384, 0x385, 0x387, 0x482])

/** Tests whether a string is a whole line of a text; `set -x` has a mark before a line. */
export function isLine(text: string, string: string): boolean {
  for (let at = text.indexOf(string); at !== -1; ) {
    const before = text.slice(lineStart(text, at), at)
    if ((before.trim() === '' || before === '+ ') && isBlankForward(text, at + string.length)) return true
    const end = text.indexOf('\n', at)
    at = end === -1 ? -1 : text.indexOf(string, end)
  }
  return false
}

/** Finds the beginning of the line in which `at` stands. */
export const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/** Finds the end of the line in which `at` stands: before its line feed. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.length : end
}

/** Tests whether nothing but white space stands between a place and the end of its line. */
export function isBlankForward(text: string, from: number): boolean {
  for (let at = from; at < text.length && text[at] !== '\n'; at++) if (text[at]?.trim() !== '') return false
  return true
}

/** Tests whether nothing but white space stands beside `[start, end)` on its lines. */
export function isWholeLine(text: string, { start, end }: { readonly start: number; readonly end: number }): boolean {
  for (let at = start - 1; at >= 0 && text[at] !== '\n'; at--) if (text[at]?.trim() !== '') return false
  return isBlankForward(text, end)
}
