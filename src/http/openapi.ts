import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type RouteOptions } from 'fastify'
import { loadOptional } from '../ports/optional-package.ts'
import { COMPONENTS } from './body/schemas.ts'
import { installErrors } from './errors.ts'
import { describeAccess, SECURITY_SCHEMES } from './guard/described-access.ts'
import { HttpProblem } from './problem.ts'

type Contract = ReturnType<FastifyInstance['swagger']>

declare module 'fastify' {
  interface FastifyInstance {
    /** The contract, made from the routes’ own schemas when it is asked for. */
    contract(): Promise<Contract>
  }
}

/** Headers that belong to one connection or one writing of an answer. */
const OWN_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding'])

/**
 * The contract at /openapi.json, and its pages at /docs. What writes and shows it is loaded when one of them is asked for, into an application
 * of its own that never listens.
 */
export function installOpenApi(app: FastifyInstance): void {
  for (const [name, schema] of Object.entries(COMPONENTS)) app.addSchema({ ...schema, $id: name })
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.method !== 'HEAD') routes.push(route)
  })
  let made: Promise<Described> | undefined
  const describe = (): Promise<Described> => {
    made ??= describeRoutes(routes)
    return made
  }
  app.decorate('contract', async () => (await describe()).app.swagger())
  app.addHook('onClose', async () => (await made)?.app.close())
  // Written once: it is asked for without a key.
  let text: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, async (_request, reply) => {
    text ??= JSON.stringify((await describe()).app.swagger())
    return reply.type('application/json').send(text)
  })
  const show = async ({ raw, headers }: FastifyRequest, reply: FastifyReply) => {
    const { app: described, fault } = await describe()
    if (fault !== null)
      throw new HttpProblem(404, 'not_found', `${fault}, then start again; /openapi.json has the same`)
    const page = await described.inject({ method: 'GET', url: raw.url ?? '/docs', headers })
    const kept = Object.entries(page.headers).filter(([name]) => !OWN_HEADERS.has(name))
    return reply.code(page.statusCode).headers(Object.fromEntries(kept)).send(page.rawPayload)
  }
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true } }, show)
}

interface Described {
  readonly app: FastifyInstance
  /** Why there is no page; null: there is one. */
  readonly fault: string | null
}

async function describeRoutes(routes: readonly RouteOptions[]): Promise<Described> {
  const { default: swagger } = await import('@fastify/swagger')
  const app = fastify()
  installErrors(app)
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
  const pages = await loadOptional('@fastify/swagger-ui', () => import('@fastify/swagger-ui'), 'the page /docs').catch(
    (error: Error) => error,
  )
  if (!(pages instanceof Error)) await app.register(pages.default, { routePrefix: '/docs' })
  for (const { method, url, schema, config } of routes) {
    if (schema === undefined || 'hide' in schema) continue
    app.route({ method, url, schema, ...(config !== undefined && { config }), handler: () => '' })
  }
  await app.ready()
  return { app, fault: pages instanceof Error ? pages.message : null }
}
