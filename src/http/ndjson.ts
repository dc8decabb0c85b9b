import type { FastifyRequest } from 'fastify'
import type { IntakeItem } from '../batches/intake.ts'
import type { Limits } from '../config/settings.ts'
import { readStrictJson } from '../domain/text/json.ts'
import { type Line, splitLines } from '../domain/text/line-splitter.ts'
import { type BatchItem, BatchItemSchema } from '../schemas/batch.ts'
import { inputIssues, misfit } from '../schemas/check.ts'
import { faultAt, type RequestError } from '../schemas/problem.ts'
import { linesAdvice } from './plugins/errors.ts'

/** `body_bytes` bounds one line. */
type LineLimits = Pick<Limits, 'body_bytes' | 'depth'>

/** Tells an NDJSON body, which its route reads. */
export const isStream = (body: unknown): body is AsyncIterable<Buffer> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body

/** Reads the items of an NDJSON body as they arrive. Throws a RequestError with the place of the first fault; lines count from 1, items from 0. */
export async function* readItems(request: FastifyRequest, limits: LineLimits): AsyncGenerator<IntakeItem> {
  let index = 0
  for await (const { number, bytes } of readLines(request, limits)) {
    const [place, where] = [`/items/${index++}`, `line ${number}`]
    if (bytes === null) throw tooLong(place, where, limits)
    const item = parseLine(request, bytes, limits, place, where)
    const issues = inputIssues(BatchItemSchema, item)
    if (issues.length > 0) throw misfit(place, issues, where)
    yield { item: item as BatchItem, place, bytes: bytes.length }
  }
}

/** Reads all records of an NDJSON body that is one run. Throws above `body_bytes` in all. */
export async function readRecords(request: FastifyRequest, limits: LineLimits): Promise<unknown[]> {
  const records: unknown[] = []
  let total = 0
  for await (const { number, bytes } of readLines(request, limits)) {
    total += bytes?.length ?? 0
    if (bytes === null || total > limits.body_bytes) throw tooLong('', `the body, at line ${number},`, limits)
    records.push(parseLine(request, bytes, limits, `/records/${records.length}`, `line ${number}`))
  }
  return records
}

function parseLine(request: FastifyRequest, bytes: Buffer, { depth }: LineLimits, place: string, where: string) {
  const read = readStrictJson(bytes, depth)
  if (read.ok) return read.value
  const message = `${where}: ${read.error.message.replace(/^the body /, 'the line ')}`
  throw faultAt(place, message, read.error.code, message + linesAdvice(request, read.error.code))
}

const tooLong = (place: string, where: string, { body_bytes }: LineLimits): RequestError =>
  faultAt(place, `${where} is longer than ${body_bytes} bytes`, 'body_too_large')

/** Splits a body into its lines that are not blank. A line over the limit comes without its bytes. */
async function* readLines({ body }: FastifyRequest, { body_bytes }: LineLimits): AsyncGenerator<Line> {
  for await (const line of splitLines(body as AsyncIterable<Buffer>, body_bytes)) if (!isBlank(line)) yield line
}

/** Tells a line of white space in the sense of JSON. */
const isBlank = ({ bytes }: Line): boolean =>
  bytes?.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d) ?? false
