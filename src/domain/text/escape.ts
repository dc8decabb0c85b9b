/**
 * Escapes characters of trajectory text for the judge.
 *
 * Escaped, never deleted: control characters (but for tab and line feed), bidirectional and invisible characters, tags,
 * variation selectors, lone surrogates, and whatever looks like a frame of the prompt. `⟨U+200B⟩` stands for one character,
 * `⟨U+0000×12⟩` for a run. The brackets of an escape are themselves escaped where they would read as one, so the writing has
 * one meaning. Only the carriage return of a CRLF line end is folded away.
 */

const HIDDEN =
  '\\0-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ud800-\\udfff\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb\\u{e0000}-\\u{e0fff}\\u{1d173}-\\u{1d17a}⟦'
const FRAME_WORDS = ['STEP', 'END', 'TRAJECTORY', 'GROUND', 'QUESTION', 'RUBRIC', 'EVIDENCE', 'OMITTED'] as const
const PART_WORDS = ['user', 'system', 'agent_reasoning', 'agent_message', 'agent_action', 'tool_output'] as const

/** Writes the pattern of words in any case. */
const anyCase = (words: readonly string[]): string =>
  words.map((word) => word.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`)).join('|')

/** The first mark of a line that looks like a frame of the prompt. */
const FRAME = `(?<=(?<![^\\n])[ \\t]*)(?:=(?==+[ \\t]*(?:${anyCase(FRAME_WORDS)}))|-(?=-+[ \\t]*(?:${anyCase(PART_WORDS)})))`
/** Two characters only before what makes them an escape or the opening of a special token; four equal ones or more are one run. */
const SPECIAL = new RegExp(`\\r(?=\\n)|(?:([${HIDDEN}])(?:\\1{3,})?|<(?=\\|)|⟨(?=U\\+)|${FRAME})`, 'gu')

/** Takes a piece of source text, and the text shown instead of it. */
type OnEscape = (start: number, end: number, shown: string) => void

/** Tells of the escapes of `text[from, to)`, in order. Linear. */
export function eachEscape(text: string, from: number, to: number, tell: OnEscape): void {
  SPECIAL.lastIndex = from
  for (let match = SPECIAL.exec(text); match !== null && match.index < to; match = SPECIAL.exec(text)) {
    const { 0: there, index } = match
    const isFolded = there === '\r' && text[index + 1] === '\n'
    const shown = there.slice(0, to - index)
    tell(index, index + shown.length, isFolded ? '' : escapeOf(shown))
    SPECIAL.lastIndex = index + shown.length
  }
}

/** Writes the escape of one character or a run of equal ones. */
function escapeOf(run: string): string {
  const point = run.codePointAt(0) ?? 0
  const count = run.length / (point > 0xffff ? 2 : 1)
  return `⟨U+${hexOf(point)}${count === 1 ? '' : `×${count}`}⟩`
}

const hexOf = (point: number): string => point.toString(16).toUpperCase().padStart(4, '0')

const LONGEST_RUN = 100_000
const ESCAPE = /⟨U\+([0-9A-F]{4,6})(?:×([0-9]{1,6}))?⟩/g

/** Reads escapes in a judge's quote back; null where the characters would be more than `most`: a run of a few characters stands for 100,000. Linear; unknown writings stay. */
export function unescapeWithin(shown: string, most = Number.POSITIVE_INFINITY): string | null {
  let length = 0
  const plain = shown.replace(ESCAPE, (written: string, hex: string, count = '1') => {
    const [point, times] = [Number.parseInt(hex, 16), Number(count)]
    if (point > 0x10ffff || times > LONGEST_RUN) return written
    length += times * (point > 0xffff ? 2 : 1)
    return length > most ? '' : String.fromCodePoint(point).repeat(times)
  })
  return length > most ? null : plain
}

/** The value of a cell. A list is joined by `; `; null and undefined are empty. */
export type CsvValue = string | number | boolean | null | undefined | readonly string[]

/** Control, bidirectional and invisible characters, and lone surrogates: a name must not steer a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Characters that begin a formula in a spreadsheet, full-width forms included. */
const FORMULA_STARTS: readonly string[] = ['=', '+', '-', '@', '＝', '＋', '－', '＠']

/**
 * Joins the cells of a row of RFC 4180, without a line end. Invisible characters are written `⟨U+001B⟩`, as in prompts, so that no cell has a line break; a
 * text that a spreadsheet would take for a formula gets a leading apostrophe; numbers stay numbers.
 */
export const csvCells = (values: readonly CsvValue[]): string => values.map(csvCell).join(',')

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const shown = (typeof value === 'string' ? value : value.join('; ')).replaceAll(UNSEEN, escapeOf)
  // Spreadsheets ignore leading space.
  const text = FORMULA_STARTS.includes(shown.trimStart()[0] ?? '') ? `'${shown}` : shown
  return text.includes('"') || text.includes(',') ? `"${text.replaceAll('"', '""')}"` : text
}
