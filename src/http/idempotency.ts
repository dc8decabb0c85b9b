import type { FastifyReply, FastifyRequest } from 'fastify'
import type { IdempotencyStore } from '../grading/ports.ts'
import { HttpProblem } from './problem.ts'

export interface Answered {
  readonly status: number
  readonly text: string
}

/** `Idempotency-Key`: the first success is stored and replayed; failures and refusals are not, so that an honest retry works. */
export interface Idempotency {
  run(
    request: FastifyRequest,
    reply: FastifyReply,
    bodyDigest: string,
    at: string,
    work: () => Promise<Answered>,
  ): Promise<Answered>
}

export function createIdempotency(store: IdempotencyStore): Idempotency {
  const inFlight = new Set<string>()
  return {
    async run(request, reply, bodyDigest, at, work) {
      const header = request.headers['idempotency-key']
      if (typeof header !== 'string') return work()
      if (header.length === 0 || header.length > 255)
        throw new HttpProblem(400, 'invalid_request', 'Idempotency-Key must have 1 to 255 characters')
      const key = `${request.routeOptions.url}/${header}`
      const known = await store.find(key)
      if (known !== null) {
        if (known.request_digest !== bodyDigest)
          throw new HttpProblem(422, 'idempotency_key_reused', 'this Idempotency-Key was used with another body')
        reply.header('idempotency-replayed', 'true')
        return { status: known.status, text: known.body }
      }
      if (inFlight.has(key))
        throw new HttpProblem(
          409,
          'idempotency_key_in_use',
          'a request with this Idempotency-Key is still being answered',
          { headers: { 'retry-after': '1' } },
        )
      inFlight.add(key)
      try {
        const answer = await work()
        await store.put(key, { request_digest: bodyDigest, status: answer.status, body: answer.text }, at)
        return answer
      } finally {
        inFlight.delete(key)
      }
    },
  }
}
