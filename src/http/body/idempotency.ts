import type { FastifyReply, FastifyRequest } from 'fastify'
import { digestBytes, digestValue } from '../../domain/digest.ts'
import type { Lease } from '../../ports/lease-ports.ts'
import type { Clock, Stores } from '../../ports/ports.ts'
import type { InFlight } from '../guard/drain.ts'
import { HttpProblem } from '../problem.ts'
import { sendText } from './answers.ts'

export interface Answered {
  readonly status: number
  readonly text: string
}

/** Does the work of a request and sends its answer, or replays the stored answer of its key. The work goes on without its client. */
export type AnswerOnce = (
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<Answered>,
) => Promise<FastifyReply>

export function createAnswerOnce(stores: Stores, clock: Clock, inFlight: InFlight): AnswerOnce {
  const once = createIdempotency(stores, clock)
  return async (request, reply, work) => {
    const { text, status } = await inFlight.track(once(request, reply, work))
    return sendText(reply, text, status)
  }
}

/** Stores and replays the first success of an `Idempotency-Key`. Failures and refusals are not stored, so that an honest retry works. */
function createIdempotency({ idempotency: store, cluster }: Stores, clock: Clock) {
  const inFlight = new Set<string>()

  async function findStored(key: string, digest: string, reply: FastifyReply): Promise<Answered | null> {
    const stored = await store.find(key)
    if (stored === null) return null
    if (stored.request_digest !== digest)
      throw new HttpProblem(422, 'idempotency_key_reused', 'this Idempotency-Key was used with another body')
    reply.header('idempotency-replayed', 'true')
    return { status: stored.status, text: stored.body }
  }

  /** Does work that no other process of the database does under the same key. */
  async function alone<T>(key: string, work: (lease: Lease | null) => Promise<T>): Promise<T> {
    if (cluster === null) return work(null)
    const lease = await cluster.leases.take(`idem:${digestBytes(key)}`)
    if (lease === null) throw inUse()
    try {
      return await work(lease)
    } finally {
      void cluster.leases.release(lease)
    }
  }

  return async (request: FastifyRequest, reply: FastifyReply, work: () => Promise<Answered>): Promise<Answered> => {
    const header = request.headers['idempotency-key']
    if (typeof header !== 'string') return work()
    const at = clock.now().toISOString()
    // Two API keys never meet under one header.
    const { key_id } = request.caller
    const key = `${key_id === null ? '' : `${key_id} `}${request.routeOptions.url}/${header}`
    const digest = digestOf(request)
    const stored = await findStored(key, digest, reply)
    if (stored !== null) return stored
    if (inFlight.has(key)) throw inUse()
    inFlight.add(key)
    try {
      return await alone(key, async (lease) => {
        // No other request can store between this look and the end of the work.
        const meanwhile = await findStored(key, digest, reply)
        if (meanwhile !== null) return meanwhile
        const answer = await work()
        await store.put(key, { request_digest: digest, status: answer.status, body: answer.text }, at)
        // A process that outlived its lease was not alone: the first answer counts.
        return (lease?.lost.aborted ? await findStored(key, digest, reply) : null) ?? answer
      })
    } finally {
      inFlight.delete(key)
    }
  }
}

/** Digests a request by its body and the parameters of its path. */
const digestOf = ({ bodyDigest, params }: FastifyRequest): string =>
  Object.keys((params as object | null) ?? {}).length === 0 ? bodyDigest : digestValue([bodyDigest, params])

const inUse = (): HttpProblem =>
  new HttpProblem(
    409,
    'idempotency_key_in_use',
    'a request with this Idempotency-Key is still being answered; try again for its answer',
    { headers: { 'retry-after': '1' } },
  )
