import { createHash, type Hash, hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LARGE } from '../../asking/turns.ts'
import { readOnThread } from '../../offload/large-runs.ts'
import { ThreadLost } from '../../offload/offload.ts'
import { standIn } from '../../offload/read-elsewhere.ts'
import { HttpProblem } from '../problem.ts'
import { BROKEN_OFF, decodeBody, encodingOf } from './body-encoding.ts'
import { parseJson } from './body-json.ts'
import { charsetFault, linesFault, NDJSON } from './content-type.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body’s bytes, in hex; empty where there is no JSON body. */
    bodyDigest: string
    /** Sets room aside for bytes of a body that its headers did not tell of; throws where there is none. */
    holdBytes: (bytes: number) => void
  }
}

/** A body as it arrived: hashed while it streamed, not decoded, not parsed. */
class RawBody {
  readonly digest: string
  readonly chunks: readonly Buffer[]
  /** Whether it came from a socket, so that nobody else has the memory of its chunks. */
  readonly isOurs: boolean

  constructor(digest: string, chunks: readonly Buffer[], isOurs: boolean) {
    this.digest = digest
    this.chunks = chunks
    this.isOurs = isOurs
  }

  get length(): number {
    return this.chunks.reduce((sum, { length }) => sum + length, 0)
  }

  get bytes(): Buffer {
    const [only] = this.chunks
    return this.chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.chunks)
  }

  /** What may be given away, or back. */
  get memory(): readonly ArrayBuffer[] {
    if (!this.isOurs) return []
    return this.chunks.flatMap(({ buffer, length }) =>
      buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : [],
    )
  }

  /**
   * Gives the memory back: nobody may look at the bytes any more. Left to the garbage collector, every 40 MB that arrive cost a walk
   * through all that is alive.
   */
  free(): void {
    for (const buffer of this.memory) buffer.transfer(0)
  }
}

class TooLarge {}

interface BodyLimits {
  readonly body_bytes: number
  readonly depth: number
  readonly max_steps: number
  readonly max_part_chars: number
}

/** Only `POST` routes take a body. */
export const wantsBody = ({ method, is404 }: FastifyRequest): boolean => method === 'POST' && !is404

/** What a body of this route may have; less than anywhere where no key is asked for. */
export const mostBytes = ({ routeOptions }: FastifyRequest, { body_bytes }: Pick<BodyLimits, 'body_bytes'>): number =>
  Math.min(body_bytes, routeOptions.bodyLimit)

const NO_BODY = 'the request has no body'

/** Whether the request was answered by the digest of its bytes alone. */
export type AnswerRaw = (request: FastifyRequest, reply: FastifyReply) => boolean | Promise<boolean>

/** JSON bodies reach routes in two steps: raw, so that a hit never parses; then parsed, depth first checked, before validation. */
export function installJsonBody(app: FastifyInstance, limits: BodyLimits, answerRaw: AnswerRaw): void {
  app.decorateRequest('bodyDigest', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    // Nobody reads it and nobody made room for it: kept, it would be memory for whoever asks, with no key.
    if (!wantsBody(request)) {
      payload.resume()
      return done(null, undefined)
    }
    const fault = charsetFault(request)
    if (fault !== null) {
      payload.resume()
      return done(fault)
    }
    const most = mostBytes(request, limits)
    if (Number(request.headers['content-length'] ?? 0) > most) return done(null, new TooLarge())
    const early = arrivedEarly.get(request.raw)
    if (early !== undefined) return done(early.error, early.body)
    const encoding = encodingOf(request.headers['content-encoding'])
    const body = encoding === null ? payload : Readable.from(decodeBody(encoding, payload), { objectMode: false })
    const hold = (bytes: number) => request.holdBytes(bytes)
    collect(body, { most, isOurs: false }, hold, (error, collected) => {
      if (body !== payload) body.destroy()
      done(error, collected)
    })
  })
  // Read by its route, line by line: it may be larger than memory.
  app.addContentTypeParser(NDJSON, (request, payload, done) => {
    const fault = linesFault(request)
    if (fault === null) return done(null, decodeBody(encodingOf(request.headers['content-encoding']), payload))
    payload.resume()
    done(fault)
  })
  app.addHook('preValidation', (request, reply, done) => {
    const read = () => {
      const { body } = request
      if (body instanceof RawBody && body.length > LARGE && request.routeOptions.url === '/v1/grades')
        readLarge(body, limits).then((value) => {
          request.body = value
          done()
        }, done)
      else done(readBody(request, limits))
    }
    if (!(request.body instanceof RawBody) || request.is404) return read()
    request.bodyDigest = request.body.digest
    const answered = answerRaw(request, reply)
    if (answered === false) return read()
    if (answered !== true) answered.then((isAnswered) => isAnswered || read(), done)
  })
}

