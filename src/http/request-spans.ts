import type { FastifyInstance } from 'fastify'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'

/** Every request is a span, from its headers to the last byte of its answer or to the end of its connection. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  if (tracing === NO_TRACING) return
  app.addHook('onRequest', (request, reply, done) => {
    const { method, headers, routeOptions } = request
    const span = tracing.request({ method, route: routeOptions.url, traceparent: headers['traceparent'] })
    if (span === null) return done()
    reply.raw.once('close', () => span.end(reply.raw.writableFinished ? reply.raw.statusCode : null))
    span.enter(done)
  })
}
