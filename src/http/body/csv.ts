import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { Type } from '../../schemas/type.ts'

/** What a cell can hold. A list is joined by `; `; null and undefined are empty. */
export type CsvValue = string | number | boolean | null | undefined | readonly string[]

/** Query parameter of every call that can also answer a table. */
export const FormatQuery = {
  format: Type.Optional(
    Type.Enum(['json', 'csv'] as const, { type: 'string', default: 'json', description: '`csv`: one row a record.' }),
  ),
}

/** Control, bidirectional and invisible characters, and lone surrogates: a name must not steer a terminal. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** What spreadsheets take for a formula, in its full-width forms too. */
const FORMULA_STARTS: readonly string[] = ['=', '+', '-', '@', '＝', '＋', '－', '＠']

/**
 * One row of RFC 4180, its line end included. Characters that are not seen are written `⟨U+001B⟩`, as judges are shown them (so no
 * cell has a line break), and a text that a spreadsheet would take for a formula gets a leading apostrophe. Numbers stay as they are.
 */
export const csvRow = (values: readonly CsvValue[]): string => `${values.map(csvCell).join(',')}\r\n`

function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  const text = guard((typeof value === 'string' ? value : value.join('; ')).replaceAll(UNSEEN, escapeUnseen))
  return text.includes('"') || text.includes(',') ? `"${text.replaceAll('"', '""')}"` : text
}

/** Leading space hides nothing from a spreadsheet. */
const guard = (text: string): string => (FORMULA_STARTS.includes(text.trimStart()[0] ?? '') ? `'${text}` : text)

const escapeUnseen = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`

/** A table by its columns: how a cell is made of what a row is of. */
export const tableOf = <T>(cells: Readonly<Record<string, (one: T) => CsvValue>>) => ({
  columns: Object.keys(cells),
  toRow: (one: T): readonly CsvValue[] => Object.values(cells).map((cell) => cell(one)),
})

type CsvRows = AsyncIterable<readonly CsvValue[]> | Iterable<readonly CsvValue[]>

/** Sends a table row by row: its header, then what `rows` gives. `name` is that of the file that a browser saves. */
export function sendCsv(reply: FastifyReply, name: string, columns: readonly string[], rows: CsvRows): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(writeTable(columns, rows)))
}

const ROWS_AT_ONCE = 200

async function* writeTable(columns: readonly string[], rows: CsvRows): AsyncGenerator<string> {
  let text = csvRow(columns)
  let held = 0
  for await (const row of rows) {
    text += csvRow(row)
    if (++held < ROWS_AT_ONCE) continue
    yield text
    text = ''
    held = 0
  }
  if (text !== '') yield text
}

/** An answer that can be a table too, for the OpenAPI document. */
export const withCsv = <Response extends { readonly content: object }>(
  response: Response,
  columns: readonly string[],
) => ({
  ...response,
  content: {
    ...response.content,
    'text/csv': { schema: { type: 'string', description: `With \`format=csv\`: ${columns.join(', ')}.` } },
  },
})
