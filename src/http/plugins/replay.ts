import type { FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { GradeStore } from '../../db/grades.ts'
import type { Stores } from '../../db/stores.ts'
import type { Clock } from '../../domain/clock.ts'
import { type Digest, digestValue } from '../../domain/digest.ts'
import type { InFlight } from '../../grading/lane.ts'
import type { Grade } from '../../schemas/grade.ts'
import { RequestError } from '../../schemas/problem.ts'
import { sendText } from '../problem.ts'

export interface Answered {
  readonly status: number
  readonly text: string
}

type Work = () => Promise<Answered>

/** Does the work of a request and sends its answer, or replays the stored answer of its key. The work goes on without its client. */
export type AnswerOnce = (request: FastifyRequest, reply: FastifyReply, work: Work) => Promise<FastifyReply>

/** Between two renewals of a key whose request is being answered. */
const RENEW_MS = 10_000
/** A key that was not renewed for so long belongs to a dead process. */
const LOST_MS = 30_000
const MOST_RELEASES = 3

/** Stores and replays the first success of an `Idempotency-Key`. Failures and refusals are not stored, so that an honest retry works. */
export function createAnswerOnce({ idempotency: store }: Stores, clock: Clock, inFlight: InFlight): AnswerOnce {
  const running = new Set<string>()
  const ago = (ms: number) => new Date(clock.now().getTime() - ms).toISOString()

  async function findStored(key: string, digest: string, reply: FastifyReply): Promise<Answered | null> {
    const stored = await store.find(key)
    if (stored === null) return null
    if (stored.request_digest !== digest)
      throw new RequestError('idempotency_key_reused', 'this Idempotency-Key was used with another body')
    reply.header('idempotency-replayed', 'true')
    return { status: stored.status, text: stored.body }
  }

  /** Takes the key over all processes of the database, does the work and stores its answer; a refused or failed request gives the key back. */
  async function answerFirst(key: string, digest: string, work: Work): Promise<Answered | null> {
    const at = ago(0)
    // A process that stood still for long keeps the keys of its own requests.
    if (running.has(key) || !(await store.take(key, digest, at, ago(LOST_MS)))) return null
    running.add(key)
    const renewing = setInterval(() => void store.renew(key, ago(0)).catch(() => undefined), RENEW_MS)
    try {
      const answer = await work()
      await store.put(key, { request_digest: digest, status: answer.status, body: answer.text }, at)
      return answer
    } catch (error) {
      await release(key)
      throw error
    } finally {
      clearInterval(renewing)
      running.delete(key)
    }
  }

  /** Gives a key back, also to a database that refuses for a moment; a key that stays is lost by its time. */
  async function release(key: string): Promise<void> {
    for (let tries = 0; tries < MOST_RELEASES; tries++) {
      const fault = await store.release(key).then(() => null, String)
      if (fault === null) return
    }
  }

  async function once(request: FastifyRequest, reply: FastifyReply, work: Work): Promise<Answered> {
    const header = request.headers['idempotency-key']
    if (typeof header !== 'string') return work()
    // Two API keys never meet under one header.
    const { key_id } = request.caller
    const key = `${key_id === null ? '' : `${key_id} `}${request.routeOptions.url}/${header}`
    const digest = digestOf(request)
    const find = () => findStored(key, digest, reply)
    const answer = (await find()) ?? (await answerFirst(key, digest, work)) ?? (await find())
    if (answer !== null) return answer
    const message = 'a request with this Idempotency-Key is still being answered; try again for its answer'
    throw new RequestError('idempotency_key_in_use', message, { headers: { 'retry-after': '1' } })
  }

  return async (request, reply, work) => {
    const { text, status } = await inFlight.track(once(request, reply, work))
    return sendText(reply, text, status)
  }
}

/** Digests a request by its body and the parameters of its path. */
const digestOf = ({ bodyDigest, params }: FastifyRequest): string =>
  Object.keys((params as object | null) ?? {}).length === 0 ? bodyDigest : digestValue([bodyDigest, params])

interface KnownBody {
  readonly key: Digest
  readonly metadata: Grade['metadata']
  /** The text of the stored grade, and of the answer that was made of it; null: no answer yet. */
  answered: { readonly stored: string; readonly text: string; readonly grade_id: string } | null
}

export type KnownBodies = ReturnType<typeof createKnownBodies>

const MEMORY_BYTES = 32 * 1024 * 1024
/** The digest, the key and their objects. */
const LEAST_BYTES = 500

const sizeOf = ({ metadata, answered }: KnownBody): number =>
  LEAST_BYTES + JSON.stringify(metadata).length * 2 + (answered === null ? 0 : answered.text.length * 4)

/** Remembers the cache key of each answered body by the digest of its bytes, so that equal bytes are answered without being parsed. */
export function createKnownBodies({ grades }: { readonly grades: Pick<GradeStore, 'findTextByKey'> }) {
  const bodies = new LRUCache<string, KnownBody>({ maxSize: MEMORY_BYTES, sizeCalculation: sizeOf })
  return {
    remember(digest: string, { receipt, metadata }: Grade): void {
      bodies.set(digest, { key: receipt.key as Digest, metadata, answered: null })
    },
    /** Finds the answer to equal bytes: the grade that stands under their key today, with the metadata of their request. */
    async find(digest: string): Promise<KnownBody['answered']> {
      const body = bodies.get(digest)
      const stored = body === undefined ? null : await grades.findTextByKey(body.key)
      if (body === undefined || stored === null) return null
      if (body.answered?.stored === stored) return body.answered
      const grade = JSON.parse(stored) as Grade
      const text = JSON.stringify({ ...grade, metadata: body.metadata, receipt: { ...grade.receipt, cache: 'hit' } })
      const answered = { stored, text, grade_id: grade.id }
      bodies.set(digest, { ...body, answered })
      return answered
    },
  }
}
