import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../../config/settings.ts'
import { readStrictJson } from '../../domain/text/strict-json.ts'
import { rememberSentText } from '../../domain/trajectory/sent-text.ts'
import { LARGE_BODY, readLargeBody } from '../../offload/large-body.ts'
import { faultAt, HttpProblem } from '../problem.ts'
import { brokenOff, decodeBody, encodingOf, mostDecoded } from './encoding.ts'
import { answerClientError, takenTypes, unsupportedType } from './errors.ts'
import type { Admission } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of the body’s bytes without their encoding, in hex; empty for a request without a JSON body. */
    bodyDigest: string
  }
}

const NDJSON = 'application/x-ndjson'

/** Bytes for which a body has room at first. The room for all of it is taken when these have come: a client that sends nothing holds nothing. */
const FIRST_BYTES = 64 * 1024
/** A body that has its whole room brings a part of so many of its `Content-Length` in each window, or it is cut off. */
const WINDOW_MS = 10_000
const WINDOWS = 400
/** The longest silence of a client that sends lines. */
const SILENCE_MS = 600_000

type BodyLimits = Pick<Limits, 'body_bytes' | 'body_ms' | 'depth' | 'max_steps' | 'max_part_chars'>

interface BodyOptions {
  readonly limits: BodyLimits
  readonly admission: Pick<Admission, 'hold'>
  /** Answers a body by the digest of its bytes, before the body is parsed. Answers whether the reply was sent. */
  readonly answerBytes: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>
}

/** A body whose bytes are hashed and not parsed. */
class RawBody {
  readonly chunks: readonly Buffer[]
  readonly length: number
  readonly release: () => void

  constructor(chunks: readonly Buffer[], length: number, release: () => void) {
    this.chunks = chunks
    this.length = length
    this.release = release
  }
}

/** Adds the two parsers: JSON, which is parsed after `answerBytes` and before validation, and NDJSON, which its route reads line by line. */
export function installBodies(app: FastifyInstance, options: BodyOptions): void {
  const { limits, admission, answerBytes } = options
  app.decorateRequest('bodyDigest', '')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    // A body that no route wants is never kept.
    if (!wantsBody(request)) return void payload.resume()
    requireUtf8(request)
    return await collect(request, payload, options)
  })
  app.addContentTypeParser(NDJSON, async (request: FastifyRequest, payload: IncomingMessage) => {
    if (request.routeOptions.schema?.body !== undefined && !takenTypes(request).includes(NDJSON))
      throw unsupportedType(request)
    requireUtf8(request)
    const encoding = encodingOf(request.headers['content-encoding'])
    const room = await takeRoom(admission, linesHeld(request, limits.body_bytes))
    const silence = watchArrival(payload, SILENCE_MS, () => 1)
    payload.once('close', () => {
      silence.end()
      room.release()
    })
    return withRoom(decodeBody(encoding, payload), room)
  })
  app.addHook('preValidation', async (request, reply) => {
    if (!wantsBody(request)) return
    const { body, routeOptions } = request
    if (body instanceof RawBody)
      try {
        if (await answerBytes(request, reply)) return reply
        request.body = await parse(body, HOLDS_RUN[routeOptions.url ?? ''], limits)
      } finally {
        body.release()
      }
    if (body !== undefined || routeOptions.schema?.body === undefined) return
    request.body = null
    throw faultAt('', 'the request has no body', 'invalid_json')
  })
}

/** Only `POST` routes take a body. */
const wantsBody = ({ method, is404 }: FastifyRequest): boolean => method === 'POST' && !is404

