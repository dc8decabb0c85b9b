import { addAbortSignal, type Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { BlobSettings } from '../config/blob-settings.ts'
import type { LazyS3 } from './s3-client.ts'
import { isMissing, isPassing, NOT_KEPT, readFailure, toBlobError } from './s3-error.ts'
import { createTurnstile } from './turnstile.ts'

export type S3Requests = ReturnType<typeof createS3Requests>

/** Before the second try; it doubles. */
const FIRST_DELAY_MS = 100
const LONGEST_DELAY_MS = 5000

/** Requests to one bucket, each with a bound on its time, its tries and what it reads. They reject with a BlobError. */
export function createS3Requests(settings: BlobSettings, s3: LazyS3) {
  const { bucket, shown, max_attempts, request_timeout_ms } = settings
  const inTurn = createTurnstile(settings.max_connections)

  async function attempt<T>(once: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController()
    // One bound for everything: waiting for a connection, the answer and its body.
    const timer = setTimeout(() => stop.abort(), request_timeout_ms)
    try {
      return await once(stop.signal)
    } catch (error) {
      // What is left of it goes with its connection.
      stop.abort()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** `whenMissing`: the answer where there is no such object. */
  async function repeat<T>(what: string, once: (signal: AbortSignal) => Promise<T>, whenMissing?: T): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await inTurn(() => attempt(once))
      } catch (error) {
        const failure = readFailure(error)
        if (whenMissing !== undefined && isMissing(failure)) return whenMissing
        if (tries >= max_attempts || !isPassing(failure)) throw toBlobError(failure, what, shown)
        await delay(Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (tries - 1)) * (0.5 + Math.random()))
      }
    }
  }

  return {
    put: (key: string, bytes: Uint8Array): Promise<void> =>
      repeat(`storing ${key}`, async (abortSignal) => {
        const { sdk, client } = await s3.use()
        const input = { Bucket: bucket, Key: key, Body: bytes, ContentLength: bytes.byteLength, ContentType: TYPE }
        const { ETag } = await client.send(new sdk.PutObjectCommand(input), { abortSignal })
        // Every store gives one. A web server that says 200 to everything has kept nothing.
        if (ETag === undefined) throw new NotKept()
      }),
    /** No more than `most` + 1 bytes; null where there is no such object. */
    get: (key: string, most: number): Promise<Uint8Array | null> =>
      repeat<Uint8Array | null>(
        `reading ${key}`,
        async (abortSignal) => {
          const { sdk, client } = await s3.use()
          const { Body } = await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key }), { abortSignal })
          return readAtMost(Body as Readable, most, abortSignal)
        },
        null,
      ),
  }
}

const TYPE = 'application/octet-stream'

class NotKept extends Error {
  override readonly name = NOT_KEPT
}

async function readAtMost(body: Readable, most: number, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of addAbortSignal(signal, body) as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size > most) break
  }
  return Buffer.concat(chunks).subarray(0, most + 1)
}
