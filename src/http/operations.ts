import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { Metrics } from './metrics.ts'
import { HttpProblem, ProblemSchema } from './problem.ts'
import { sendJson } from './reply.ts'

const StatusSchema = Type.Object({ status: Type.String() })

/** Probes and metrics. `draining` is set once a stop was asked for. */
export function operationRoutes(
  app: FastifyInstance,
  options: { readonly context: Context; readonly metrics: Metrics; readonly state: { draining: boolean } },
): void {
  const { context, metrics, state } = options

  app.get('/healthz', {
    schema: {
      operationId: 'health',
      summary: 'The process lives',
      tags: ['operations'],
      response: { 200: StatusSchema },
    },
    handler: (_request, reply) => sendJson(reply, { status: 'ok' }),
  })

  app.get('/readyz', {
    schema: {
      operationId: 'ready',
      summary: 'Requests are served: the database can be written and no stop was asked for',
      tags: ['operations'],
      response: { 200: StatusSchema, 503: ProblemSchema },
    },
    handler: async (_request, reply) => {
      if (state.draining) throw new HttpProblem(503, 'draining', 'the service is stopping')
      await context.stores.check()
      return sendJson(reply, { status: 'ready' })
    },
  })

  app.get('/metrics', {
    schema: {
      operationId: 'metrics',
      summary: 'Prometheus metrics',
      tags: ['operations'],
      produces: ['text/plain'],
      response: { 200: Type.String() },
    },
    handler: async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  })

  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'none'
    metrics.request(route, request.method, reply.statusCode, reply.elapsedTime / 1000)
    done()
  })
}
