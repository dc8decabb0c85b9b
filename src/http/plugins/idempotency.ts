import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Stores } from '../../db/stores.ts'
import { digestValue } from '../../domain/digest.ts'
import type { Clock } from '../../ports/clock.ts'
import { sendText } from '../answers.ts'
import { HttpProblem } from '../problem.ts'
import type { InFlight } from './drain.ts'

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
function createIdempotency({ idempotency: store }: Stores, clock: Clock) {
  const inFlight = new Set<string>()
  const now = () => clock.now().toISOString()

  async function findStored(key: string, digest: string, reply: FastifyReply): Promise<Answered | null> {
    const stored = await store.find(key)
    if (stored === null) return null
    if (stored.request_digest !== digest)
      throw new HttpProblem(422, 'idempotency_key_reused', 'this Idempotency-Key was used with another body')
    reply.header('idempotency-replayed', 'true')
    return { status: stored.status, text: stored.body }
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
    const renewing = setInterval(() => void store.renew(key, now()).catch(() => undefined), RENEW_MS)
    try {
      // Over all processes of the database.
      const lost = new Date(clock.now().getTime() - LOST_MS).toISOString()
      if (!(await store.take(key, digest, at, lost))) {
        const meanwhile = await findStored(key, digest, reply)
        if (meanwhile === null) throw inUse()
        return meanwhile
      }
      return await answerTaken(key, digest, at, work)
    } finally {
      clearInterval(renewing)
      inFlight.delete(key)
    }
  }

  /** Does the work of a key that this request has taken; a refused or failed request gives the key back. */
  async function answerTaken(
    key: string,
    digest: string,
    at: string,
    work: () => Promise<Answered>,
  ): Promise<Answered> {
    try {
      const answer = await work()
      await store.put(key, { request_digest: digest, status: answer.status, body: answer.text }, at)
      return answer
    } catch (error) {
      await release(key)
      throw error
    }
  }

  /** Gives a key back, also to a database that refuses for a moment; a key that stays is lost by its time. */
  async function release(key: string): Promise<void> {
    for (let tries = 1; tries <= MOST_RELEASES; tries++) {
      const isGiven = await store.release(key).then(
        () => true,
        () => false,
      )
      if (isGiven) return
    }
  }
}

/** Between two renewals of a key whose request is being answered. */
const RENEW_MS = 10_000
/** A key that was not renewed for so long belongs to a dead process. */
const LOST_MS = 30_000
const MOST_RELEASES = 3

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
