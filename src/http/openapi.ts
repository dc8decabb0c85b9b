import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import { describeAccess, SECURITY_SCHEMES } from './access/described-access.ts'
import { COMPONENTS } from './schemas.ts'

/** The contract, made from the routes’ own schemas, at /openapi.json and /docs. */
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
  await app.register(swaggerUi, { routePrefix: '/docs' })
  // Written once: it is asked for without a key.
  let text: string | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    text ??= JSON.stringify(app.swagger())
    return reply.type('application/json').send(text)
  })
}
