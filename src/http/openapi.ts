import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { loadOptional } from '../ports/optional-package.ts'
import { COMPONENTS } from './body/schemas.ts'
import { describeAccess, SECURITY_SCHEMES } from './guard/described-access.ts'
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
