import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { HttpProblem } from '../problem.ts'

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
export function encodingOf(header: string | undefined): Encoding {
  const name = (header ?? 'identity').trim().toLowerCase()
  if (name === 'identity') return null
  if (Object.hasOwn(DECODERS, name)) return name as Encoding
  throw new HttpProblem(
    415,
    'unsupported_encoding',
    `set the header Content-Encoding to one of ${ACCEPTED}, or leave it out`,
    {
      headers: { 'accept-encoding': ACCEPTED },
    },
  )
}

/** Bounds the decoded bytes of a body by its `Content-Length`, which may be NaN. */
export const mostDecoded = (encoding: Encoding, length: number): number =>
  Number.isNaN(length) ? Infinity : encoding === null ? length : Math.max(FREE_BYTES, length * MOST_RATIO)

/**
 * Decodes a body in the threads of zlib, 64 KiB at a time and no faster than its reader: a bomb takes no memory and delays no other request. Throws an
 * HttpProblem for bytes that do not fit the encoding, and for a ratio that only bombs have. The bytes that its reader leaves are let through unread,
 * so that the client can read the answer.
 */
export async function* decodeBody(encoding: Encoding, source: Readable): AsyncGenerator<Buffer> {
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
        throw new HttpProblem(400, 'compression_ratio', TOO_DENSE)
      yield chunk
    }
  } catch (error) {
    throw error instanceof HttpProblem ? error : new HttpProblem(400, 'invalid_encoding', NOT_ENCODED)
  } finally {
    source.unpipe(decoder)
  }
}

const brokenOff = (): HttpProblem => new HttpProblem(400, 'invalid_request', 'the body broke off')
const TOO_DENSE = `the body is more than ${MOST_RATIO} times as large as what was sent; send it with less compression or none`
const NOT_ENCODED = 'the body is not one whole stream of its Content-Encoding'
