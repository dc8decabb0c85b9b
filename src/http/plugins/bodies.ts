import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../../config/settings.ts'
import { readStrictJson } from '../../domain/text/json.ts'
import { LARGE_BODY, readLargeBody } from '../../offload/large-body.ts'
import { faultAt, RequestError } from '../../schemas/problem.ts'
import { acceptedTypes, answerClientError, linesAdvice, NDJSON, unsupportedType } from './errors.ts'
import type { Admission, BodyRoom } from './limits.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The bytes of a JSON body that is not parsed yet; null for a request without one. */
    rawBody: RawBody | null
    /** SHA-256 of the body’s bytes without their encoding, in hex; empty for a request without a JSON body. */
    bodyDigest: string
  }
}

interface RawBody {
  /** Emptied where the body is parsed: a request lives for as long as its judge takes. */
  readonly chunks: Buffer[]
  /** Gives the room of the bytes back. */
  readonly release: () => void
}

/** A body that has its whole room brings a part of so many of its `Content-Length` in each window, or it is cut off. */
const WINDOW_MS = 10_000
const WINDOWS = 400
/** The longest silence of a client that sends lines. */
const SILENCE_MS = 600_000

type BodyLimits = Pick<Limits, 'body_bytes' | 'body_ms' | 'depth' | 'max_steps' | 'max_part_chars'>

interface BodyOptions {
  readonly limits: BodyLimits
  readonly admission: Admission
  /** Answers a body by the digest of its bytes, before the body is parsed. Answers whether the reply was sent. */
  readonly answerBytes: (request: FastifyRequest, reply: FastifyReply) => Promise<boolean>
}

/** Adds the two parsers: JSON, which is parsed after `answerBytes` and before validation, and NDJSON, which its route reads line by line. */
export function installBodies(app: FastifyInstance, { limits, admission, answerBytes }: BodyOptions): void {
  app.decorateRequest('bodyDigest', '')
  app.decorateRequest('rawBody', null)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    // A body that no route wants is never kept.
    if (!wantsBody(request)) return void payload.resume()
    requireUtf8(request)
    await collect(request, payload, limits, admission)
  })
  app.addContentTypeParser(NDJSON, async (request: FastifyRequest, payload: IncomingMessage) => {
    if (request.routeOptions.schema?.body !== undefined && !acceptedTypes(request).includes(NDJSON))
      throw unsupportedType(request)
    requireUtf8(request)
    const encoding = encodingOf(request.headers['content-encoding'])
    const room = await admission.enter(linesHeld(request, limits.body_bytes))
    const silence = watchArrival(payload, SILENCE_MS, () => 1)
    payload.once('close', () => {
      clearInterval(silence)
      room.release()
    })
    return passInRoom(decodeBody(encoding, payload), room)
  })
  app.addHook('preValidation', async (request, reply) => {
    if (!wantsBody(request)) return
    const { rawBody, routeOptions } = request
    if (rawBody !== null)
      try {
        if (await answerBytes(request, reply)) return reply
        request.body = await parse(request, Buffer.concat(rawBody.chunks.splice(0)), limits)
      } finally {
        rawBody.release()
      }
    else if (request.body === undefined && routeOptions.schema?.body !== undefined) {
      request.body = null
      throw faultAt('', 'the request has no body', 'invalid_json')
    }
  })
}

/** Only `POST` routes take a body. */
const wantsBody = ({ method, is404 }: FastifyRequest): boolean => method === 'POST' && !is404

/** Collects and hashes the bytes of a JSON body. */
async function collect(request: FastifyRequest, payload: IncomingMessage, limits: BodyLimits, { enter }: Admission) {
  const most = Math.min(limits.body_bytes, request.routeOptions.bodyLimit)
  const tooLarge = () => new RequestError('body_too_large', `the body is larger than ${most} bytes`)
  const length = Number(request.headers['content-length'] ?? Number.NaN)
  if (length > most) throw tooLarge()
  const encoding = encodingOf(request.headers['content-encoding'])
  const room = await enter(Math.min(most, mostDecoded(encoding, length)))
  const least = Number.isNaN(length) ? 1 : Math.max(1, length / WINDOWS)
  const arrival = watchArrival(payload, WINDOW_MS, () => (room.isWhole() ? least : 1))
  const late = setTimeout(() => answerClientError(TIMEOUT, payload.socket), limits.body_ms)
  const hash = createHash('sha256')
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of decodeBody(encoding, payload)) {
      size += chunk.length
      if (size > most) throw tooLarge()
      chunks.push(chunk)
      hash.update(chunk)
      await room.grow(size)
    }
    request.bodyDigest = hash.digest('hex')
    request.rawBody = { chunks, release: room.release }
  } catch (error) {
    room.release()
    throw error
  } finally {
    clearInterval(arrival)
    clearTimeout(late)
  }
}

/** Passes the lines of a body on; lines behind the beginning wait for the room of the whole body. */
async function* passInRoom(body: AsyncIterable<Buffer>, room: BodyRoom): AsyncGenerator<Buffer> {
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    await room.grow(size)
    yield chunk
  }
}

