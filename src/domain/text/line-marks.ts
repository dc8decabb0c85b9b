import { endOfAnsi } from './fold.ts'

/** Marks before the text of a line: those of comments, diffs, quotations, lists, tables and trees, line numbers, heads of logs. */

/** What the line before began with: a bare number counts as a line number only where it goes on counting. */
export interface LineBefore {
  number: number
  /** `src/a.py:`, as a search over several files prints it. */
  file: string
}

/** A line has more of them only where text is hidden. */
const MOST_MARKS = 8
const LONGEST_FILE = 200
const SHORTEST_COMMIT = 7
const ASCII_MARKS = new Uint8Array(0x80)
for (const mark of '#/*;%"\'!>+-|:') ASCII_MARKS[mark.charCodeAt(0)] = 1
/**
 * Where the marks of the line that begins at `at` end, white space behind them included; `at` where there are none. Of numbers only one is
 * dropped: the second is the text's own.
 */
export function endOfLineMarks(text: string, at: number, before: LineBefore): number {
  let next = afterBlanks(text, at)
  const aligned = next > at
  let end = at
  let numbered = false
  const file = before.file
  before.file = ''
  const last = before.number
  before.number = -1
  const headed = afterHead(text, next)
  if (headed > next) {
    end = headed
    next = afterBlanks(text, headed)
  }
  for (let marks = 0; marks < MOST_MARKS; marks++) {
    const code = text.charCodeAt(next)
    let stop = next
    if (!numbered && isDigit(code)) {
      stop = afterNumber(text, next, aligned, last, before)
      numbered = stop > next
    }
    if (stop === next && !numbered) {
      stop = afterFile(text, next, file, before)
      numbered = stop > next
    }
    if (stop === next) stop = afterMark(text, next)
    if (stop === next) break
    end = stop
    next = afterBlanks(text, stop)
  }
  return end === at ? at : next
}

function afterMark(text: string, at: number): number {
  let end = at
  while (end - at < 80 && isMark(text.charCodeAt(end))) end++
  if (end === at && isRemark(text, at)) return at + 4
  return end
}

const isMark = (code: number): boolean =>
  code < 0x80 ? ASCII_MARKS[code] === 1 : (code >= 0x2500 && code <= 0x259f) || code === 0x2022 || code === 0xb7

const isRemark = (text: string, at: number): boolean =>
  (text.charCodeAt(at) | 0x20) === 0x72 && text.slice(at, at + 4).toLowerCase() === 'rem '

/** `12:`, `12|`, `12→`, `12-`, a number before a tab, an aligned one, one that goes on counting, and the offset of a dump. */
function afterNumber(text: string, at: number, aligned: boolean, last: number, before: LineBefore): number {
  let end = at
  let number = 0
  for (; end - at < 12 && isDigit(text.charCodeAt(end)); end++) number = number * 10 + text.charCodeAt(end) - 0x30
  const next = text.charAt(end)
  before.number = number
  if (next === ':' || next === '|' || next === '→' || next === '│' || next === '-') return end + 1
  if (next === '\t') return end
  const counts = number === 1 || number === last + 1
  return next === ' ' && (counts || aligned || (end - at >= 7 && text[end + 1] === ' ')) ? end : at
}

const LONGEST_HEAD = 120
const LEVELS = ['TRACE', 'DEBUG', 'INFO', 'NOTICE', 'WARNING', 'WARN', 'ERROR', 'FATAL'] as const
const LONGEST_LEVEL = 9
/** `2026-03-04T10:00:00`, at least. */
const SHORTEST_TIME = 19

