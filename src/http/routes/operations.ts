import type { FastifyInstance } from 'fastify'
import { draining, RequestError } from '../../schemas/problem.ts'
import { Type } from '../../schemas/type.ts'
import { answer, operation, type RouteDeps } from '../operation.ts'
import { sendProblem } from '../problem.ts'

/** Details for callers without a key: the message of the database itself may name a path. */
const PUBLIC_DETAILS = {
  storage_full: 'the disk of the database is full',
  storage_busy: 'the database is locked, or out of reach',
  storage_error: 'the database cannot be written',
} as const

/** Adds the probes and the metrics. */
export function operationRoutes(
  app: FastifyInstance,
  { context, metrics, state }: Pick<RouteDeps, 'context' | 'metrics' | 'state'>,
): void {
  app.get('/healthz', {
    ...operation('open', 'operations', 'health', {
      summary: 'The process lives',
      answers: { 200: answer('Status', 'The process answers.', { status: 'ok' }) },
      problems: [],
    }),
    handler: () => ({ status: 'ok' }),
  })

  app.get('/readyz', {
    ...operation('open', 'operations', 'ready', {
      summary: 'Requests are served: the database can be written and no stop was asked for',
      answers: { 200: answer('Status', 'The database is writable.', { status: 'ready' }) },
      problems: [500, 503],
    }),
    handler: async (request) => {
      if (state.draining) throw draining()
      try {
        await context.stores.settings.check()
      } catch (error) {
        const { code, message } = error as { code?: string; message?: string }
        request.log.error({ code, detail: message }, 'the database cannot be written')
        const detail = code === 'storage_full' || code === 'storage_busy' ? code : 'storage_error'
        throw new RequestError(detail, PUBLIC_DETAILS[detail])
      }
      return { status: 'ready' }
    },
  })

  app.get('/metrics', {
    ...operation('operator', 'operations', 'metrics', {
      summary: 'Prometheus metrics',
      answers: {
        200: { description: 'Text exposition format.', content: { 'text/plain': { schema: Type.String() } } },
      },
      problems: [500, 503],
    }),
    handler: async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  })
}

const PROBES: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

/** Refuses new requests while the service drains, but for probes, and ends the connection of every answer. */
export function installDrain(app: FastifyInstance, state: { readonly draining: boolean }): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!state.draining || PROBES.includes(request.routeOptions.url)) return done()
    sendProblem(reply, draining())
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (state.draining) reply.header('connection', 'close')
    done()
  })
}