const TIMEOUT = { code: 'ERR_HTTP_REQUEST_TIMEOUT' }

/** Cuts a connection off whose client sent fewer bytes in a window than `least` says, though all that had come was read. */
function watchArrival(payload: IncomingMessage, window_ms: number, least: () => number): NodeJS.Timeout {
  let before = payload.socket.bytesRead
  return setInterval(() => {
    const { bytesRead } = payload.socket
    const isLate = bytesRead - before < least() && payload.readableLength === 0
    before = bytesRead
    if (isLate && !payload.complete) answerClientError(TIMEOUT, payload.socket)
  }, window_ms).unref()
}

/** Routes whose body holds a run: a thread reads their large bodies. */
const HOLDS_RUN: Readonly<Record<string, 'request' | 'run'>> = {
  '/v1/grades': 'request',
  '/v1/trajectories': 'run',
}

async function parse(request: FastifyRequest, bytes: Buffer, limits: BodyLimits) {
  const holds = HOLDS_RUN[request.routeOptions.url ?? '']
  const isLarge = holds !== undefined && bytes.length > LARGE_BODY
  const read = isLarge ? await readLargeBody(holds, bytes, limits) : readStrictJson(bytes, limits.depth)
  if (!read.ok) {
    const { code, path, message } = read.error
    throw faultAt(path, message, code, message + linesAdvice(request, code))
  }
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
      throw new RequestError('unsupported_encoding', SEND_UTF8)
  }
}

const SEND_UTF8 = 'send the body as UTF-8: set Content-Type without a charset, or with charset=utf-8'
/** ASCII is a part of UTF-8. */
const UTF8: readonly string[] = ['utf-8', 'utf8', 'us-ascii', 'ascii']

/** Decoded bytes below which any ratio is honest: small bodies of one letter exist. */
const FREE_BYTES = 1024 * 1024
/** Trajectories shrink to a fifth or a thirtieth; zeros to a thousandth and less. */
const MOST_RATIO = 100

/** A decoder takes one stream and no garbage after it, so that no byte of a body goes unread. */
const EXACT = { chunkSize: 64 * 1024, rejectGarbageAfterEnd: true } as const
/** RFC 9659 allows windows of 8 MB on the web. Without the limit, a frame of a few bytes can ask for 128 MB. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 }

const DECODERS = {
  gzip: () => createGunzip(EXACT),
  deflate: () => createInflate(EXACT),
  br: () => createBrotliDecompress(EXACT),
  zstd: () => createZstdDecompress({ ...EXACT, params: ZSTD_PARAMS }),
} as const
const ACCEPTED = Object.keys(DECODERS).join(', ')

/** The encoding of a body; null: plain bytes. */
type Encoding = keyof typeof DECODERS | null

/** Reads `Content-Encoding`. Throws 415 for an unknown encoding, and for more than one. */
function encodingOf(header: string | undefined): Encoding {
  const name = (header ?? 'identity').trim().toLowerCase()
  if (name === 'identity') return null
  if (Object.hasOwn(DECODERS, name)) return name as Encoding
  const remedy = `set the header Content-Encoding to one of ${ACCEPTED}, or leave it out`
  throw new RequestError('unsupported_encoding', remedy, { headers: { 'accept-encoding': ACCEPTED } })
}

/** Bounds the decoded bytes of a body by its `Content-Length`, which may be NaN. */
const mostDecoded = (encoding: Encoding, length: number): number =>
  Number.isNaN(length) ? Infinity : encoding === null ? length : Math.max(FREE_BYTES, length * MOST_RATIO)

/** Decodes a body by zlib’s threads, no faster than its reader. Throws a RequestError for a bomb. Unread bytes are let through, so that the client reads the answer. */
async function* decodeBody(encoding: Encoding, source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* encoding === null ? plain(source) : decode(source, DECODERS[encoding]())
  } finally {
    source.resume()
  }
}

async function* plain(source: Readable): AsyncGenerator<Buffer> {
  try {
    yield* source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
  } catch {
    throw brokenOff()
  }
}

async function* decode(source: Readable, decoder: Transform & { readonly bytesWritten: number }) {
  const breakOff = () => source.readableEnded || decoder.destroy(brokenOff())
  source.on('error', breakOff).once('close', breakOff)
  if (source.destroyed) breakOff()
  source.pipe(decoder)
  let produced = 0
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      produced += chunk.length
      if (produced > FREE_BYTES && produced > decoder.bytesWritten * MOST_RATIO)
        throw new RequestError('compression_ratio', TOO_DENSE)
      yield chunk
    }
  } catch (error) {
    throw error instanceof RequestError ? error : new RequestError('invalid_encoding', NOT_ENCODED)
  } finally {
    source.unpipe(decoder)
  }
}

const brokenOff = (): RequestError => new RequestError('invalid_request', 'the body broke off')
const TOO_DENSE = `the body is more than ${MOST_RATIO} times as large as what was sent; send it with less compression or none`
const NOT_ENCODED = 'the body is not one whole stream of its Content-Encoding'
