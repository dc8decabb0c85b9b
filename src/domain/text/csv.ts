import { escapeOf } from './escape.ts'

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
  const text = guard(
    (typeof value === 'string' ? value : value.join('; ')).replaceAll(UNSEEN, (character) => escapeOf(character)),
  )
  return text.includes('"') || text.includes(',') ? `"${text.replaceAll('"', '""')}"` : text
}

/** Looks behind leading space, which spreadsheets ignore. */
const guard = (text: string): string => (FORMULA_STARTS.includes(text.trimStart()[0] ?? '') ? `'${text}` : text)
