import { lineEnd } from './lines.ts'
import type { Range } from './normal-text.ts'

/** Marks before the text of a line: those of comments, diffs, quotations, lists, tables and trees, line numbers, heads of logs. */

/** The marks of the line before: a bare number counts as a line number only where it goes on counting. */
interface LineBefore {
  number: number
  /** `src/a.py:`, as a search over several files prints it. */
  file: string
}

/** A line has more of them only where text is hidden. */
const MOST_MARKS = 8
const BLANKS = /[ \t\u00a0]*/y
const MARKS = /[#/*;%"'!>+\-|:\u2022\u00b7\u2500-\u259f]{1,80}|rem /iy
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
export function lineMarksIn(text: string): Range[] {
  const marks: Range[] = []
  const before: LineBefore = { number: -1, file: '' }
  for (let line = 0; line < text.length; ) {
    const end = endOfLineMarks(text, line, before)
    if (end > line) marks.push({ start: line, end })
    line = lineEnd(text, end) + 1
  }
  return marks
}

/**
 * Finds the end of the marks of the line that begins at `at`, white space behind them included; `at` where there are none. Of numbers only one is
 * dropped: the second is the text's own.
 */
function endOfLineMarks(text: string, at: number, before: LineBefore): number {
  const last = { ...before }
  before.number = -1
  before.file = ''
  const first = at + lengthOf(BLANKS, text, at)
  const mayBeHead = '0123456789abcdef^['.includes(text[first] ?? ' ')
  const head = mayBeHead ? lengthOf(LOG_HEAD, text, first) || lengthOf(BLAME_HEAD, text, first) : 0
  let next = first + head
  let end = head > 0 ? next : at
  for (let marks = 0, isNumbered = false; marks < MOST_MARKS; marks++) {
    next += lengthOf(BLANKS, text, next)
    const number: number = isNumbered ? 0 : numberAt(text, next, first > at, last, before)
    const length = number || lengthOf(MARKS, text, next)
    if (length === 0) break
    isNumbered ||= number > 0
    next += length
    end = next
  }
  return end === at ? at : end + lengthOf(BLANKS, text, end)
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
