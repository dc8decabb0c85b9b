import { hiddenUnits, isInvisible, isMark, undisguised } from './disguises.ts'
import { NormalText, UnitWriter } from './normal-text.ts'

/**
 * The passes that make two writings of one text equal. `white_space`, `typographic_quotes` and `unicode` are strict: no letter, digit or symbol is lost
 * or invented (design rule 3.2). `ansi` drops control sequences of terminals whole; operating system commands (window titles, links) stay: their
 * payload could hide words.
 */
export interface Passes {
  readonly ansi?: boolean
  /** Runs of white space become one space; white space at the beginning is dropped. */
  readonly white_space?: boolean
  readonly typographic_quotes?: boolean
  /** A letter and its marks become the one that they make; characters that only steer the display are dropped; U+2011 becomes a hyphen. */
  readonly unicode?: boolean
  /** Drops characters that show nothing and reads look-alikes as the letters that they look like: for searches, never for quotes. */
  readonly disguises?: boolean
  /** Tells white space with a line break, with a tab, and without either apart. */
  readonly breaks?: boolean
}

const SPACE = 0x20
const ESCAPE = 0x1b
/** A letter and its marks have no more units. */
const LONGEST_LETTER = 8

/** Folds a text. Most words and commands hold nothing to fold: they are answered as they are. */
export const foldText = (text: string, passes: Passes): string =>
  isFolded(text) ? text : fold(new NormalText(text), passes).text

/** Whether a text is visible ASCII with single blanks between its words: it folds to itself in every way. */
function isFolded(text: string): boolean {
  let last = SPACE
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < SPACE || code >= 0x7f || (code === SPACE && last === SPACE)) return false
    last = code
  }
  return true
}

/** Folds a text and keeps the places. Linear, no regular expression. */
export function fold(source: NormalText, passes: Passes): NormalText {
  const { text } = source
  const writer = new UnitWriter(source)
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const isPlain = code > SPACE && code < 0x7f && !(passes.unicode && isMark(text.charCodeAt(at + 1)))
    if (isPlain) writer.push(code, at, ++at)
    else at = foldCharacter(writer, text, at, passes)
  }
  return writer.finish()
}

/** Folds the character at `at`; where the next one begins. */
function foldCharacter(writer: UnitWriter, text: string, at: number, passes: Passes): number {
  const code = text.charCodeAt(at)
  const dropped = droppedUnits(text, at, passes)
  // A selector belongs to the character before it.
  if (dropped > 0 && passes.unicode && isInvisible(code)) writer.reach(at + 1)
  if (dropped > 0) return at + dropped
  const end = passes.unicode ? endOfLetter(text, at) : at + 1
  if (end > at + 1) {
    const letter = text.slice(at, end).normalize('NFC')
    for (let unit = 0; unit < letter.length; unit++) writer.push(letter.charCodeAt(unit), at, end)
    return end
  }
  const plain = foldUnit(passes.disguises ? undisguised(code) : code, passes)
  const unit = plain === SPACE && passes.breaks ? spaceOf(code) : plain
  if (plain !== SPACE || !passes.white_space || !isBlank(writer.last)) writer.push(unit, at, end)
  else if (unit < writer.last) writer.replaceLast(unit)
  return end
}

/** The beginning of a text, or a folded space. */
const isBlank = (last: number): boolean => last === -1 || last === SPACE || last === 0x0a || last === 0x0b

/** Counts the units at `at` that are dropped: those of a control sequence, or of a character that shows nothing. */
function droppedUnits(text: string, at: number, passes: Passes): number {
  const code = text.charCodeAt(at)
  if (passes.ansi && code === ESCAPE) {
    const after = endOfAnsi(text, at, text.length)
    if (after > at) return after - at
  }
  if (passes.unicode && isInvisible(code)) return 1
  return passes.disguises ? hiddenUnits(text, at) : 0
}

/** Finds the end of the letter at `at` with the marks behind it. */
function endOfLetter(text: string, at: number): number {
  let end = at + 1
  while (end < at + LONGEST_LETTER && isMark(text.charCodeAt(end))) end++
  return end
}

/** Where breaks are told apart, the strongest has the lowest code: a line break, a tab (as a vertical one, which folds as well), any other. */
function spaceOf(code: number): number {
  if (code === 0x0a || code === 0x0d) return 0x0a
  return code === 0x09 ? 0x0b : SPACE
}

/** White space becomes a space, ‘ ’ ‚ ‛ an apostrophe, “ ” „ ‟ a quotation mark; everything else stays. */
function foldUnit(code: number, passes: Passes): number {
  if (code < 0xa0) return passes.white_space && code >= 0x09 && code <= 0x0d ? SPACE : code
  if (passes.typographic_quotes && code >= 0x2018 && code <= 0x201f) return code <= 0x201b ? 0x27 : 0x22
  if (passes.unicode && code === NON_BREAKING_HYPHEN) return 0x2d
  return passes.white_space && isWideSpace(code) ? SPACE : code
}

const NON_BREAKING_HYPHEN = 0x2011

const isWideSpace = (code: number): boolean =>
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000

/** Drops the control sequences of terminals; the text itself where none stands in it. */
export function dropAnsi(source: NormalText): NormalText {
  const { text } = source
  let writer: UnitWriter | null = null
  let from = 0
  for (let at = text.indexOf('\u001b'); at !== -1; ) {
    const end = endOfAnsi(text, at, text.length)
    if (end > at) {
      writer ??= new UnitWriter(source)
      writer.copy(from, at)
      from = end
    }
    at = text.indexOf('\u001b', Math.max(end, at + 1))
  }
  writer?.copy(from, text.length)
  return writer?.finish() ?? source
}

/** Finds the end of the control sequence at `at`; `at` where none stands there. CSI, and the two and three byte escapes. */
export function endOfAnsi(text: string, at: number, end: number): number {
  let next = at + 1
  if (text[next] === '[') {
    next++
    while (next < end && inRange(text.charCodeAt(next), 0x30, 0x3f)) next++
    while (next < end && inRange(text.charCodeAt(next), 0x20, 0x2f)) next++
    return next < end && inRange(text.charCodeAt(next), 0x40, 0x7e) ? next + 1 : at
  }
  if (inRange(text.charCodeAt(next), 0x20, 0x2f) && next + 1 < end) return next + 2
  return next < end && '=>78'.includes(text[next] ?? ' ') ? next + 1 : at
}

const inRange = (code: number, low: number, high: number): boolean => code >= low && code <= high
