import { packDocument, parseStored, textIn } from '../db/text.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { type JsonFault, pointer, readStrictJson } from '../domain/text/json.ts'
import { referenceIn } from '../domain/trajectory/trajectory.ts'
import { isRecord, type ReadLimits } from '../formats/common/reading.ts'
import { readTrajectory } from '../formats/read.ts'
import { LARGE_BODY, type LargeBody, type ReadBody } from './large-body.ts'

/** Reads one body as the main thread reads small ones. The default export is the job of piscina. */
export default function readBody({ kind, bytes, limits }: LargeBody): Result<ReadBody, JsonFault> {
  const sent = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (kind === 'stored') {
    const read = readTrajectory(parseStored(textIn(sent)), limits)
    return ok({ body: null, run: { read, packed: new Uint8Array() } })
  }
  const parsed = readStrictJson(sent, limits.depth)
  if (!parsed.ok) return parsed
  const read = kind === 'run' ? readRun(parsed.value, limits) : readRequest(parsed.value, limits)
  const large = largeMember(read.body)
  return large === null ? ok(read) : err({ code: 'body_too_large', path: large, message: TOO_LARGE })
}

const TOO_LARGE = `is longer than ${LARGE_BODY} characters of JSON; only a trajectory may be`

function readRequest(body: unknown, limits: ReadLimits): ReadBody {
  if (!isRecord(body)) return { body, run: null }
  const { trajectory, ...rest } = body
  if (!isRecord(trajectory) || referenceIn(trajectory) !== null) return { body, run: null }
  return { ...readRun(trajectory, limits), body: rest }
}

function readRun(body: unknown, limits: ReadLimits): ReadBody {
  const document = Array.isArray(body) ? { records: body as readonly unknown[] } : body
  if (!isRecord(document)) return { body, run: null }
  const packed = new Uint8Array(packDocument(document))
  return { body: null, run: { read: readTrajectory(document, limits), packed } }
}

/** Finds the first member that the main thread would copy for too long; the empty path is the whole value. */
function largeMember(body: unknown): string | null {
  if (isRecord(body)) for (const [name, value] of Object.entries(body)) if (isLarge(value)) return pointer([name])
  return isLarge(body) ? '' : null
}

const isLarge = (value: unknown): boolean => JSON.stringify(value).length > LARGE_BODY
