import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Access, Caller } from '../../../access/access.ts'
import { HttpProblem } from '../../problem.ts'
import { bearerOf, NOBODY } from './caller.ts'
import { isUnsafe } from './cross-site.ts'
import type { RequestRate } from './request-rate.ts'
import { type Need, needOf } from './route-scopes.ts'
import type { SessionCookie } from './session-cookie.ts'

interface Guard {
  readonly access: Access
  readonly cookie: SessionCookie
  readonly rate: RequestRate
}

/** Who asks, and whether they may: decided before any body is read. */
export function authenticate(http: FastifyInstance, guard: Guard): void {
  http.decorateRequest('caller')
  http.addHook('onRequest', (request, reply, done) => {
    request.caller = NOBODY
    const need = needOf(request)
    const bearer = bearerOf(request)
    const session = bearer === null ? guard.cookie.read(request) : null
    if (session !== null && isUnsafe(request) && !isOfScript(request)) return done(formRefused())
    if (need === 'open') return done()
    if (bearer === null && session === null && !guard.access.required) {
      request.caller = guard.access.anybody
      return done()
    }
    admit(request, reply, need, { bearer, session, ...guard }).then((led) => led || done(), done)
  })
}

/** Whether the answer was given here already: a browser was led to sign in. */
async function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  need: Exclude<Need, 'open'>,
  { access, rate, ...given }: Guard & { readonly bearer: string | null; readonly session: string | null },
): Promise<boolean> {
  const caller = await identify(given, access)
  if (caller === null && need === 'page' && given.bearer === null) {
    reply.redirect(signInFor(request.url), 302)
    return true
  }
  if (caller === null) throw unauthorized(given)
  request.caller = caller
  await rate.count(request, reply)
  if (
    need !== 'key' &&
    need !== 'page' &&
    !caller.scopes.has(need) &&
    (need === 'operator' || !caller.scopes.has('admin'))
  )
    throw scopeMissing(need)
  return false
}

/** A key that is sent must be good even where none is needed: who sends one means its project, not anybody’s. */
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

const formRefused = (): HttpProblem =>
  new HttpProblem(403, 'cross_origin', `with a session, send JSON or the header ${PAGE_HEADER}`)

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
