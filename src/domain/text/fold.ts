import { DISGUISED, HIDDEN, MARKS, STEERING, undisguised } from './disguises.ts'
import { NormalText, rewrite } from './normal-text.ts'

/**
 * The passes that make two writings of one text equal. `white_space`, `typographic_quotes` and `unicode` are strict: no letter, digit or symbol is lost
 * or invented (design rule 3.2). `ansi` drops control sequences of terminals whole; operating system commands (window titles, links) stay: their
 * payload could hide words.
 */
export interface Passes {
  readonly ansi?: boolean
  /** A letter and its marks become the one that they make; characters that only steer the display are dropped; U+2011 becomes a hyphen. */
  readonly unicode?: boolean
  readonly typographic_quotes?: boolean
  /** Drops characters that show nothing and reads look-alikes as the letters that they look like: for searches, never for quotes. */
  readonly disguises?: boolean
  /** Runs of white space become one space; white space at the beginning is dropped. */
  readonly white_space?: boolean
  /** Tells white space with a line break, with a tab (as a vertical one, which folds as well), and without either apart. */
  readonly breaks?: boolean
}

/** The tail of a control sequence behind its escape character: CSI, and the two and three byte escapes. */
export const ANSI_TAIL = '(?:\\[[0-?]*[ -/]*[@-~]|[ -/][^]|[=>78])'
const ANSI = new RegExp(`\\u001b${ANSI_TAIL}`, 'g')
const BLANKS = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000'
/** All white space but for single spaces between words. */
const WHITE_SPACE = new RegExp(`^[${BLANKS}]+|[${BLANKS.replace(' ', '')}][${BLANKS}]*| [${BLANKS}]+`, 'g')
const TYPOGRAPHIC_QUOTES = /[\u2018-\u201f]/g
/** Steering belongs to the character before it. */
const MARKED = new RegExp(`[^]?[${MARKS}${STEERING}]+|\\u2011`, 'g')
const STEERS = new RegExp(`[${STEERING}]`, 'g')
const HIDES = new RegExp(HIDDEN, 'g')
const DISGUISES = new RegExp(`[${DISGUISED}]`, 'g')
/** Text that is not visible ASCII with single blanks between its words: all other text folds to itself in every way. */
const MAY_FOLD = /[^ -~]|^ | {2}/

/** Folds a text. Most words and commands hold nothing to fold: they are answered as they are. */
export const foldText = (text: string, passes: Passes): string =>
  MAY_FOLD.test(text) ? fold(new NormalText(text), passes).text : text

/** Folds a text and keeps the places. Linear. */
export function fold(source: NormalText, passes: Passes): NormalText {
  let text = passes.ansi ? dropAnsi(source) : source
  if (passes.unicode) text = rewrite(text, MARKED, ([there]) => compose(there))
  if (passes.disguises) text = rewrite(dropHidden(text), DISGUISES, ([there]) => undisguise(there))
  if (passes.typographic_quotes) text = rewrite(text, TYPOGRAPHIC_QUOTES, ([quote]) => (quote <= '\u201b' ? "'" : '"'))
  if (!passes.white_space) return text
  return rewrite(text, WHITE_SPACE, ({ 0: blanks, index }) =>
    index === 0 ? '' : blankOf(passes.breaks ? blanks : ' '),
  )
}

const undisguise = (unit: string): string => String.fromCharCode(undisguised(unit.charCodeAt(0)))

const compose = (there: string): string => there.replace(STEERS, '').replaceAll('\u2011', '-').normalize('NFC')

/** Takes the strongest of blanks. */
function blankOf(blanks: string): string {
  if (/[\r\n]/.test(blanks)) return '\n'
  return blanks.includes('\t') ? '\v' : ' '
}

/** Drops the control sequences of terminals; the text itself where none stands in it. */
export const dropAnsi = (source: NormalText): NormalText => rewrite(source, ANSI, () => '')

/** Drops characters that show nothing. */
export const dropHidden = (source: NormalText): NormalText => rewrite(source, HIDES, () => '')
