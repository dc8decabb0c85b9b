import { ok, type Result } from '../domain/result.ts'
import { type JsonFault, readStrictJson } from '../domain/text/strict-json.ts'
import { rememberSentText } from '../domain/trajectory/sent-text.ts'
import { referenceIn } from '../domain/trajectory/trajectory.ts'
import { isRecord, type ReadLimits } from '../formats/common/reading.ts'
import { readTrajectory } from '../formats/read.ts'
import { packBytes, parseStored, textIn, textOf } from '../storage/stored-text.ts'
import type { LargeBody, ReadBody } from './large-body.ts'

/** Reads one body as the main thread reads small ones. The default export is the job of piscina. */
export default function readBody({ kind, bytes, limits }: LargeBody): Result<ReadBody, JsonFault> {
  const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (kind === 'stored') {
    const read = readTrajectory(parseStored(textIn(sent)), limits)
    return ok({ body: null, run: { read, packed: new Uint8Array() } })
  }
  const parsed = readStrictJson(sent, limits.depth)
  if (!parsed.ok) return parsed
  return ok(kind === 'run' ? readRun(parsed.value, limits) : readRequest(parsed.value, sent, limits))
}

function readRequest(body: unknown, sent: Buffer, limits: ReadLimits): ReadBody {
  if (!isRecord(body)) return { body, run: null }
  const { trajectory, ...rest } = body
  if (!isRecord(trajectory) || referenceIn(trajectory) !== null) return { body, run: null }
  rememberSentText(body, sent)
  return { ...readRun(trajectory, limits), body: rest }
}

function readRun(body: unknown, limits: ReadLimits): ReadBody {
  const document = Array.isArray(body) ? { records: body as readonly unknown[] } : body
  if (!isRecord(document)) return { body, run: null }
  const packed = new Uint8Array(packBytes(textOf(document)))
  return { body: null, run: { read: readTrajectory(document, limits), packed } }
}
