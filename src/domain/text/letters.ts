import { decodeEscapes, dumpedText } from './escape.ts'
import {
  ANSI_TAIL,
  dropHidden,
  dropRanges,
  FORMED,
  MARKS,
  NormalText,
  plainForm,
  type Range,
  rewrite,
  undisguised,
} from './normal-text.ts'
import { lineEnd } from './search.ts'

/**
 * The letters and digits of a text, without case, disguises and the differences that optical recognition leaves: the form in which quotes and sights are
 * looked for. Equal letters only make a candidate: the text around them decides.
 */
export interface Letters {
  readonly text: string
  /** The unit of `shown` behind each letter. */
  readonly from: Uint32Array
  /** The text as a reader sees it: no control sequences, nothing hidden, letters composed. */
  readonly shown: NormalText
  /** `decoded`: escapes are read back by one level. `dumped`: the bytes of a dump are. */
  readonly kind: 'plain' | 'decoded' | 'dumped'
  /** Line numbers, heads and other marks of lines were dropped. */
  readonly isUnmarked: boolean
}

/** Finds the source range of `letters.text[first, end)`. */
export const sourceOf = ({ shown, from }: Letters, first: number, end: number): Range =>
  shown.range(from[first] ?? 0, (from[end - 1] ?? 0) + 1)

const kept = new WeakMap<object, WeakRef<readonly Letters[]>>()

/** Reads the letters of a part once, for as long as memory lasts. */
export function lettersOfPart(part: { readonly text: string }): readonly Letters[] {
  const known = kept.get(part)?.deref()
  if (known !== undefined) return known
  const letters = readLetters(part.text)
  kept.set(part, new WeakRef(letters))
  return letters
}

/** Reads a text in all forms: escapes as they stand and read back, lines with and without marks, a dump. Linear. */
export function readLetters(text: string): readonly Letters[] {
  const source = new NormalText(text)
  const decoded = decodeEscapes(source)
  const dumped = dumpedText(text)
  return [
    ...formsOf(reveal(source), 'plain'),
    ...(decoded === source ? [] : formsOf(reveal(decoded), 'decoded')),
    ...(dumped === null ? [] : formsOf(reveal(dumped), 'dumped')),
  ]
}

/** Reads the letters of a short string as they stand. */
export const plainLetters = (text: string): Letters => allLetters(reveal(new NormalText(text)), 'plain', LETTERS, false)

/** Reads every visible character of a text as a letter: for strings that have no letters. */
export const symbolsOf = ({ shown, kind }: Letters): Letters => allLetters(shown, kind, SYMBOLS, false)

/** Reads the letters of a text without the marks of its lines, and with them where letters or digits stand among them. */
function formsOf(shown: NormalText, kind: Letters['kind']): Letters[] {
  const { text } = shown
  const all = allLetters(shown, kind, LETTERS, false)
  const marks = lineMarksIn(text)
  const isMarkedByLetters = marks.some(({ start, end }) => {
    for (let at = start; at < end; at++) if (LETTERS.letters[text.charCodeAt(at)] !== NO_LETTER) return true
    return false
  })
  if (!isMarkedByLetters) return [{ ...all, isUnmarked: true }]
  return [allLetters(dropRanges(shown, marks), kind, LETTERS, true), all]
}

function allLetters(
  shown: NormalText,
  kind: Letters['kind'],
  { letters, read }: Alphabet,
  isUnmarked: boolean,
): Letters {
  const { text } = shown
  const codes = new Uint16Array(text.length)
  const from = new Uint32Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (letters[code] === 0) letters[code] = read(code)
    const letter = letters[code] as number
    // Without a branch: which of the two it is, no processor foresees.
    codes[length] = letter
    from[length] = at
    length += (NO_LETTER - letter) >>> 31
  }
  const written = Buffer.from(codes.buffer, 0, 2 * length).toString('utf16le')
  return { text: written, from: from.subarray(0, length), shown, kind, isUnmarked }
}

const NO_LETTER = 1

/** The letters of all UTF-16 units, each read when a text first has the unit; 0: not read yet. */
interface Alphabet {
  readonly letters: Uint16Array
  readonly read: (code: number) => number
}

/** Digits and letters that a scan confuses. */
const CONFUSED: ReadonlyMap<string, string> = new Map(['0o', '1l', 'il', '5s', '8b'].map(([a = '', b = '']) => [a, b]))

/** A surrogate is kept: half of the letters, and all emoji, are pairs of them. */
function readLetter(code: number): number {
  const letter = foldCase(code)
  if (!/[\p{L}\p{N}\p{M}\p{Cs}]/u.test(letter)) return NO_LETTER
  return (CONFUSED.get(letter) ?? letter).charCodeAt(0)
}

const LETTERS: Alphabet = { letters: new Uint16Array(0x10000), read: readLetter }
const SYMBOLS: Alphabet = {
  letters: new Uint16Array(0x10000),
  read: (code) => (code <= 0x20 || String.fromCharCode(code).trim() === '' ? NO_LETTER : foldCase(code).charCodeAt(0)),
}

/** Folds look-alikes, case, dashes and typographic quotes of one unit. */
function foldCase(code: number): string {
  if ((code >= 0x2010 && code <= 0x2015) || code === 0x2212) return '-'
  if (code >= 0x2018 && code <= 0x201f) return code <= 0x201b ? "'" : '"'
  const lower = String.fromCharCode(undisguised(code)).toLowerCase()
  return lower.length === 1 ? lower : String.fromCharCode(code)
}

