import { createHash, type Hash, hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { HttpProblem } from '../problem.ts'
import { BROKEN_OFF } from './body-encoding.ts'

/** A body as it arrived: hashed while it streamed, not decoded, not parsed. */
export class RawBody {
  readonly digest: string
  readonly chunks: readonly Buffer[]
  readonly length: number
  /** Whether it came from a socket, so that nothing else refers to the memory of its chunks. */
  readonly isOurs: boolean

  constructor(digest: string, chunks: readonly Buffer[], length: number, isOurs: boolean) {
    this.digest = digest
    this.chunks = chunks
    this.length = length
    this.isOurs = isOurs
  }

  /** What may be given away, or back. */
  get memory(): readonly ArrayBuffer[] {
    if (!this.isOurs) return []
    return this.chunks.flatMap(({ buffer, length }) =>
      buffer instanceof ArrayBuffer && buffer.byteLength === length ? [buffer] : [],
    )
  }

  /**
   * Gives the memory back: the bytes may not be read any more. Left to the garbage collector, every 40 MB that arrive cost a walk
   * through all that is alive.
   */
  free(): void {
    for (const buffer of this.memory) buffer.transfer(0)
  }
}

export class TooLarge {}

interface Arrived {
  readonly error: Error | null
  readonly body: RawBody | TooLarge | undefined
  /** What it took to arrive, of which the framework knows nothing; in milliseconds. */
  readonly ms: number
}

/** Bodies that were read before the framework saw their requests, which finds them here. */
export const arrivedEarly = new WeakMap<IncomingMessage, Arrived>()

interface Collecting {
  readonly most: number
  readonly isOurs: boolean
  /** Makes room for bytes; throws where there is none. */
  readonly hold?: (bytes: number) => void
}

/**
 * Hashes and keeps a body. Where it is too large, or `hold` finds no room for it, the answer goes out at once; what is still on its way
 * is let through unread, so that the client can read the answer.
 */
export function collect(
  body: Readable,
  { most, isOurs, hold }: Collecting,
  done: (error: Error | null, body?: RawBody | TooLarge) => void,
): void {
  let running: Hash | null = null
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
      hold?.(chunk.length)
    } catch (error) {
      return end(error as Error)
    }
    const [first] = chunks
    chunks.push(chunk)
    // One chunk alone is hashed at its end, which is cheaper.
    if (first !== undefined) running = (running ?? createHash('sha256').update(first)).update(chunk)
  })
  body.on('error', (error) =>
    end(error instanceof HttpProblem ? error : new HttpProblem(400, 'invalid_request', BROKEN_OFF)),
  )
  body.on('end', () => {
    const digest = running?.digest('hex') ?? hash('sha256', chunks[0] ?? '')
    end(null, new RawBody(digest, chunks, length, isOurs))
  })
}
