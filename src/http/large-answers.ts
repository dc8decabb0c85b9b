import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import type { Slots } from './slots.ts'

/** Characters from which an answer is counted and sent in pieces. */
export const LARGE_ANSWER = 1024 * 1024
const PIECE = 64 * 1024

/**
 * Bounds what slow readers hold: a large answer takes room until it is sent, where there is none it is refused with 503 `overloaded`, and it
 * is sent in pieces, so that a reader that does not take one of them for `patience_ms` is broken off.
 */
export function boundLargeAnswers(app: FastifyInstance, held: Slots, patience_ms: number): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < LARGE_ANSWER || reply.statusCode >= 400)
      return done(null, payload)
    let release: () => void
    try {
      release = held.take(payload.length)
    } catch (error) {
      return done(error as Error)
    }
    reply.header('content-length', Buffer.byteLength(payload))
    const { socket } = reply.raw
    const watch = setTimeout(() => socket?.destroy(), patience_ms).unref()
    reply.raw.once('close', () => {
      clearTimeout(watch)
      release()
    })
    done(
      null,
      Readable.from(
        piecesOf(payload, () => watch.refresh()),
        { objectMode: false, highWaterMark: PIECE },
      ),
    )
  })
}

/** Never between the halves of a surrogate pair. */
function* piecesOf(text: string, taken: () => void): Generator<Buffer> {
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + PIECE)
    const code = text.charCodeAt(end - 1)
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end--
    taken()
    yield Buffer.from(text.slice(at, end))
    at = end
  }
}