/** Takes letters without case, but with those that a scan confuses told apart. */
export function exactLetters({ shown: { text }, from }: Letters, first: number, end: number): string {
  let exact = ''
  for (let at = first; at < end; at++) exact += foldCase(text.charCodeAt(from[at] as number))
  return exact
}

/** Folds the units of a text, without its white space. */
export function foldVisible(text: string): string {
  const visible = text.replace(/[\0- \s]+/g, '')
  let folded = ''
  for (let at = 0; at < visible.length; at++) folded += foldCase(visible.charCodeAt(at))
  return folded
}

/** Text that is not plain ASCII. */
const MAY_REVEAL = /[^\t\n\r -~]/
const ESCAPES = new RegExp(`\\u001b(?:${ANSI_TAIL})?`, 'g')
const MARKED = new RegExp(`[^][${MARKS}]{1,7}`, 'g')
const FORMS = new RegExp(FORMED, 'g')

/** Shows a text as a reader sees it: no control sequences, nothing hidden or struck over; letters composed and plain. */
function reveal(source: NormalText): NormalText {
  if (!MAY_REVEAL.test(source.text)) return source
  const visible = dropHidden(rewrite(source, ESCAPES, () => ''))
  const plain = rewrite(visible, FORMS, ([formed]) => plainForm(formed))
  return dropStruck(rewrite(plain, MARKED, ([letter]) => letter.normalize('NFC')))
}

/** Drops backspaces, each with the unit before it that is still there. */
function dropStruck(source: NormalText): NormalText {
  const { text } = source
  const dropped: Range[] = []
  let pending = 0
  for (let at = text.lastIndexOf('\b'); at >= 0; at--) {
    if (text[at] === '\b') pending++
    else if (pending > 0) pending--
    else {
      at = text.lastIndexOf('\b', at) + 1
      continue
    }
    dropped.push({ start: at, end: at + 1 })
  }
  return dropRanges(source, dropped.reverse())
}

/** The marks of the line before: a bare number counts as a line number only where it goes on counting. */
interface LineBefore {
  number: number
  /** `src/a.py:`, as a search over several files prints it. */
  file: string
}

/** A line has more of them only where text is hidden. */
const MOST_MARKS = 8
const BLANKS = /[ \t\u00a0]*/y
const LINE_MARKS = /[#/*;%"'!>+\-|:\u2022\u00b7\u2500-\u259f]{1,80}|rem /iy
/** `12:`, `12|`, `12→`, `12-`, a number before a tab, and one before a blank. */
const NUMBER = /(\d{1,12})([:|→│-]|(?=\t)|(?=( {1,2})))/y
/** The time and level of a log: `2026-03-04T10:00:00.000Z INFO`, `[2026-03-04 10:00:00] [WARN]`. */
const LOG_HEAD =
  /\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]?\d{0,100}Z?\]?(?:[ \t\u00a0]*\[?(?:trace|debug|info|notice|warning|warn|error|fatal)(?:[\]:]|(?=[ \t\n]|$)))?/iy
/** The head of git blame: `4f1c22d0 (Kim 2026-03-01 10:00:00 +0100 12)`. */
const BLAME_HEAD = /\^?[0-9a-f]{7,40} [^(\n]{0,110}\(.{0,110}? [+-]\d{4} {1,9}\d{1,9}\)/y
/** `src/a.py:12:`, `src/a.py-12-`: no blank, and no backslash, as escapes stand side by side, and each may begin a line. */
const FILE_LINE = /[^\0- \\:]{1,200}?([:-])\d{1,8}\1/y
const FILE = /[^\0- \\:]{1,200}:/y

/** Lists the marks of the lines of a text, white space behind them included. Linear. */
function lineMarksIn(text: string): Range[] {
  const marks: Range[] = []
  let before: LineBefore = { number: -1, file: '' }
  for (let line = 0; line < text.length; ) {
    const last = before
    before = { number: -1, file: '' }
    const first = line + lengthOf(BLANKS, text, line)
    const mayBeHead = '0123456789abcdef^['.includes(text[first] ?? ' ')
    const head = mayBeHead ? lengthOf(LOG_HEAD, text, first) || lengthOf(BLAME_HEAD, text, first) : 0
    let next = first + head
    let end = head > 0 ? next : line
    // A second number is the text's own.
    for (let count = 0, isNumbered = false; count < MOST_MARKS; count++) {
      next += lengthOf(BLANKS, text, next)
      const number: number = isNumbered ? 0 : numberAt(text, next, first > line, last, before)
      const length = number || lengthOf(LINE_MARKS, text, next)
      if (length === 0) break
      isNumbered ||= number > 0
      next += length
      end = next
    }
    if (end > line) end += lengthOf(BLANKS, text, end)
    if (end > line) marks.push({ start: line, end })
    line = lineEnd(text, end) + 1
  }
  return marks
}

/** Counts the units that a sticky pattern takes at a place. */
function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex - at : 0
}

/** Counts the units of a line number, or of the file and the line before a line that a search printed. */
function numberAt(text: string, at: number, isAligned: boolean, last: LineBefore, before: LineBefore): number {
  NUMBER.lastIndex = at
  const found = NUMBER.exec(text)
  if (found !== null) {
    const [number, digits = '', , blanks] = found
    before.number = Number(digits)
    const counts = before.number === 1 || before.number === last.number + 1
    const isOffset = digits.length >= 7 && blanks === '  '
    if (blanks === undefined || counts || isAligned || isOffset) return number.length
  }
  const inFile = lengthOf(FILE_LINE, text, at)
  if (inFile > 0) return inFile
  const file = text.slice(at, at + lengthOf(FILE, text, at))
  if (file !== '') before.file = file
  return file === last.file && /[./]/.test(file) ? file.length : 0
}
