import { hiddenUnits, undisguised } from './disguises.ts'

/**
 * The second rung of the match ladder (design rule 3.2): line ends, ANSI control sequences, runs of white space and
 * typographic quotes folded, each folded character knowing where it came from. Nothing else is forgiven: no letter and no
 * digit is ever dropped or changed, but for those inside a terminal control sequence that is dropped whole.
 * Operating system commands (window titles, links) are not folded: their payload could hide words.
 */
export interface Folded {
  readonly text: string
  /** Source offset of each folded character, and one past the last. */
  readonly from: Uint32Array
}

const SPACE = 0x20
const ESCAPE = 0x1b

interface FoldOptions {
  /** Drops control sequences. */
  readonly ansi: boolean
  /** Drops what shows nothing and reads look-alikes as what they look like: for searching, never for quotes. */
  readonly disguises?: boolean
  /** Tells white space with a line break, with a tab, and without either apart. */
  readonly breaks?: boolean
  /** Leaves one of the two as it is. */
  readonly keep?: 'white_space' | 'typographic_quotes'
}

/** The folded text alone. Most words and commands hold nothing to fold: they are answered as they are. */
export const foldText = (text: string, options: FoldOptions): string =>
  isFolded(text) ? text : fold(text, options).text

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

/** Linear, no regular expression. */
export function fold(text: string, options: FoldOptions): Folded {
  const end = text.length
  const codes = new Uint16Array(end)
  const from = new Uint32Array(end + 1)
  let length = 0
  let blank = true
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code > SPACE && code < 0x7f) {
      from[length] = at
      codes[length++] = code
      blank = false
      continue
    }
    const dropped = droppedUnits(text, at, options)
    if (dropped > 0) {
      at += dropped - 1
      continue
    }
    const folded = foldUnit(options.disguises === true ? undisguised(code) : code)
    const plain = options.keep === undefined ? folded : keepUnit(code, folded, options.keep)
    const unit = plain === SPACE ? spaceOf(code, options) : plain
    if (plain === SPACE && blank && options.keep !== 'white_space') {
      if (length > 0 && unit < (codes[length - 1] ?? 0)) codes[length - 1] = unit
      continue
    }
    from[length] = at
    codes[length++] = unit
    blank = plain === SPACE
  }
  from[length] = end
  return { text: Buffer.from(codes.buffer, 0, length * 2).toString('utf16le'), from: from.subarray(0, length + 1) }
}

/** How many units at `at` are dropped: those of a control sequence, or of what shows nothing. */
function droppedUnits(text: string, at: number, options: FoldOptions): number {
  if (options.ansi && text.charCodeAt(at) === ESCAPE) {
    const after = endOfAnsi(text, at, text.length)
    if (after > at) return after - at
  }
  return options.disguises === true ? hiddenUnits(text, at) : 0
}

const keepUnit = (code: number, folded: number, keep: FoldOptions['keep']): number =>
  (keep === 'white_space') === (folded === SPACE) ? code : folded

/** Where breaks are told apart, the strongest has the lowest code: a line break, a tab (as a vertical one, which folds as well), any other. */
function spaceOf(code: number, { breaks }: FoldOptions): number {
  if (breaks !== true) return SPACE
  if (code === 0x0a || code === 0x0d) return 0x0a
  return code === 0x09 ? 0x0b : SPACE
}

/** White space becomes a space, ‘ ’ ‚ ‛ an apostrophe, “ ” „ ‟ a quotation mark; everything else stays. */
function foldUnit(code: number): number {
  if (code < 0xa0) return code >= 0x09 && code <= 0x0d ? SPACE : code
  if (code >= 0x2018 && code <= 0x201f) return code <= 0x201b ? 0x27 : 0x22
  return isWideSpace(code) ? SPACE : code
}

const isWideSpace = (code: number): boolean =>
  code === 0xa0 ||
  code === 0x1680 ||
  (code >= 0x2000 && code <= 0x200a) ||
  code === 0x2028 ||
  code === 0x2029 ||
  code === 0x202f ||
  code === 0x205f ||
  code === 0x3000

/** Where the control sequence at `at` ends; `at` where there is none. CSI, and the two and three byte escapes. */
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
