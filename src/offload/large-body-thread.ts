import { packBytes, parseStored, textIn, textOf } from '../db/text.ts'
import { err, ok, type Result } from '../domain/result.ts'
import { type JsonFault, pointer, readStrictJson } from '../domain/text/strict-json.ts'
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

const TOO_LARGE = `holds more than ${LARGE_BODY} bytes or values; only a trajectory may`

function readRequest(body: unknown, limits: ReadLimits): ReadBody {
  if (!isRecord(body)) return { body, run: null }
  const { trajectory, ...rest } = body
  if (!isRecord(trajectory) || referenceIn(trajectory) !== null) return { body, run: null }
  return { ...readRun(trajectory, limits), body: rest }
}

function readRun(body: unknown, limits: ReadLimits): ReadBody {
  const document = Array.isArray(body) ? { records: body as readonly unknown[] } : body
  if (!isRecord(document)) return { body, run: null }
  const packed = new Uint8Array(packBytes(textOf(document)))
  return { body: null, run: { read: readTrajectory(document, limits), packed } }
}

/** Finds the first member that the main thread would copy for too long; the empty path is the whole value. */
function largeMember(body: unknown): string | null {
  if (isRecord(body)) for (const [name, value] of Object.entries(body)) if (isLarge(value)) return pointer([name])
  return isLarge(body) ? '' : null
}

/** Counts the units of the texts and names and the values of a parsed value, up to the bound. */
function isLarge(value: unknown): boolean {
  let left = LARGE_BODY
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    left -= typeof next === 'string' ? next.length : 1
    const inner = typeof next === 'object' && next !== null ? Object.entries(next) : []
    if (inner.length > left) return true
    for (const [name, member] of inner) {
      left -= name.length
      open.push(member)
    }
  }
  return left < 0
}
