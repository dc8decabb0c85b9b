import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../problem.ts'
import { WindowCounts } from './window-counts.ts'

const MINUTE_MS = 60_000
const FAILED_SIGN_INS = 10

/** Counts a request for the caller’s key. Throws where the key has asked too often; says how much is left otherwise. */
export type CountRequest = (request: FastifyRequest, reply: FastifyReply) => Promise<void>

/** Requests of one key in a minute, counted in this process. Needs the plugin for rates. */
export function requestRate(http: FastifyInstance): CountRequest {
  const count = http.createRateLimit({
    timeWindow: MINUTE_MS,
    keyGenerator: ({ caller }) => caller.key_id ?? '',
    max: ({ caller }) => caller.max_requests_per_minute ?? 0,
  })
  return async (request, reply) => {
    if (request.caller.key_id === null || request.caller.max_requests_per_minute === null) return
    const now = await count(request)
    if (now.isAllowed) return
    reply.headers({
      'ratelimit-limit': String(now.max),
      'ratelimit-remaining': String(now.remaining),
      'ratelimit-reset': String(now.ttlInSeconds),
    })
    if (now.isExceeded)
      throw tooMany(`this key may ask ${now.max} ${now.max === 1 ? 'time' : 'times'} a minute`, now.ttlInSeconds)
  }
}

/** Failed sign-ins of one address (a network of 64 bits, in version 6) in a minute. */
export function signInRate(http: FastifyInstance) {
  const count = http.createRateLimit({ timeWindow: MINUTE_MS, max: FAILED_SIGN_INS })
  const refuse = (seconds: number) => tooMany('too many sign-ins failed from this address', seconds)
  return {
    /** Throws where the address failed too often. */
    async check(request: FastifyRequest): Promise<void> {
      const now = await count(request, { increment: false })
      if (!now.isAllowed && now.remaining === 0) throw refuse(now.ttlInSeconds)
    },
    /** Counts a failure; throws like `check`. */
    async failed(request: FastifyRequest): Promise<void> {
      const now = await count(request)
      if (!now.isAllowed && now.isExceeded) throw refuse(now.ttlInSeconds)
    },
  }
}

/** The plugin counts where it is asked to, and nowhere by itself. */
export const RATE_PLUGIN = { global: false, store: WindowCounts } as const

const tooMany = (detail: string, seconds: number): HttpProblem =>
  new HttpProblem(429, 'too_many_requests', detail, { headers: { 'retry-after': String(Math.max(1, seconds)) } })
