import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { HttpProblem } from '../../problem.ts'

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

/** Methods that change something, or spend money. */
export const isUnsafe = ({ method }: FastifyRequest): boolean => !SAFE.has(method)

/**
 * Pages of other sites may make a browser send requests. They could not read the answers, but a grade would be paid for all the
 * same; where no key is needed nothing else would stop them. Programs send neither header and are not concerned.
 */
export function refuseCrossSite(http: FastifyInstance): void {
  http.addHook('onRequest', (request, _reply, done) => {
    done(isUnsafe(request) && isCrossSite(request.headers) ? crossOrigin() : undefined)
  })
}

const crossOrigin = (): HttpProblem =>
  new HttpProblem(
    403,
    'cross_origin',
    'a page of another origin may not ask for this; behind a proxy, keep Host as it was',
  )

export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  // `none`: a person typed the address.
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const { origin, host } = headers
  return origin !== undefined && hostOf(origin) !== host?.toLowerCase()
}

/** Null for `null`, which frames without an origin send, for extensions, and for what is no origin. */
function hostOf(origin: string): string | null {
  const url = URL.parse(origin)
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.host : null
}