interface Arrived {
  readonly error: Error | null
  readonly body: RawBody | TooLarge | undefined
  /** What it took to arrive. */
  readonly ms: number
}

/** Bodies that were read before the framework saw their requests. */
const arrivedEarly = new WeakMap<IncomingMessage, Arrived>()

/** Reads a body before the framework sees its request. Where its digest is not answered, the framework finds it here. */
export function readEarly(
  message: IncomingMessage,
  most: number,
  answer: (digest: string) => boolean,
  otherwise: () => void,
): void {
  const begun = performance.now()
  collect(message, { most, isOurs: true }, NO_HOLD, (error, body) => {
    if (body instanceof RawBody && answer(body.digest)) return body.free()
    arrivedEarly.set(message, { error, body, ms: performance.now() - begun })
    otherwise()
  })
}

const NO_HOLD = () => undefined

/** How long a request took of which the framework knows nothing, in milliseconds. */
export const earlyMs = (message: IncomingMessage): number => arrivedEarly.get(message)?.ms ?? 0

/**
 * Hashes and keeps a body. Where it is too large, or `hold` finds no room for it, the answer goes out at once; what is still on its way
 * is let through unread, so that the client can read the answer.
 */
function collect(
  body: Readable,
  { most, isOurs }: { readonly most: number; readonly isOurs: boolean },
  hold: (bytes: number) => void,
  done: (error: Error | null, body?: RawBody | TooLarge) => void,
): void {
  let running: Hash | null = null
  let chunks: Buffer[] = []
  let length = 0
  let ended = false
  const end = (error: Error | null, collected?: RawBody | TooLarge) => {
    if (ended) return
    ended = true
    chunks = []
    done(error, collected)
  }
  body.on('data', (chunk: Buffer) => {
    if (ended) return
    length += chunk.length
    if (length > most) return end(null, new TooLarge())
    try {
      hold(chunk.length)
    } catch (error) {
      return end(error as Error)
    }
    chunks.push(chunk)
    running = digestOn(running, chunks)
  })
  body.on('error', (error) =>
    end(error instanceof HttpProblem ? error : new HttpProblem(400, 'invalid_request', BROKEN_OFF)),
  )
  body.on('end', () => {
    const digest = running?.digest('hex') ?? hash('sha256', chunks[0] ?? '')
    end(null, new RawBody(digest, chunks, isOurs))
  })
}

/** Past the last chunk. One chunk alone is hashed at its end, which is cheaper. */
function digestOn(running: Hash | null, chunks: readonly Buffer[]): Hash | null {
  const [first, second] = chunks
  const last = chunks.at(-1)
  if (first === undefined || second === undefined || last === undefined) return null
  return (running ?? createHash('sha256').update(first)).update(last)
}

/** On the thread of large runs; the document of the trajectory stays there. */
async function readLarge(raw: RawBody, { depth, max_steps, max_part_chars }: BodyLimits): Promise<unknown> {
  const read = await readOnThread(raw.chunks, { depth, max_steps, max_part_chars }, raw.memory).catch(unreadable)
  if ('refused' in read)
    throw new HttpProblem(400, read.refused.code, read.refused.detail, { errors: read.refused.errors })
  return read.trajectory === null ? read.body : { ...(read.body as object), trajectory: standIn(read.trajectory) }
}

function unreadable(error: unknown): never {
  if (!(error instanceof ThreadLost)) throw error
  throw new HttpProblem(413, 'body_too_large', 'reading the body takes more memory or time than one body may take')
}

function readBody(request: FastifyRequest, limits: BodyLimits): Error | undefined {
  if (!wantsBody(request)) return undefined
  if (request.body === undefined && request.routeOptions.schema?.body === undefined) return undefined
  if (request.body === undefined) {
    request.body = null
    return new HttpProblem(400, 'invalid_json', NO_BODY, { errors: [{ path: '', message: NO_BODY }] })
  }
  if (request.body instanceof TooLarge)
    return new HttpProblem(413, 'body_too_large', `the body is larger than ${mostBytes(request, limits)} bytes`)
  if (!(request.body instanceof RawBody)) return undefined
  const raw = request.body
  try {
    request.body = parseJson(raw.bytes, limits.depth)
    return undefined
  } catch (error) {
    return error as Error
  } finally {
    raw.free()
  }
}
