import { HIDDEN, undisguised } from '../../../src/domain/text/normal-text.ts'

/** The folds and searches of docs/design.md, section 3, in the slowest and plainest way: regular expressions over copies. */

/** CSI, and the escapes of two and three bytes. A pattern may not hold a control character. */
const ESCAPE = String.fromCharCode(0x1b)
const ANSI = new RegExp(`${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|[ -/][\\s\\S]|[=>78])`, 'g')
const SPACES = /[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g

/** A letter and its marks, up to eight units, in normal form C. */
const MARK = '\\u0300-\\u034e\\u0350-\\u036f\\u0653-\\u0655\\u1161-\\u1175\\u11a8-\\u11c2\\u3099\\u309a'
const LETTER = new RegExp(`[^\\t-\\r ${MARK}][${MARK}]{1,7}`, 'g')
const STEERING = '\\u00ad\\u061c\\u200b-\\u200f\\u202a-\\u202c\\u2060\\u2066-\\u2069\\ufe00-\\ufe0f\\ufeff'
const STEERS = new RegExp(`[${STEERING}]`, 'g')

export const foldSlowly = (text: string, ansi: boolean): string =>
  (ansi ? text.replace(ANSI, '') : text)
    .replace(LETTER, (letter) => letter.normalize('NFC'))
    .replace(STEERS, '')
    .replaceAll('\u2011', '-')
    .replace(SPACES, ' ')
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/^ /, '')

/** The writing of `docs/design.md`, rendering: `⟨U+200B⟩`, `⟨U+0000×12⟩`. */
const unescapeSlowly = (text: string): string =>
  text.replace(/⟨U\+([0-9A-F]{4,6})(?:×([0-9]{1,6}))?⟩/g, (whole, hex: string, count = '1') => {
    const point = Number.parseInt(hex, 16)
    return point > 0x10ffff || Number(count) > 100_000 ? whole : String.fromCodePoint(point).repeat(Number(count))
  })

/** What a search sees: no character that shows nothing, and look-alikes as what they look like. The table of them is data, not logic. */
function foldForSearchSlowly(text: string): string {
  const plain = text.replace(ANSI, '').replace(new RegExp(HIDDEN, 'g'), '')
  const seen = plain.split('').map((unit) => String.fromCharCode(undisguised(unit.charCodeAt(0))))
  return foldSlowly(seen.join(''), false)
}

const isWord = (char: string | undefined): boolean => char !== undefined && /[0-9A-Za-z_]/.test(char)

function hasWord(text: string, needle: string): boolean {
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) {
    const cutBefore = isWord(needle[0]) && isWord(text[at - 1])
    const cutAfter = isWord(needle.at(-1)) && isWord(text[at + needle.length])
    if (!cutBefore && !cutAfter) return true
  }
  return false
}

/** Whether a plain search finds an anchor: as it stands, or folded; whole words only. */
export function isFoundSlowly(text: string, needle: string): boolean {
  if (needle.trim() === '') return false
  const folded = foldForSearchSlowly(needle).trim()
  return hasWord(text, needle) || (folded !== '' && hasWord(foldForSearchSlowly(text), folded))
}

/** How exactly a text holds a quote; null: not at all. `shown`: the text as the judge was shown it. */
export function matchSlowly(text: string, shown: string, quote: string): 'verified' | 'normalized' | null {
  if (text.includes(quote) || shown.includes(quote)) return 'verified'
  const plain = unescapeSlowly(quote)
  const needle = foldSlowly(plain, false).trim()
  return needle !== '' && foldSlowly(text, !plain.includes('\u001b')).includes(needle) ? 'normalized' : null
}

/** Under twelve visible characters, and no whole line of any of the texts. */
export function isShortSlowly(texts: readonly string[], quote: string): boolean {
  const plain = unescapeSlowly(quote)
  if ([...plain].filter((char) => char.trim() !== '').length >= 12) return false
  const line = foldSlowly(plain, true).trim()
  return line === '' || !texts.some((text) => text.split('\n').some((one) => foldSlowly(one, true).trim() === line))
}