async function collect(request: FastifyRequest, payload: IncomingMessage, { limits, admission }: BodyOptions) {
  const most = Math.min(limits.body_bytes, request.routeOptions.bodyLimit)
  const tooLarge = () => new HttpProblem(413, 'body_too_large', `the body is larger than ${most} bytes`)
  const length = Number(request.headers['content-length'] ?? Number.NaN)
  if (length > most) throw tooLarge()
  const encoding = encodingOf(request.headers['content-encoding'])
  const whole = Math.min(most, mostDecoded(encoding, length))
  const room = await takeRoom(admission, whole)
  const sent = Number.isNaN(length) ? 1 : Math.max(1, length / WINDOWS)
  const arrival = watchArrival(payload, WINDOW_MS, () => (room.isWhole() ? sent : 1))
  const late = setTimeout(() => answerClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, payload.socket), limits.body_ms)
  const running = createHash('sha256')
  const chunks: Buffer[] = []
  let size = 0
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const keep = (chunk: Buffer) => {
    size += chunk.length
    if (size > most) return reject(tooLarge())
    chunks.push(chunk)
    running.update(chunk)
    if (size <= FIRST_BYTES || room.isWhole()) return
    body.pause()
    room.widen().then(() => body.resume(), reject)
  }
  const body = encoding === null ? payload : Readable.from(decodeBody(encoding, payload), { objectMode: false })
  body
    .on('data', keep)
    .once('end', resolve)
    .once('error', (error) => reject(error instanceof HttpProblem ? error : brokenOff()))
  try {
    await promise
    request.bodyDigest = running.digest('hex')
    return new RawBody(chunks, size, room.release)
  } catch (error) {
    room.release()
    // The rest is let through unread, so that the client can read the answer.
    body.off('data', keep)
    if (body === payload) payload.resume()
    else body.destroy()
    throw error
  } finally {
    arrival.end()
    clearTimeout(late)
  }
}

/** Takes room for the beginning of a body of at most `whole` bytes. `widen` takes the room for all of it; it rejects where none is free in time. */
async function takeRoom({ hold }: Pick<Admission, 'hold'>, whole: number) {
  let isReleased = false
  let isWhole = whole <= FIRST_BYTES
  let free = await hold(Math.min(whole, FIRST_BYTES))
  return {
    isWhole: () => isWhole,
    release() {
      isReleased = true
      free()
    },
    async widen(): Promise<void> {
      isWhole = true
      free()
      const wider = await hold(whole)
      if (isReleased) wider()
      else free = wider
    },
  }
}

/** Passes the bytes of a body on; those behind the beginning wait for the room of the whole body. */
async function* withRoom(body: AsyncIterable<Buffer>, room: Awaited<ReturnType<typeof takeRoom>>) {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > FIRST_BYTES && !room.isWhole()) await room.widen()
    yield chunk
  }
}

/** Cuts a connection off whose client sent fewer bytes in a window than `least` says, though all that had come was read. */
function watchArrival(payload: IncomingMessage, window_ms: number, least: () => number) {
  let before = payload.socket.bytesRead
  const watch = setInterval(() => {
    const { bytesRead } = payload.socket
    const isLate = bytesRead - before < least() && payload.readableLength === 0
    before = bytesRead
    if (isLate && !payload.complete) answerClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, payload.socket)
  }, window_ms).unref()
  return { end: () => clearInterval(watch) }
}

/** Routes whose body holds a run: a thread reads their large bodies. */
const HOLDS_RUN: Readonly<Record<string, 'request' | 'run'>> = {
  '/v1/grades': 'request',
  '/v1/trajectories': 'run',
}

async function parse({ chunks, length }: RawBody, holds: 'request' | 'run' | undefined, limits: BodyLimits) {
  const bytes = Buffer.concat(chunks)
  const isLarge = holds !== undefined && length > LARGE_BODY
  const read = isLarge ? await readLargeBody(holds, bytes, limits) : readStrictJson(bytes, limits.depth)
  if (!read.ok) {
    const { code, path, message } = read.error
    throw faultAt(path, message, code, message, code === 'body_too_large' ? 413 : 400)
  }
  if (!isLarge) rememberSentText(read.value, bytes)
  return read.value
}

/** Bytes of an NDJSON body that stay in memory: one line of a batch, all of one run. */
const linesHeld = ({ headers, routeOptions }: FastifyRequest, most: number): number =>
  routeOptions.url === '/v1/trajectories' ? Math.min(most, Number(headers['content-length']) || most) : LARGE_BODY

/** Throws for a charset other than UTF-8: read as UTF-8, its text would be another text, in which no quote is found. */
function requireUtf8({ headers }: FastifyRequest): void {
  for (const parameter of (headers['content-type'] ?? '').split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=', 2)
    if (name.trim().toLowerCase() !== 'charset') continue
    if (!UTF8.includes(value.trim().replaceAll('"', '').toLowerCase()))
      throw new HttpProblem(415, 'unsupported_encoding', 'send the body as UTF-8')
  }
}

/** ASCII is a part of UTF-8. */
const UTF8: readonly string[] = ['utf-8', 'utf8', 'us-ascii', 'ascii']
