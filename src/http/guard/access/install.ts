import type { IncomingHttpHeaders } from 'node:http'
import cookies from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { Access } from '../../../access/access.ts'
import type { Config } from '../../../config/config.ts'
import { authenticate } from './authentication.ts'
import { isCrossSite, refuseCrossSite } from './cross-site.ts'
import { checkHost, createHostCheck } from './host-check.ts'
import { RATE_PLUGIN, type RequestRate, requestRate } from './request-rate.ts'
import { requireNeeds } from './route-scopes.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { sessionCookie } from './session-cookie.ts'

export interface AccessOptions {
  readonly access: Access
  readonly config: Pick<Config, 'host' | 'access'>
}

export interface InstalledAccess {
  /** Of the requests of a key. For sign-ins. */
  readonly keyRate: RequestRate
  /** Whether everything here would let a request pass as `access.anybody`: it shows neither key nor session, and none is needed. */
  isAnybody(headers: IncomingHttpHeaders): boolean
}

/**
 * Everything that stands before a route, in the order in which it works, all of it before any body is read. To be installed before
 * every other hook and route: what answers earlier would answer unguarded. `request.caller` is who asks.
 */
export async function installAccess(
  http: FastifyInstance,
  { access, config }: AccessOptions,
): Promise<InstalledAccess> {
  const isGoodHost = createHostCheck(config)
  // Neither plugin adds a hook of its own: cookies are read and requests counted only where that matters.
  await http.register(cookies, { hook: false })
  await http.register(rateLimit, RATE_PLUGIN)
  requireNeeds(http)
  setSecurityHeaders(http, config)
  checkHost(http, isGoodHost)
  refuseCrossSite(http)
  const rate = requestRate(http)
  authenticate(http, { access, cookie: sessionCookie(http, config), rate })
  return {
    keyRate: rate,
    isAnybody: (headers) =>
      !access.required &&
      headers.authorization === undefined &&
      headers.cookie === undefined &&
      isGoodHost(headers.host) &&
      !isCrossSite(headers),
  }
}
