import type { IncomingHttpHeaders } from 'node:http'
import cookies from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { type Access, ANYBODY, type Caller, NOBODY } from '../../access/access.ts'
import type { Config } from '../../config/config.ts'
import { RequestError } from '../../schemas/problem.ts'
import type { Need } from '../operation.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller of a guarded route; `NOBODY` on open routes and where no route is. */
    caller: Caller
  }
  interface FastifyContextConfig {
    need?: Need
  }
}

export interface AccessOptions {
  readonly access: Access
  readonly config: Pick<Config, 'host' | 'access'>
}

/** Guards every route before a body is read and before other hooks: Host, origin, key, rate, scope. Refuses a route without a need. */
export async function installAccess(http: FastifyInstance, { access, config }: AccessOptions) {
  await http.register(cookies, { hook: false, secret: access.session_secret })
  const { behind_tls } = config.access
  const isGoodHost = createHostCheck(config)
  const keyRate = createKeyRate()
  http.decorateRequest('caller')
  http.addHook('onRoute', (route) => {
    const need = route.config?.need ?? (DOCS.test(route.url) ? 'open' : undefined)
    if (need === undefined)
      throw new Error(`${route.method} ${route.url} does not say who may use it: give it a need, as \`operation\` does`)
    route.config = { ...route.config, need }
  })
  http.addHook('onRequest', async (request, reply) => {
    reply.headers(headersOf(request.routeOptions.url))
    if (behind_tls) reply.header('strict-transport-security', 'max-age=31536000')
    request.caller = NOBODY
    const need = needOf(request)
    requireHost(request, isGoodHost)
    const bearer = bearerOf(request)
    const session = bearer === null ? readSession(http, request, behind_tls) : null
    requireOwnOrigin(request, session)
    if (need === 'open') return
    const caller = await identify(access, bearer, session)
    if (caller === null && need === 'page' && bearer === null) return reply.redirect(signInFor(request.url), 302)
    if (caller === null) throw unauthorized(bearer, session !== null)
    request.caller = caller
    keyRate(request, reply)
    requireScope(caller, need)
  })
  return { keyRate }
}

const DOCS = /^\/docs(\/|$)/
const OPEN_PAGES = /^(assets\/|sign-in$)/

/** Returns the need of the route of a request; a missing route is open, so that its 404 reaches every caller. */
function needOf({ is404, params, routeOptions: { config } }: FastifyRequest): Need {
  if (is404) return 'open'
  const { need = 'admin' } = config
  const { '*': page } = params as { readonly '*'?: string }
  return need === 'page' && page !== undefined && OPEN_PAGES.test(page) ? 'open' : need
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Checks `Host` against DNS rebinding: an adversary’s name that resolves to loopback stands in `Host`. Only loopback and own names are checked. */
function createHostCheck({ host, access }: AccessOptions['config']): (asked: string | undefined) => boolean {
  if (!access.loopback && access.allowed_hosts.length === 0) return () => true
  const own = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  const names = new Set([...LOOPBACK_NAMES, own, ...access.allowed_hosts].map((name) => name.toLowerCase()))
  return (asked = '') => names.has(asked.toLowerCase()) || names.has(asked.toLowerCase().replace(/:\d{1,5}$/, ''))
}

function requireHost({ headers: { host }, raw }: FastifyRequest, isGood: (asked: string | undefined) => boolean): void {
  // RFC 9112, section 3.2.
  if (host === undefined && raw.httpVersion === '1.1')
    throw new RequestError('invalid_request', 'a request of HTTP/1.1 needs a Host')
  if (!isGood(host)) throw new RequestError('wrong_host', WRONG_HOST)
}

const WRONG_HOST =
  'the service is not asked by this name; the setting access.allowed_hosts (VERIDICT_ALLOWED_HOSTS) allows more names'
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])
/** The header by which the pages mark their requests without a body. */
const PAGE_HEADER = 'x-veridict-page'
const SCRIPT_TYPES = /^application\/(json|x-ndjson)\s*(;|$)/i
const CROSS_ORIGIN = 'a page of another origin may not ask for this; behind a proxy, keep Host as it was'

/** Refuses a change that a page of another site makes a browser ask for, and with a session a change that a form could send. */
function requireOwnOrigin({ method, headers }: FastifyRequest, session: SessionCookie | null): void {
  if (SAFE.has(method)) return
  if (isCrossSite(headers)) throw new RequestError('cross_origin', CROSS_ORIGIN)
  const isOfScript = headers[PAGE_HEADER] !== undefined || SCRIPT_TYPES.test(headers['content-type'] ?? '')
  if (session !== null && !isOfScript)
    throw new RequestError('cross_origin', `with a session, send JSON or the header ${PAGE_HEADER}`)
}

