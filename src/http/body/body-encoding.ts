import type { Readable, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib'
import { HttpProblem } from '../problem.ts'

/** Decoded bytes that a body may have before its ratio is looked at: small bodies of one letter are honest. */
const FREE_BYTES = 1024 * 1024
/** Trajectories shrink to a fifth or a thirtieth; zeros to a thousandth and less. */
const MOST_RATIO = 100

/** One stream and nothing after it, so that no byte of a body goes unread. */
const EXACT = { chunkSize: 64 * 1024, rejectGarbageAfterEnd: true } as const
/** The window that RFC 9659 allows on the web. Without it a frame of a few bytes can ask for 128 MB. */
const ZSTD_PARAMS = { [constants.ZSTD_d_windowLogMax]: 23 }

const DECODERS = {
  gzip: () => createGunzip(EXACT),
  deflate: () => createInflate(EXACT),
  br: () => createBrotliDecompress(EXACT),
  zstd: () => createZstdDecompress({ ...EXACT, params: ZSTD_PARAMS }),
} as const
const ACCEPTED = Object.keys(DECODERS).join(', ')

/** Counts the bytes that it has used up. */
type Decoder = Transform & { readonly bytesWritten: number }
/** What a body is wrapped in; null: in nothing. */
type Encoding = keyof typeof DECODERS | null

/** Throws 415 for an encoding that is not one of ours, and for more than one. */
export function encodingOf(header: string | undefined): Encoding {
  const name = (header ?? 'identity').trim().toLowerCase()
  if (name === 'identity') return null
  if (Object.hasOwn(DECODERS, name)) return name as Encoding
  throw new HttpProblem(415, 'unsupported_encoding', `send the body in at most one of these encodings: ${ACCEPTED}`, {
    headers: { 'accept-encoding': ACCEPTED },
  })
}

/**
 * The bytes of a body without their encoding. Breaks with an HttpProblem where they are not what the encoding says, or grow as only a
 * bomb does. Decodes in zlib’s own threads, 64 KiB at a time and no faster than it is read: a bomb takes no memory and delays no other request.
 * Begins when it is first read. What is left when its reader stops is let through unread, so that the client can read the answer.
 */
export async function* decodeBody(encoding: Encoding, source: Readable): AsyncGenerator<Buffer> {
  try {
    if (encoding === null) yield* source.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    else yield* decode(source, DECODERS[encoding]())
  } finally {
    source.resume()
  }
}

async function* decode(source: Readable, decoder: Decoder): AsyncGenerator<Buffer> {
  const breakOff = () => source.readableEnded || decoder.destroy(new HttpProblem(400, 'invalid_request', BROKEN_OFF))
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

export const BROKEN_OFF = 'the body broke off'

const TOO_DENSE = `the body is more than ${MOST_RATIO} times as large as what was sent; send it with less compression or none`
const NOT_ENCODED = 'the body is not one whole stream of its Content-Encoding'
