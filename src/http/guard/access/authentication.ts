import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Access, Caller } from '../../../access/access.ts'
import { HttpProblem } from '../../problem.ts'
import { type createHostCheck, isCrossSite } from './origin.ts'
import type { CountRequest } from './request-rate.ts'
import type { Need } from './route-scopes.ts'
import type { SessionCookie } from './session-cookie.ts'

export interface Guard {
  readonly access: Access
  readonly isGoodHost: ReturnType<typeof createHostCheck>
  readonly cookie: SessionCookie
  readonly keyRate: CountRequest
}

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE'])

const WRONG_HOST =
  'the service is not asked by this name; the setting access.allowed_hosts (VERIDICT_ALLOWED_HOSTS) allows more names'
const CROSS_ORIGIN = 'a page of another origin may not ask for this; behind a proxy, keep Host as it was'

/**
 * Who asks, and whether they may: throws where they may not. Answers whether the answer was given here already: a browser was led to
 * sign in.
 */
export async function authenticate(
  request: FastifyRequest,
  reply: FastifyReply,
  need: Need,
  { access, isGoodHost, cookie, keyRate }: Guard,
): Promise<boolean> {
  const { headers } = request
  // RFC 9112, section 3.2.
  if (headers.host === undefined && request.raw.httpVersion === '1.1')
    throw new HttpProblem(400, 'invalid_request', 'a request of HTTP/1.1 needs a Host')
  if (!isGoodHost(headers.host)) throw new HttpProblem(421, 'wrong_host', WRONG_HOST)
  const bearer = bearerOf(request)
  const session = bearer === null ? cookie.read(request) : null
  // What changes something, or spends money.
  if (!SAFE.has(request.method)) {
    if (isCrossSite(headers)) throw new HttpProblem(403, 'cross_origin', CROSS_ORIGIN)
    if (session !== null && !isOfScript(request))
      throw new HttpProblem(403, 'cross_origin', `with a session, send JSON or the header ${PAGE_HEADER}`)
  }
  if (need === 'open') return false
  const caller = await identify({ bearer, session }, access)
  if (caller === null && need === 'page' && bearer === null) {
    reply.redirect(signInFor(request.url), 302)
    return true
  }
  if (caller === null) throw unauthorized({ bearer, session })
  request.caller = caller
  await keyRate(request, reply)
  if (
    need !== 'key' &&
    need !== 'page' &&
    !caller.scopes.has(need) &&
    (need === 'operator' || !caller.scopes.has('admin'))
  )
    throw scopeMissing(need)
  return false
}

/** A key that is sent must be good even where none is needed: who sends one means its project, not the open one. */
async function identify(
  { bearer, session }: { readonly bearer: string | null; readonly session: string | null },
  access: Access,
): Promise<Caller | null> {
  if (bearer !== null) return access.authenticate(bearer)
  const caller = session === null ? null : await access.resumeSession(session)
  return caller ?? (access.required ? null : access.anybody)
}

const SCRIPT_TYPES = /^application\/(json|x-ndjson)\s*(;|$)/i

/** The header with which the pages mark what they send without a body. */
const PAGE_HEADER = 'x-veridict-page'

/** What no form of a page can send, and no script of another origin without asking first: the second lock beside the origin. */
const isOfScript = ({ headers }: FastifyRequest): boolean =>
  headers[PAGE_HEADER] !== undefined || SCRIPT_TYPES.test(headers['content-type'] ?? '')

/** The one page that needs no session, and the way back: only ever a path of the audit. */
function signInFor(url: string): string {
  return `/audit/sign-in?next=${encodeURIComponent(url.startsWith('/audit/') ? url : '/audit/')}`
}

/** The same words for every key that is not good: unknown, malformed, expired, revoked. */
function unauthorized({ bearer, session }: { readonly bearer: string | null; readonly session: string | null }) {
  const how = 'send Authorization: Bearer with a key; the operator of the service makes one with `veridict keys create`'
  const why = bearer !== null ? 'this key is not good' : session !== null ? 'this session is over' : 'this needs a key'
  const challenge = `Bearer realm="veridict"${bearer === null ? '' : ', error="invalid_token"'}`
  return new HttpProblem(401, 'unauthorized', `${why}: ${how}`, { headers: { 'www-authenticate': challenge } })
}

const scopeMissing = (scope: string): HttpProblem =>
  new HttpProblem(403, 'forbidden', `this key does not have the scope "${scope}"`, {
    headers: { 'www-authenticate': `Bearer realm="veridict", error="insufficient_scope", scope="${scope}"` },
  })

const SCHEME = 'bearer '

/** The token of `Authorization: Bearer …`, empty where no key follows; null where there is none. Other schemes are of proxies in front, not ours. */
export function bearerOf({ headers: { authorization } }: FastifyRequest): string | null {
  if (authorization?.trim().toLowerCase() === SCHEME.trim()) return ''
  if (authorization === undefined || authorization.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return null
  return authorization.slice(SCHEME.length).trim()
}