/** Programs send neither header. A person who typed the address sends `none`; frames without an origin and extensions send an origin of no host. */
function isCrossSite({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  if (origin === undefined) return false
  const url = URL.parse(origin)
  return url === null || !['http:', 'https:'].includes(url.protocol) || url.host !== host?.toLowerCase()
}

/** `id` null: not signed by this service. */
type SessionCookie = { readonly id: string | null }

/** Browsers take the prefix over TLS alone; with the prefix no other name below the same domain can plant a cookie here. */
export const cookieName = (behind_tls: boolean): string => `${behind_tls ? '__Host-' : ''}veridict_session`

function readSession(
  http: FastifyInstance,
  { headers: { cookie } }: FastifyRequest,
  behind_tls: boolean,
): SessionCookie | null {
  const name = cookieName(behind_tls)
  const signed = cookie?.includes(name) ? http.parseCookie(cookie)[name] : undefined
  return signed === undefined || signed === '' ? null : { id: http.unsignCookie(signed).value }
}

const SCHEME = 'bearer '

/** Reads the token of `Authorization: Bearer …`; empty for a missing token; null for another scheme, which belongs to a proxy in front. */
export function bearerOf({ headers: { authorization } }: FastifyRequest): string | null {
  if (authorization?.trim().toLowerCase() === SCHEME.trim()) return ''
  if (authorization === undefined || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null
  return authorization.slice(SCHEME.length).trim()
}

/** Looks up the caller. A key that is sent must be good even where none is needed. */
async function identify(access: Access, bearer: string | null, session: SessionCookie | null): Promise<Caller | null> {
  if (bearer !== null) return access.authenticate(bearer)
  const caller = typeof session?.id === 'string' ? await access.resumeSession(session.id) : null
  return caller ?? (access.required ? null : ANYBODY)
}

function requireScope({ scopes }: Caller, need: Exclude<Need, 'open'>): void {
  if (need === 'key' || need === 'page' || scopes.has(need) || (need !== 'operator' && scopes.has('admin'))) return
  throw new RequestError('forbidden', `this key does not have the scope "${need}"`, {
    headers: { 'www-authenticate': `Bearer realm="veridict", error="insufficient_scope", scope="${need}"` },
  })
}

/** The sign-in, with the way back to a page of the audit. */
const signInFor = (url: string): string =>
  `/audit/sign-in?next=${encodeURIComponent(url.startsWith('/audit/') ? url : '/audit/')}`

/** Unknown, malformed, expired and revoked keys are refused in the same words. */
function unauthorized(bearer: string | null, hasSession: boolean): RequestError {
  const how = 'send Authorization: Bearer with a key; the operator of the service makes one with `veridict keys create`'
  const why = bearer !== null ? 'this key is not good' : hasSession ? 'this session is over' : 'this needs a key'
  const challenge = `Bearer realm="veridict"${bearer === null ? '' : ', error="invalid_token"'}`
  return new RequestError('unauthorized', `${why}: ${how}`, { headers: { 'www-authenticate': challenge } })
}

const MINUTE_MS = 60_000
/** Bounds the remembered keys and addresses: forgetting one of so many gives a caller nothing. */
const REMEMBERED = { maxSize: 20_000, sizeCalculation: () => 1, ttl: MINUTE_MS, noUpdateTTL: true }
const FAILED_SIGN_INS = 10

/** Counts in windows of a minute, in this process. */
function createWindows() {
  const windows = new LRUCache<string, number>(REMEMBERED)
  return (name: string): { readonly count: number; readonly seconds: number } => {
    const count = (windows.get(name) ?? 0) + 1
    windows.set(name, count)
    return { count, seconds: Math.max(1, Math.ceil(windows.getRemainingTTL(name) / 1000)) }
  }
}

/** Counts a request for its key, and says in headers how many are left. Throws 429 above the limit of the key. */
export function createKeyRate() {
  const count = createWindows()
  return ({ caller: { key_id, max_requests_per_minute: most } }: FastifyRequest, reply: FastifyReply): void => {
    if (key_id === null || most === null) return
    const { count: asked, seconds } = count(key_id)
    reply.headers({
      'ratelimit-limit': String(most),
      'ratelimit-remaining': String(Math.max(0, most - asked)),
      'ratelimit-reset': String(seconds),
    })
    if (asked > most) throw tooMany(`this key may ask ${most} ${most === 1 ? 'time' : 'times'} a minute`, seconds)
  }
}

/** Counts a failed sign-in of an address. Throws 429 for an address that failed too often. */
export function createSignInRate() {
  const count = createWindows()
  return ({ ip }: FastifyRequest): void => {
    const { count: failed, seconds } = count(networkOf(ip))
    if (failed > FAILED_SIGN_INS) throw tooMany('too many sign-ins failed from this address', seconds)
  }
}

/** The address itself, or the first 64 bits of an address of version 6, whose owner has all addresses below them. */
function networkOf(ip: string): string {
  if (!ip.includes(':')) return ip
  if (ip.includes('.')) return ip.slice(ip.lastIndexOf(':') + 1)
  const [head = '', tail] = ip.split('::')
  const groups = head.split(':')
  const rest = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array<string>(8 - groups.length - rest.length).fill('0')
  return [...groups, ...zeros, ...rest].slice(0, 4).join(':')
}

const tooMany = (detail: string, seconds: number): RequestError =>
  new RequestError('too_many_requests', detail, { headers: { 'retry-after': String(seconds) } })

type Headers = Readonly<Record<string, string>>

/** No cache keeps an answer unless its route says so: data can be deleted, and keys can be revoked. */
const EVERYWHERE: Headers = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** A page loads nothing from elsewhere, runs nothing inline and stands in no frame: text of a trajectory has no way to run. Swagger UI writes style attributes. */
const pagePolicy = (styles: string, forms: string): string =>
  `default-src 'none'; script-src 'self'; style-src ${styles}; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action ${forms}`

const policy = (text: string): Headers => ({ ...EVERYWHERE, 'content-security-policy': text })

/** Headers of answers that are no page: a browser that is led to show one loads and runs nothing. */
export const ANSWER_HEADERS = policy("default-src 'none'; frame-ancestors 'none'")
const PAGE_HEADERS = policy(pagePolicy("'self'", "'self'"))
const DOCS_HEADERS = policy(pagePolicy("'self' 'unsafe-inline'", "'none'"))

/** Gives the headers of every answer of a route; undefined: no route. */
function headersOf(route: string | undefined): Headers {
  if (route === '/audit/*') return PAGE_HEADERS
  return route !== undefined && DOCS.test(route) ? DOCS_HEADERS : ANSWER_HEADERS
}
