import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Config } from '../../config/config.ts'
import { LARGE_BODY } from '../../offload/large-body.ts'
import { RequestError } from '../../schemas/problem.ts'

/** Over a window of this length, one long parse is no pressure; many in a row are. */
const SAMPLE_MS = 3000
const MOST_WAITING = 64
const LONGEST_WAIT_MS = 5_000

export type Admission = Awaited<ReturnType<typeof installAdmission>>
/** The room of one body. */
export type BodyRoom = Awaited<ReturnType<Admission['enter']>>

/** Refuses new grades under pressure, and large bodies that found no room in time, by 503. Probes, reads and hits pass. */
export async function installAdmission(
  app: FastifyInstance,
  { limits, registry }: { readonly limits: Config['limits']; readonly registry: Registry },
) {
  await app.register(underPressure, {
    sampleInterval: SAMPLE_MS,
    maxEventLoopDelay: limits.event_loop_delay_ms,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * limits.heap_share,
    // The hook of the plugin would refuse every request, probes too.
    pressureHandler: () => undefined,
  })
  app.server.maxConnections = limits.connections
  app.server.headersTimeout = limits.headers_ms
  // The unread rest of a refused body must not hold its connection for an hour.
  app.addHook('onResponse', ({ raw }, _reply, done) => {
    if (raw.complete !== false) return done()
    const late = setTimeout(() => raw.destroy(), limits.body_ms).unref()
    raw.once('close', () => clearTimeout(late))
    done()
  })
  const refusals = new Counter({
    name: 'veridict_refused_total',
    help: 'Requests refused because the service was overloaded, by cause: grades under pressure, or bodies without room.',
    labelNames: ['of'],
    registers: [registry],
  })
  const refusal = (of: 'grades' | 'body_bytes', why: string) => {
    refusals.inc({ of })
    // Callers that were refused together must not come back together.
    const headers = { 'retry-after': String(2 + Math.floor(Math.random() * 8)) }
    return new RequestError('overloaded', `${why}; try again later`, { headers, members: { retryable: true } })
  }
  const room = createRoom(limits.held_bytes, () =>
    refusal('body_bytes', 'the service holds as many bytes of bodies as it takes'),
  )
  new Gauge({
    name: 'veridict_admitted',
    help: 'Bytes of the bodies that are being read.',
    labelNames: ['of'],
    registers: [registry],
    collect() {
      this.set({ of: 'body_bytes' }, room.used())
    },
  })
  return {
    enter: room.enter,
    /** Throws under pressure. */
    requireCalm(): void {
      if (app.isUnderPressure())
        throw refusal('grades', 'the service has too little memory or time left to begin anything new')
    },
  }
}

/** Bytes for which a body has room at first. The room for all of it is taken when these have come: a client that sends nothing holds nothing. */
const FIRST_BYTES = 64 * 1024

/** Room for bytes of bodies. Large bodies leave a quarter of the room to small bodies, and wait for their own room in one queue. */
function createRoom(most: number, refusal: () => RequestError) {
  let used = 0
  const waiting: { readonly bytes: number; readonly admit: (release: () => void) => void }[] = []
  // A body fits into empty room, whatever its size.
  const fits = (bytes: number) => used === 0 || used + bytes <= (bytes > LARGE_BODY ? most * 0.75 : most)

  function take(bytes: number): () => void {
    used += bytes
    return () => {
      used -= bytes
      for (let [next] = waiting; next !== undefined && fits(next.bytes); [next] = waiting) {
        waiting.shift()
        next.admit(take(next.bytes))
      }
    }
  }

  /** Takes room that is free, and answers how to give it back; null: no room is free. */
  const takeFree = (bytes: number): (() => void) | null =>
    fits(bytes) && (bytes <= LARGE_BODY || waiting.length === 0) ? take(bytes) : null

  /** Takes room, and answers how to give it back. Throws for a full queue and after the longest wait. */
  async function hold(bytes: number): Promise<() => void> {
    const free = takeFree(bytes)
    if (free !== null) return free
    if (waiting.length >= MOST_WAITING) throw refusal()
    const { promise, resolve, reject } = Promise.withResolvers<() => void>()
    const place = { bytes, admit: resolve }
    waiting.push(place)
    const late = setTimeout(() => {
      waiting.splice(waiting.indexOf(place), 1)
      reject(refusal())
    }, LONGEST_WAIT_MS)
    return promise.finally(() => clearTimeout(late))
  }

  return {
    used: () => used,
    /** Takes room for the beginning of a body of at most `whole` bytes. */
    async enter(whole: number) {
      // The room of the whole body was taken, or is waited for.
      let isWhole = whole <= FIRST_BYTES
      let free: (() => void) | null = await hold(Math.min(whole, FIRST_BYTES))
      let isReleased = false
      const release = () => {
        isReleased = true
        free?.()
        free = null
      }
      /** Takes the room of the whole body once more than the beginning has come; null: no wait. Rejects where no room is free in time. */
      const grow = (size: number): Promise<void> | null => {
        if (isWhole || size <= FIRST_BYTES) return null
        isWhole = true
        free?.()
        free = takeFree(whole)
        if (free !== null) return null
        return hold(whole).then((taken) => {
          free = taken
          if (isReleased) release()
        })
      }
      return { isWhole: () => isWhole, release, grow }
    },
  }
}
