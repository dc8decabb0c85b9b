import { dropRanges, type NormalText, type Range } from '../text/normal-text.ts'

const LINE_FEED = 0x0a
const LONGEST_MARK = 3

/** A run of one mark, as it may open or close an emphasis. */
interface Mark {
  readonly text: string
  readonly opens: boolean
  readonly closes: boolean
}

/**
 * Drops Markdown emphasis: pairs of `*`, `**`, `***`, the same of `_`, and backticks around words, on one line. A mark inside a word (`2*3*4`,
 * `snake_case_name`) or with white space on both sides (`a * b`) is none. The text itself where no pair stands in it. Linear.
 */
export function dropEmphasis(source: NormalText): NormalText {
  const marks = pairedMarks(source.text)
  return dropRanges(
    source,
    marks.sort((a, b) => a.start - b.start),
  )
}

/** Lists the marks that make pairs, in the order in which the pairs are closed. */
function pairedMarks(text: string): Range[] {
  const marks: Range[] = []
  const open = new Map<string, number>()
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === LINE_FEED) open.clear()
    if (!isMark(code)) continue
    const mark = readMark(text, at)
    const { length } = mark.text
    const opener = open.get(mark.text)
    if (mark.closes && opener !== undefined) {
      marks.push({ start: opener, end: opener + length }, { start: at, end: at + length })
      open.delete(mark.text)
    } else if (mark.opens) open.set(mark.text, at)
    at += length - 1
  }
  return marks
}

/** `*`, `_` and the backtick. */
const isMark = (code: number): boolean => code === 0x2a || code === 0x5f || code === 0x60

function readMark(text: string, start: number): Mark {
  let end = start + 1
  while (text[end] === text[start]) end++
  const mark = text.slice(start, end)
  const fits = mark.length <= LONGEST_MARK
  const before = kindOf(text, start - 1)
  const after = kindOf(text, end)
  return {
    text: mark,
    opens: fits && before !== 'word' && after !== 'space',
    closes: fits && before !== 'space' && after !== 'word',
  }
}

function kindOf(text: string, at: number): 'word' | 'space' | 'other' {
  const character = text[at] ?? ' '
  if (character.trim() === '') return 'space'
  const code = character.charCodeAt(0)
  const isAscii = (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a)
  return isAscii || (code >= 0xc0 && code < 0x2000) || code >= 0x3000 ? 'word' : 'other'
}
