import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Caller } from '../../access/access.ts'
import { SCOPES } from '../../access/keys.ts'
import { RequestError } from '../../schemas/problem.ts'
import { type OpenedSession, OpenedSessionSchema, SignInSchema, type Who, WhoSchema } from '../../schemas/views.ts'
import { answer, operation, SENT, typedRoutes } from '../operation.ts'
import { type AccessOptions, bearerOf, cookieName, type createKeyRate, createSignInRate } from '../plugins/access.ts'

/** A key in its object, however it is written. Callers have shown no key yet: a larger body would be held for nothing. */
const MOST_SIGN_IN_BYTES = 4096
const CHALLENGE = 'Bearer realm="veridict", error="invalid_token"'
const BAD_KEY =
  'this key is not good: it is unknown, expired or revoked; the operator of the service makes one with `veridict keys create`'

/** Adds the routes by which a browser signs in with a key, asks who it is, and signs out. Needs `installAccess`. */
export function sessionRoutes(
  app: FastifyInstance,
  { access, config, keyRate }: AccessOptions & { readonly keyRate: ReturnType<typeof createKeyRate> },
): void {
  const routes = typedRoutes(app)
  const signInRate = createSignInRate()
  // `X-Forwarded-Proto` is not believed: any client can send it.
  const secure = config.access.behind_tls
  const setCookie = (reply: FastifyReply, value: string, expires: Date) => {
    const options = { path: '/', httpOnly: true, sameSite: 'strict', secure, expires } as const
    reply.header('set-cookie', app.serializeCookie(cookieName(secure), value, options))
  }

  routes.post('/v1/session', {
    bodyLimit: MOST_SIGN_IN_BYTES,
    ...operation('open', 'access', 'openSession', {
      summary: 'Sign in with a key',
      description:
        'For browsers: the answer sets a cookie that no script can read and no other site makes a browser send. Programs send their key with every request instead.',
      body: SignInSchema,
      answers: { 201: answer(OpenedSessionSchema, 'The session.') },
      problems: [...SENT, 401, 403, 429],
    }),
    handler: async (request, reply) => {
      const session = await access.openSession(request.body.key)
      if (session === null) {
        signInRate(request)
        throw new RequestError('unauthorized', BAD_KEY, { headers: { 'www-authenticate': CHALLENGE } })
      }
      request.caller = session.caller
      keyRate(request, reply)
      setCookie(reply, app.signCookie(session.id), new Date(session.expires_at))
      reply.code(201)
      return { ...view(session.caller), expires_at: session.expires_at } satisfies OpenedSession
    },
  })

  routes.get('/v1/session', {
    ...operation('key', 'access', 'getSession', {
      summary: 'Describe the caller',
      answers: { 200: answer(WhoSchema, 'Who this key or session belongs to.') },
      problems: SENT,
    }),
    handler: (request) => {
      const { caller } = request
      const session = caller.key_id !== null && bearerOf(request) === null
      return { required: access.required, session, ...view(caller) } satisfies Who
    },
  })

  routes.delete('/v1/session', {
    ...operation('open', 'access', 'closeSession', {
      summary: 'Sign out',
      answers: { 200: answer('Status', 'The session is over, if there was one.', { status: 'ended' }) },
      problems: [...SENT, 403],
    }),
    handler: (_request, reply) => {
      setCookie(reply, '', new Date(0))
      return { status: 'ended' }
    },
  })
}

const view = ({ name, scopes }: Caller) => ({ name, scopes: SCOPES.filter((scope) => scopes.has(scope)) })
