import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Slots } from '../guard/slots.ts'

/** Characters, or bytes, from which an answer is counted and sent in pieces. */
export const LARGE_ANSWER = 1024 * 1024
const PIECE = 64 * 1024

/**
 * Bounds what slow readers hold: a large answer takes room until it is sent, where there is none it is refused with 503 `overloaded`, and it
 * is sent in pieces, so that a reader that does not take one of them for `patience_ms` is broken off.
 */
export function boundLargeAnswers(app: FastifyInstance, held: Slots, patience_ms: number): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    const isWhole = typeof payload === 'string' || Buffer.isBuffer(payload)
    if (!isWhole || payload.length < LARGE_ANSWER || reply.statusCode >= 400) return done(null, payload)
    let release: () => void
    try {
      release = held.take(payload.length)
    } catch (error) {
      return done(error as Error)
    }
    const bytes = typeof payload === 'string' ? Buffer.from(payload) : payload
    reply.header('content-length', bytes.length)
    const { socket } = reply.raw
    const watch = setTimeout(() => socket?.destroy(), patience_ms).unref()
    reply.raw.once('close', () => {
      clearTimeout(watch)
      release()
    })
    const pieces = piecesOf(bytes, () => watch.refresh())
    done(null, Readable.from(pieces, { objectMode: false, highWaterMark: PIECE }))
  })
}

function* piecesOf(bytes: Buffer, taken: () => void): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += PIECE) {
    taken()
    yield bytes.subarray(at, at + PIECE)
  }
}
