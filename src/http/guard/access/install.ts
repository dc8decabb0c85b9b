import cookies from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance } from 'fastify'
import type { Access } from '../../../access/access.ts'
import { authenticate } from './authentication.ts'
import { refuseCrossSite } from './cross-site.ts'
import { checkHost } from './host-check.ts'
import { RATE_PLUGIN, type RequestRate, requestRate } from './request-rate.ts'
import { requireNeeds } from './route-scopes.ts'
import { setSecurityHeaders } from './security-headers.ts'
import { sessionCookie } from './session-cookie.ts'
import type { AccessSettings } from './settings.ts'

export interface AccessOptions {
  readonly access: Access
  readonly config: AccessSettings
}

/**
 * Everything that stands before a route, in the order in which it works, all of it before any body is read. To be installed before
 * every other hook and route: what answers earlier would answer unguarded. `request.caller` is who asks. The rate is for sign-ins.
 */
export async function installAccess(http: FastifyInstance, { access, config }: AccessOptions): Promise<RequestRate> {
  // Neither plugin adds a hook of its own: cookies are read and requests counted only where that matters.
  await http.register(cookies, { hook: false })
  await http.register(rateLimit, RATE_PLUGIN)
  requireNeeds(http)
  setSecurityHeaders(http, config)
  checkHost(http, config)
  refuseCrossSite(http)
  const rate = requestRate(http)
  authenticate(http, { access, cookie: sessionCookie(http, config), rate })
  return rate
}
