import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { csvRow } from '../audit/csv.ts'
import type { CsvValue } from '../domain/text/escape.ts'
import type { Response } from './operation.ts'

type CsvRows = AsyncIterable<readonly CsvValue[]> | Iterable<readonly CsvValue[]>

/** Sends a table row by row, after its header. `name` becomes the name of the saved file. */
export function sendCsv(reply: FastifyReply, name: string, columns: readonly string[], rows: CsvRows): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(writeTable(columns, rows)))
}

const ROWS_AT_ONCE = 200

async function* writeTable(columns: readonly string[], rows: CsvRows): AsyncGenerator<string> {
  let text = csvRow(columns)
  let pending = 0
  for await (const row of rows) {
    text += csvRow(row)
    if (++pending < ROWS_AT_ONCE) continue
    yield text
    text = ''
    pending = 0
  }
  if (text !== '') yield text
}

/** Describes an answer that can be a table too. */
export const withCsv = (response: Response, columns: readonly string[]): Response => ({
  ...response,
  content: {
    ...response.content,
    'text/csv': { schema: { type: 'string', description: `With \`format=csv\`: ${columns.join(', ')}.` } },
  },
})
