import type { IncomingHttpHeaders } from 'node:http'
import cookies from '@fastify/cookie'
import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Access, type Caller, DEFAULT_PROJECT } from '../../../access/access.ts'
import type { Config } from '../../../config/config.ts'
import { authenticate, type Guard } from './authentication.ts'
import { createHostCheck, isCrossSite } from './origin.ts'
import { RATE_PLUGIN, requestRate } from './request-rate.ts'
import { findNeed, type Need } from './route-scopes.ts'
import { securityHeaders } from './security-headers.ts'
import { sessionCookie } from './session-cookie.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks. On routes that are open to all and where no route is, `NOBODY`. */
    caller: Caller
  }
  interface FastifyContextConfig {
    /** Both are set as the route is added. */
    need?: Need
    security_headers?: ReturnType<typeof securityHeaders>
  }
}

/** Who was not asked for a key: may do nothing that needs a scope. */
const NOBODY: Caller = Object.freeze({
  key_id: null,
  name: 'nobody',
  project: DEFAULT_PROJECT,
  scopes: new Set<never>(),
  max_requests_per_minute: null,
  max_cost_usd_per_day: null,
})

export interface AccessOptions {
  readonly access: Access
  readonly config: Pick<Config, 'host' | 'access'>
}

export type InstalledAccess = Awaited<ReturnType<typeof installAccess>>

/**
 * Everything that stands before a route, all of it before any body is read. To be installed before every other hook and route: what answers
 * earlier would answer unguarded. `request.caller` is who asks. What a route needs and what headers it sets is known once it is added; a
 * route that says nothing of who may use it cannot be built.
 */
export async function installAccess(http: FastifyInstance, { access, config }: AccessOptions) {
  // Neither plugin adds a hook of its own: cookies are read and requests counted only where that matters.
  await http.register(cookies, { hook: false })
  await http.register(rateLimit, RATE_PLUGIN)
  const { behind_tls } = config.access
  const guard: Guard = {
    access,
    isGoodHost: createHostCheck(config),
    cookie: sessionCookie(http, config),
    keyRate: requestRate(http),
  }
  /** Whether everything here lets a request pass as `access.anybody`, where it is not to an open route: it shows neither key nor session, and none is needed. */
  const isAnybody = (headers: IncomingHttpHeaders): boolean =>
    !access.required &&
    headers.authorization === undefined &&
    headers.cookie === undefined &&
    headers.host !== undefined &&
    guard.isGoodHost(headers.host) &&
    !isCrossSite(headers)
  http.decorateRequest('caller')
  http.addHook('onRoute', (route) => {
    const needs = [route.method].flat().map((method) => {
      const need = findNeed(method, route.url)
      if (need !== undefined) return need
      throw new Error(
        `${method} ${route.url} does not say who may use it: add it to src/http/guard/access/route-scopes.ts`,
      )
    })
    const [need = 'admin', ...others] = needs
    if (others.some((other) => other !== need))
      throw new Error(`the methods ${route.method} of ${route.url} do not need the same: add a route for each of them`)
    route.config = { ...route.config, need, security_headers: securityHeaders(route.url, behind_tls) }
  })
  const elsewhere = securityHeaders(undefined, behind_tls)
  http.addHook('onRequest', (request, reply, done) => {
    const { security_headers = elsewhere } = request.routeOptions.config
    reply.headers(security_headers)
    request.caller = NOBODY
    const need = needOf(request)
    if (isAnybody(request.headers)) {
      if (need !== 'open') request.caller = access.anybody
      return done()
    }
    authenticate(request, reply, need, guard).then((led) => led || done(), done)
  })
  // The rate of the requests of a key is for sign-ins, too.
  return { keyRate: guard.keyRate, isAnybody }
}

const OPEN_PAGES = /^(assets\/|sign-in$)/

/** Where no route is there is nothing to guard: the answer says so to every caller. */
function needOf({ is404, params, routeOptions: { config } }: FastifyRequest): Need {
  if (is404) return 'open'
  const { need = 'admin' } = config
  const { '*': page } = params as { readonly '*'?: string }
  return need === 'page' && page !== undefined && OPEN_PAGES.test(page) ? 'open' : need
}
