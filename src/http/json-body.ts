import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpProblem } from './problem.ts'

/** A body as it arrived: hashed while it streamed, not decoded, not parsed. */
export class RawBody {
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

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** JSON bodies reach routes in two steps: raw, so that a hit never parses; then parsed, depth first checked, before validation. */
export function installJsonBody(
  app: FastifyInstance,
  limits: { readonly body_bytes: number; readonly depth: number },
): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', (_request, payload, done) => {
    const hash = createHash('sha256')
    const chunks: Buffer[] = []
    let length = 0
    payload.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length > limits.body_bytes) {
        chunks.length = 0
        return
      }
      hash.update(chunk)
      chunks.push(chunk)
    })
    payload.on('error', (error) => done(error, undefined))
    payload.on('end', () => {
      if (length > limits.body_bytes) done(tooLarge(limits.body_bytes), undefined)
      else done(null, new RawBody(hash.digest('hex'), chunks))
    })
  })
  app.addHook('preValidation', (request, _reply, done) => {
    done(readBody(request, limits.depth))
  })
}

const tooLarge = (limit: number): HttpProblem =>
  new HttpProblem(413, 'body_too_large', `the body is larger than ${limit} bytes`)

function readBody(request: FastifyRequest, depth: number): Error | undefined {
  if (request.method !== 'POST') return undefined
  if (request.body === undefined) {
    request.body = null
    return new HttpProblem(400, 'invalid_json', 'the request has no body')
  }
  if (!(request.body instanceof RawBody)) return undefined
  try {
    request.body = parseJson(request.body.bytes, depth)
    return undefined
  } catch (error) {
    return error as Error
  }
}

/** Never repeats the body in an error: it can hold anything. */
function parseJson(bytes: Buffer, depth: number): unknown {
  const deep = findTooDeep(bytes, depth)
  if (deep !== -1)
    throw new HttpProblem(400, 'too_deep', `nested deeper than ${depth} levels at byte ${deep}`, {
      errors: [{ path: '', message: `deeper than ${depth} levels at byte ${deep}` }],
    })
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw invalidJson('the body is not valid UTF-8')
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const position = /position (\d+)/.exec((error as Error).message)?.[1]
    throw invalidJson(
      position === undefined ? 'the body is not valid JSON' : `the body is not valid JSON at character ${position}`,
    )
  }
}

const invalidJson = (detail: string): HttpProblem =>
  new HttpProblem(400, 'invalid_json', detail, { errors: [{ path: '', message: detail }] })

/** Byte offset of the first bracket beyond the depth, or -1. One pass before any recursion; strings are jumped over. */
function findTooDeep(bytes: Buffer, most: number): number {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === 0x22) {
      at = endOfString(bytes, at)
      if (at === -1) return -1
    } else if (byte === 0x7b || byte === 0x5b) {
      if (++depth > most) return at
    } else if (byte === 0x7d || byte === 0x5d) depth--
  }
  return -1
}

/** The closing quote of the string that opens at `open`; -1 where there is none. Native search for the quote, then count the backslashes. */
function endOfString(bytes: Buffer, open: number): number {
  for (let at = bytes.indexOf(0x22, open + 1); at !== -1; at = bytes.indexOf(0x22, at + 1)) {
    let slashes = 0
    while (bytes[at - 1 - slashes] === 0x5c) slashes++
    if (slashes % 2 === 0) return at
  }
  return -1
}
