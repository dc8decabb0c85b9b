import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { loadOptional } from '../ports/optional-package.ts'
import { COMPONENTS } from './body/schemas.ts'
import { findNeed, type Need } from './guard/route-scopes.ts'
import { HttpProblem } from './problem.ts'

/** Adds the contract at /openapi.json, made of the schemas of all routes that are added later, and its pages at /docs. */
export async function installOpenApi(app: FastifyInstance): Promise<void> {
  for (const [name, schema] of Object.entries(COMPONENTS)) app.addSchema({ ...schema, $id: name })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Veridict',
        version: '1',
        description:
          'Grades what terminal agents did with the instructions they found in their environment. Evidence gates the label.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
      components: { securitySchemes: SECURITY_SCHEMES },
      servers: [{ url: '/', description: 'Wherever the service listens.' }],
      tags: [
        { name: 'grades', description: 'Grade one trajectory and read grades.' },
        { name: 'trajectories', description: 'Upload once, grade by id.' },
        { name: 'rubrics', description: 'What a judge is asked.' },
        { name: 'judges', description: 'Who answers.' },
        { name: 'audit', description: 'Disagreements, human labels, agreement.' },
        { name: 'access', description: 'Who asks; browsers sign in and out.' },
        { name: 'operations', description: 'Probes and metrics.' },
      ],
    },
    hideUntagged: true,
    transformObject: (document) => ('openapiObject' in document ? describeAccess(document.openapiObject) : {}),
    refResolver: { buildLocalReference: (schema, _base, _fragment, index) => String(schema['$id'] ?? `def-${index}`) },
  })
  // Written once: the contract is asked for without a key.
  let text: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    text ??= JSON.stringify(app.swagger())
    return reply.type('application/json').send(text)
  })
  try {
    const pages = await loadOptional('@fastify/swagger-ui', () => import('@fastify/swagger-ui'), 'the page /docs')
    await app.register(pages.default, { routePrefix: '/docs' })
  } catch (error) {
    const { message } = error as Error
    app.get('/docs', { schema: { hide: true } }, () => {
      throw new HttpProblem(404, 'not_found', `${message}, then start again; /openapi.json has the same`)
    })
  }
}

/** The members of an OpenAPI document that this file writes. */
interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
interface Operation {
  security?: object[]
  responses?: Record<string, object>
}

/** Credentials of a caller. Behind TLS the name of the cookie has the prefix `__Host-`. */
const SECURITY_SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key, made with `veridict keys create`. Needed unless the service listens on loopback, or its configuration says otherwise; one that is sent must be good.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'veridict_session',
    description: 'Of a browser that signed in at `POST /v1/session`.',
  },
} as const

const REFUSALS: Readonly<Record<string, string>> = {
  401: 'A key is needed and there is none, or it is not good: `unauthorized`.',
  403: 'The key lacks a scope, `forbidden`; or a page of another origin asks, `cross_origin`.',
  421: 'The service is not asked by this name: `wrong_host`.',
  429: 'The key asked too often, or too many sign-ins failed: `too_many_requests`. A provider that limits us is 503 `rate_limited`.',
}

const CHALLENGE = {
  'www-authenticate': { schema: { type: 'string' }, description: 'What to send, or which scope is missing.' },
}
const WAIT = { 'retry-after': { schema: { type: 'integer' }, description: 'Seconds after which to try again.' } }
const HEADERS: Readonly<Record<string, object>> = { 401: CHALLENGE, 403: CHALLENGE, 429: WAIT }

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete']

/** Adds the needed scope and the refusals of the guard to every operation. */
function describeAccess<T extends object>(document: T): T {
  for (const [path, operations] of Object.entries((document as Document).paths ?? {})) {
    const route = path.replaceAll(/\{([^}]+)\}/g, ':$1')
    for (const method of METHODS.filter((name) => Object.hasOwn(operations, name)))
      describeOperation(operations[method] as Operation, findNeed(method.toUpperCase(), route) ?? 'admin', method)
  }
  return document
}

function describeOperation(operation: Operation, need: Need, method: string): void {
  const scopes = need === 'key' || need === 'page' || need === 'open' ? [] : [need]
  operation.security = need === 'open' ? [] : [{ key: scopes }, { session: scopes }]
  operation.responses = { ...operation.responses }
  for (const status of refusalsOf(operation, need, method))
    operation.responses[status] = {
      description: REFUSALS[status],
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      ...(HEADERS[status] && { headers: HEADERS[status] }),
    }
}

/** Lists the refusals of an operation. Without a key, a change can still come from another origin, and a sign-in can still fail. */
function refusalsOf({ operationId }: Operation & { operationId?: string }, need: Need, method: string): string[] {
  if (need !== 'open') return ['401', '403', '421', '429']
  if (operationId === 'openSession') return ['401', '403', '421', '429']
  return method === 'get' ? ['421'] : ['403', '421']
}
