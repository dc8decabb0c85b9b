import { hiddenUnits, undisguised } from '../text/disguises.ts'

/** How a unit is treated; any larger value of the table is the unit's own folded form. */
const UNKNOWN = 0
export const HIDDEN = 1
export const CONTROL = 2
export const OPENER = 3
export const NEWLINE = 4
export const SPACE = 5
/** Added to what would be taken for one of these. */
const MOVED = 0xe000
/** An escape character that begins nothing. */
export const LONE_ESCAPE = MOVED + 1
/** The first unit of tags and of the variation selectors of the last plane, which show nothing. */
const HIGH_OF_TAGS = 0xdb40
/** The first unit of mathematical letters, which look like plain ones. */
const HIGH_OF_STYLED = 0xd835

/** By UTF-16 unit: how it is treated, else its folded form. `UNKNOWN` until `foldOf` was asked for it: texts use few of all units. */
export const FOLDED = new Uint16Array(0x10000)

export function foldOf(code: number): number {
  const known = FOLDED[code] ?? UNKNOWN
  if (known !== UNKNOWN) return known
  const folded = foldUnit(code)
  FOLDED[code] = folded
  return folded
}

const ESCAPE = 0x1b
export const BACKSPACE = 0x08
export const PLUS = 0x2b
/** What an escape begins with, `\\`, `&`, `%`, `^`; a tag, `<`; and `+`. */
const OPENERS = [0x5c, 0x26, 0x25, 0x5e, 0x3c, PLUS]

function foldUnit(code: number): number {
  if (code === ESCAPE || code === BACKSPACE) return CONTROL
  if (code === 0x0a || code === 0x0d) return NEWLINE
  if (OPENERS.includes(code)) return OPENER
  if ((code >= 0x2010 && code <= 0x2015) || code === 0x2212) return 0x2d
  if (code >= 0x2018 && code <= 0x201f) return code <= 0x201b ? 0x27 : 0x22
  const char = String.fromCharCode(code)
  if (code === HIGH_OF_TAGS || code === HIGH_OF_STYLED || hiddenUnits(char, 0) > 0) return HIDDEN
  if (char.trim() === '') return SPACE
  const lower = String.fromCharCode(undisguised(code)).toLowerCase()
  const folded = lower.length === 1 ? lower.charCodeAt(0) : code
  return folded <= SPACE ? MOVED + folded : folded
}

/** Visible ASCII that is no word’s unit. */
export const isPunctuation = (code: number): boolean => code > 0x20 && code < 0x7f && !isWordCode(code)

/** A word's unit, as the search for anchors counts it: ASCII letters, digits and the underscore. */
export const isWordCode = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) || code === 0x5f || (code >= 0x41 && code <= 0x5a)
