import { type MappedText, withoutUnits } from './mapped-text.ts'

const MARKS = '*_`'
const LONGEST_MARK = 3

/** A run of one mark, as it may open or close an emphasis. */
interface Mark {
  readonly start: number
  readonly text: string
  readonly opens: boolean
  readonly closes: boolean
}

/**
 * The text without its Markdown emphasis: pairs of `*`, `**`, `***`, the same of `_`, and backticks around words, on one line. A mark
 * inside a word (`2*3*4`, `snake_case_name`) or with white space on both sides (`a * b`) is none. Linear.
 */
export function dropEmphasis(mapped: MappedText): MappedText {
  const { text } = mapped
  const dropped = new Uint8Array(text.length)
  let open = new Map<string, number>()
  let any = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\n') open = new Map()
    if (!MARKS.includes(character)) continue
    const mark = readMark(text, at)
    const opener = open.get(mark.text)
    if (mark.closes && opener !== undefined) {
      any = true
      dropped.fill(1, opener, opener + mark.text.length)
      dropped.fill(1, at, at + mark.text.length)
      open.delete(mark.text)
    } else if (mark.opens) open.set(mark.text, at)
    at += mark.text.length - 1
  }
  return any ? withoutUnits(mapped, dropped) : mapped
}

function readMark(text: string, start: number): Mark {
  let end = start + 1
  while (text[end] === text[start]) end++
  const mark = text.slice(start, end)
  const fits = mark.length <= LONGEST_MARK
  const before = kindOf(text, start - 1)
  const after = kindOf(text, end)
  return {
    start,
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
