import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { type Caller, SCOPES } from '../../../access/access.ts'
import { type OpenedSession, OpenedSessionSchema, SignInSchema, type Who, WhoSchema } from '../../../schemas/session.ts'
import { sendJson } from '../../body/reply.ts'
import { answer, NoQuery, problems } from '../../body/schemas.ts'
import { HttpProblem } from '../../problem.ts'
import { bearerOf } from './authentication.ts'
import type { AccessOptions } from './install.ts'
import { type CountRequest, signInRate } from './request-rate.ts'
import { sessionCookie } from './session-cookie.ts'

/** A key in its object, however it is written. No key was shown yet: more would be held for nothing. */
const MOST_SIGN_IN_BYTES = 4096

/** A browser signs in with a key, asks who it is, and signs out. Needs `installAccess`. */
export function sessionRoutes(
  app: FastifyInstance,
  { access, config, keyRate }: AccessOptions & { readonly keyRate: CountRequest },
): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const cookie = sessionCookie(app, config)
  const rate = signInRate(app)

  routes.post('/v1/session', {
    bodyLimit: MOST_SIGN_IN_BYTES,
    schema: {
      operationId: 'openSession',
      summary: 'Sign in with a key',
      description:
        'For browsers: the answer sets a cookie that no script can read and no other site makes a browser send. Programs send their key with every request instead.',
      tags: ['access'],
      querystring: NoQuery,
      body: SignInSchema,
      response: { 201: described(OpenedSessionSchema, 'The session.'), ...problems(400, 413, 415) },
    },
    handler: async (request, reply) => {
      await rate.check(request)
      const { key } = request.body
      const caller = await access.authenticate(key)
      if (caller !== null) {
        // Each sign-in is a row that is kept for hours: the limit of the key holds for them too.
        request.caller = caller
        await keyRate(request, reply)
      }
      const session = caller === null ? null : await access.openSession(key)
      if (session === null) {
        await rate.failed(request)
        throw badKey()
      }
      // A secret is always made here and never taken over: a planted one is worth nothing. The one before ends.
      const before = cookie.read(request)
      if (before !== null) await access.closeSession(before)
      cookie.write(reply, session.secret, session.expires_at)
      const opened: OpenedSession = { ...view(session.caller), expires_at: session.expires_at }
      return sendJson(reply, opened, 201)
    },
  })

  routes.get('/v1/session', {
    schema: {
      operationId: 'getSession',
      summary: 'Who asks',
      tags: ['access'],
      querystring: NoQuery,
      response: { 200: described(WhoSchema, 'Who this key or session belongs to.'), ...problems(400, 413, 415) },
    },
    handler: (request, reply) => {
      const { caller } = request
      const session = caller.key_id !== null && bearerOf(request) === null
      const who: Who = { required: access.required, session, ...view(caller) }
      return sendJson(reply, who)
    },
  })

  routes.delete('/v1/session', {
    schema: {
      operationId: 'closeSession',
      summary: 'Sign out',
      tags: ['access'],
      querystring: NoQuery,
      response: {
        200: answer('Status', 'The session is over, if there was one.', { status: 'ended' }),
        ...problems(400, 413, 415),
      },
    },
    handler: async (request, reply) => {
      const secret = cookie.read(request)
      if (secret !== null) await access.closeSession(secret)
      cookie.clear(reply)
      return sendJson(reply, { status: 'ended' })
    },
  })
}

const described = (schema: TSchema, description: string) => ({
  description,
  content: { 'application/json': { schema } },
})

const view = ({ project, name, scopes }: Caller) => ({
  project,
  name,
  scopes: SCOPES.filter((scope) => scopes.has(scope)),
})

const badKey = (): HttpProblem =>
  new HttpProblem(
    401,
    'unauthorized',
    'this key is not good: it is unknown, expired or revoked; the operator of the service makes one with `veridict keys create`',
    { headers: { 'www-authenticate': 'Bearer realm="veridict", error="invalid_token"' } },
  )
