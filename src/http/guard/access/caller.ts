import type { FastifyRequest } from 'fastify'
import { type Caller, DEFAULT_PROJECT } from '../../../access/access.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks. On routes that are open to everybody and where no route is, `NOBODY`. */
    caller: Caller
  }
}

/** Who was not asked for a key: may do nothing that needs a scope. */
export const NOBODY: Caller = Object.freeze({
  key_id: null,
  name: 'nobody',
  project: DEFAULT_PROJECT,
  scopes: new Set<never>(),
  max_requests_per_minute: null,
  max_cost_usd_per_day: null,
})

const SCHEME = 'bearer '

/** The token of `Authorization: Bearer …`; null where there is none. Other schemes are of proxies in front, not ours. */
export function bearerOf({ headers: { authorization } }: FastifyRequest): string | null {
  if (authorization === undefined || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null
  return authorization.slice(SCHEME.length).trim()
}
