import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Config } from '../../../config/config.ts'

type Headers = Readonly<Record<string, string>>

/** Nothing is kept by a cache unless its route says so: data can be deleted, and keys can be revoked. */
const EVERYWHERE: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

const LOCKED = "frame-ancestors 'none'; base-uri 'none'"

/** Of answers that are no page: even one that a browser is led to show can load and run nothing. */
export const ANSWER_HEADERS: Headers = {
  ...EVERYWHERE,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
}

/** Nothing from elsewhere, nothing inline, in nobody’s frame: what trajectory text could try has no way to run. */
const PAGE_HEADERS: Headers = {
  ...EVERYWHERE,
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ${LOCKED}; form-action 'self'`,
}

/** Swagger UI writes style attributes. */
const DOCS_HEADERS: Headers = {
  ...EVERYWHERE,
  'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; ${LOCKED}; form-action 'none'`,
}

const STRICT_TRANSPORT = 'max-age=31536000'

/** On every answer, whatever it is: set before anything else can answer. */
export function setSecurityHeaders(http: FastifyInstance, settings: Pick<Config, 'host' | 'access'>): void {
  http.addHook('onRequest', (request, reply, done) => {
    reply.headers(headersOf(request.routeOptions.url))
    if (isTls(request, settings)) reply.header('strict-transport-security', STRICT_TRANSPORT)
    done()
  })
}

/** Of every answer to a program, as `writeHead` takes them. */
export const rawAnswerHeaders = ({ access }: Pick<Config, 'host' | 'access'>): readonly string[] =>
  Object.entries({
    ...ANSWER_HEADERS,
    ...(access.behind_tls === true && { 'strict-transport-security': STRICT_TRANSPORT }),
  }).flat()

function headersOf(route: string | undefined): Headers {
  if (route === '/audit/*') return PAGE_HEADERS
  return route === '/docs' || route?.startsWith('/docs/') ? DOCS_HEADERS : ANSWER_HEADERS
}

/** Whether the browser speaks TLS. `X-Forwarded-Proto` is not believed: anybody can send it. */
export const isTls = ({ raw: { socket } }: FastifyRequest, { access }: Pick<Config, 'host' | 'access'>): boolean =>
  access.behind_tls === true || ('encrypted' in socket && socket.encrypted === true)
