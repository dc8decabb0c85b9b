import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
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
  private readonly chunks: readonly Buffer[]

  constructor(digest: string, chunks: readonly Buffer[]) {
    this.digest = digest
    this.chunks = chunks
  }

  get bytes(): Buffer {
    const [only] = this.chunks
    return this.chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.chunks)
  }
}

class TooLarge {}

interface BodyLimits {
  readonly body_bytes: number
  readonly depth: number
}

/** Only `POST` routes take a body. */
export const wantsBody = ({ method, is404 }: FastifyRequest): boolean => method === 'POST' && !is404

/** What a body of this route may have; less than anywhere where no key is asked for. */
export const mostBytes = ({ routeOptions }: FastifyRequest, { body_bytes }: Pick<BodyLimits, 'body_bytes'>): number =>
  Math.min(body_bytes, routeOptions.bodyLimit)

const NO_BODY = 'the request has no body'

/** Whether the request was answered by the digest of its bytes alone. */
export type AnswerRaw = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>

/** JSON bodies reach routes in two steps: raw, so that a hit never parses; then parsed, depth first checked, before validation. */
export function installJsonBody(app: FastifyInstance, limits: BodyLimits, answerRaw: AnswerRaw): void {
  app.decorateRequest('bodyDigest', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    // Nobody reads it and nobody made room for it: kept, it would be memory for any caller without a key.
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
    const encoding = encodingOf(request.headers['content-encoding'])
    const body = encoding === null ? payload : Readable.from(decodeBody(encoding, payload), { objectMode: false })
    const hold = (bytes: number) => request.holdBytes(bytes)
    collect(body, most, hold, (error, collected) => {
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
    if (!(request.body instanceof RawBody) || request.is404) return done()
    request.bodyDigest = request.body.digest
    answerRaw(request, reply).then((answered) => answered || done(), done)
  })
  app.addHook('preValidation', (request, _reply, done) => {
    done(readBody(request, limits))
  })
}

/**
 * Hashes and keeps a body. Where it is too large, or `hold` finds no room for it, the answer goes out at once; what is still on its way
 * is let through unread, so that the client can read the answer.
 */
function collect(
  body: Readable,
  most: number,
  hold: (bytes: number) => void,
  done: (error: Error | null, body?: RawBody | TooLarge) => void,
): void {
  const hash = createHash('sha256')
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
    hash.update(chunk)
    chunks.push(chunk)
  })
  body.on('error', (error) =>
    end(error instanceof HttpProblem ? error : new HttpProblem(400, 'invalid_request', BROKEN_OFF)),
  )
  body.on('end', () => end(null, new RawBody(hash.digest('hex'), chunks)))
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
  try {
    request.body = parseJson(request.body.bytes, limits.depth)
    return undefined
  } catch (error) {
    return error as Error
  }
}
