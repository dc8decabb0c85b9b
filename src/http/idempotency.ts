import type { FastifyReply, FastifyRequest } from 'fastify'
import { digestValue } from '../domain/digest.ts'
import type { IdempotencyStore } from '../grading/ports.ts'
import { HttpProblem } from './problem.ts'

export interface Answered {
  readonly status: number
  readonly text: string
}

/** `Idempotency-Key`: the first success is stored and replayed; failures and refusals are not, so that an honest retry works. */
export interface Idempotency {
  run(request: FastifyRequest, reply: FastifyReply, at: string, work: () => Promise<Answered>): Promise<Answered>
}

export function createIdempotency(store: IdempotencyStore): Idempotency {
  const inFlight = new Set<string>()

  async function findStored(key: string, digest: string, reply: FastifyReply): Promise<Answered | null> {
    const known = await store.find(key)
    if (known === null) return null
    if (known.request_digest !== digest)
      throw new HttpProblem(422, 'idempotency_key_reused', 'this Idempotency-Key was used with another body')
    reply.header('idempotency-replayed', 'true')
    return { status: known.status, text: known.body }
  }

  return {
    async run(request, reply, at, work) {
      const header = request.headers['idempotency-key']
      if (typeof header !== 'string') return work()
      const key = `${request.routeOptions.url}/${header}`
      const digest = digestOf(request)
      const stored = await findStored(key, digest, reply)
      if (stored !== null) return stored
      if (inFlight.has(key)) throw inUse()
      inFlight.add(key)
      try {
        // Again, now that nobody else can be between looking and storing.
        const meanwhile = await findStored(key, digest, reply)
        if (meanwhile !== null) return meanwhile
        const answer = await work()
        await store.put(key, { request_digest: digest, status: answer.status, body: answer.text }, at)
        return answer
      } finally {
        inFlight.delete(key)
      }
    },
  }
}

/** The same body about another thing is another request. */
const digestOf = ({ bodyDigest, params }: FastifyRequest): string =>
  Object.keys((params as object | null) ?? {}).length === 0 ? bodyDigest : digestValue([bodyDigest, params])

const inUse = (): HttpProblem =>
  new HttpProblem(
    409,
    'idempotency_key_in_use',
    'a request with this Idempotency-Key is still being answered; try again for its answer',
    { headers: { 'retry-after': '1' } },
  )
