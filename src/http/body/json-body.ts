import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LARGE } from '../../asking/turns.ts'
import { rememberSentText } from '../../domain/trajectory/sent-text.ts'
import { faultAt, HttpProblem } from '../problem.ts'
import { decodeBody, encodingOf } from './body-encoding.ts'
import { parseJson } from './body-json.ts'
import { charsetFault, linesFault, NDJSON } from './content-type.ts'
import { type LargeBodyLimits, readLarge } from './large-body.ts'
import { arrivedEarly, collect, RawBody, TooLarge } from './raw-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body’s bytes, in hex; empty where there is no JSON body. */
    bodyDigest: string
    /** Sets room aside for bytes of a body that its headers did not tell of; throws where there is none. */
    holdBytes: (bytes: number) => void
  }
}

interface BodyLimits extends LargeBodyLimits {
  readonly body_bytes: number
}

/** Only `POST` routes take a body. */
export const wantsBody = ({ method, is404 }: FastifyRequest): boolean => method === 'POST' && !is404

/** What a body of this route may have; less than anywhere where no key is asked for. */
export const mostBytes = ({ routeOptions }: FastifyRequest, { body_bytes }: Pick<BodyLimits, 'body_bytes'>): number =>
  Math.min(body_bytes, routeOptions.bodyLimit)

/** Whether the request was answered by the digest of its bytes alone. */
export type AnswerRaw = (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>

/** JSON bodies reach routes in two steps: raw, so that a hit never parses; then parsed, depth first checked, before validation. */
export function installJsonBody(app: FastifyInstance, limits: BodyLimits, answerRaw: AnswerRaw): void {
  app.decorateRequest('bodyDigest', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (request, payload, done) => {
    // It is not read and no room was made for it: kept, it would be memory for any caller without a key.
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
    collect(body, { most, isOurs: false, hold }, (error, collected) => {
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
  app.addHook('preValidation', async (request, reply) => {
    if (!wantsBody(request)) return
    const { body, routeOptions } = request
    if (body instanceof TooLarge)
      throw new HttpProblem(413, 'body_too_large', `the body is larger than ${mostBytes(request, limits)} bytes`)
    if (body instanceof RawBody) {
      request.bodyDigest = body.digest
      if (await answerRaw(request, reply)) return reply
      const isLarge = body.length > LARGE && routeOptions.url === '/v1/grades'
      request.body = isLarge ? await readLarge(body, limits) : readBody(body, limits)
    }
    if (body !== undefined || routeOptions.schema?.body === undefined) return
    request.body = null
    throw faultAt('', 'the request has no body', 'invalid_json')
  })
}

function readBody(raw: RawBody, { depth }: BodyLimits): unknown {
  const [only] = raw.chunks
  const bytes = raw.chunks.length === 1 && only !== undefined ? only : Buffer.concat(raw.chunks)
  try {
    const value = parseJson(bytes, depth)
    rememberSentText(value, bytes)
    return value
  } finally {
    raw.free()
  }
}