/** The time and level of a log, `2026-03-04T10:00:00.000Z INFO`, or the head of git blame, `4f1c22d0 (Kim 2026-03-01 10:00:00 +0100 12)`. */
function afterHead(text: string, at: number): number {
  const code = text.charCodeAt(at)
  if (!isDigit(code) && !isHex(code) && code !== 0x5e && code !== 0x5b) return at
  const time = afterTime(text, code === 0x5b ? at + 1 : at)
  if (time === -1) return afterBlame(text, at)
  const end = code === 0x5b && text[time] === ']' ? time + 1 : time
  const word = afterBlanks(text, end)
  const bracket = text[word] === '[' ? 1 : 0
  const level = LEVELS.find((one) =>
    text
      .slice(word + bracket, word + LONGEST_LEVEL)
      .toUpperCase()
      .startsWith(one),
  )
  if (level === undefined) return end
  const stop = word + bracket + level.length
  const next = text[stop] ?? '\n'
  return next === ']' || next === ':' ? stop + 1 : next === ' ' || next === '\t' ? stop : end
}

/** -1: no time. Hours and minutes stand behind the day, then seconds, fractions and a zone. */
function afterTime(text: string, at: number): number {
  const form = 'dddd-dd-ddTdd:dd:dd'
  for (let next = 0; next < SHORTEST_TIME; next++) {
    const wanted = form[next]
    const there = text[at + next] ?? ''
    const fits =
      wanted === 'd' ? isDigit(there.charCodeAt(0)) : wanted === 'T' ? there === 'T' || there === ' ' : there === wanted
    if (!fits) return -1
  }
  let end = at + SHORTEST_TIME
  if (text[end] === '.' || text[end] === ',') end++
  while (end - at < LONGEST_HEAD && isDigit(text.charCodeAt(end))) end++
  return text[end] === 'Z' ? end + 1 : end
}

/** The end of git blame's head: a commit, and brackets with a time and the number of the line. */
function afterBlame(text: string, at: number): number {
  let end = text[at] === '^' ? at + 1 : at
  const from = end
  while (end - from < 40 && isHex(text.charCodeAt(end))) end++
  if (end - from < SHORTEST_COMMIT || text[end] !== ' ') return at
  for (end++; end - at < LONGEST_HEAD && text[end] !== '('; end++) if (text[end] === '\n') return at
  const stop = text[end] === '(' ? text.slice(end, at + LONGEST_HEAD).search(BLAME_END) : -1
  return stop === -1 ? at : text.indexOf(')', end + stop) + 1
}

const BLAME_END = / [+-]\d{4} +\d{1,9}\)/
const isHex = (code: number): boolean => isDigit(code) || (code >= 0x61 && code <= 0x66)

/** `src/a.py:12:`, `src/a.py-12-`, and `src/a.py:` where the line before began with the same. */
function afterFile(text: string, at: number, last: string, before: LineBefore): number {
  for (let end = at; end - at < LONGEST_FILE && isFileUnit(text.charCodeAt(end)); end++) {
    const code = text.charCodeAt(end)
    if (code !== COLON && code !== DASH) continue
    let stop = end + 1
    while (stop - end < 9 && isDigit(text.charCodeAt(stop))) stop++
    if (stop > end + 1 && text.charCodeAt(stop) === code && end > at) return stop + 1
    if (code === DASH) continue
    before.file = text.slice(at, end + 1)
    return before.file === last && (last.includes('.') || last.includes('/')) ? end + 1 : at
  }
  return at
}

const COLON = 0x3a
const DASH = 0x2d

/** No blank, and no backslash: escapes stand side by side, and each may begin a line. */
const isFileUnit = (code: number): boolean => code > 0x20 && code !== 0x5c

/** Behind blanks and control sequences, on the same line. */
function afterBlanks(text: string, at: number): number {
  let next = at
  for (;;) {
    const code = text.charCodeAt(next)
    if (isBlank(code)) next++
    else if (code === 0x1b) {
      const end = endOfAnsi(text, next, text.length)
      if (end === next) return next
      next = end
    } else return next
  }
}

const isBlank = (code: number): boolean => code === 0x20 || code === 0x09 || code === 0xa0

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
