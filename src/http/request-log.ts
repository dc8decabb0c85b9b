import type { FastifyInstance } from 'fastify'
import { NO_TRACING, type Tracing } from '../telemetry/tracing.ts'
import type { Metrics } from './metrics.ts'

/**
 * Every request once: in the metrics by its route, never by its path, which would be a series for every id; and in the log with
 * method, route, status and time, never a header or a body. Fast answers are debug lines, so that a hit costs no log.
 */
export function recordRequests(app: FastifyInstance, metrics: Metrics): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { method } = request
    const { statusCode: status } = reply
    const route = request.routeOptions.url ?? null
    const ms = reply.elapsedTime
    metrics.request(route ?? 'none', method, status, ms / 1000)
    const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug'
    request.log[level]({ method, route, status, ms: Math.round(ms) }, 'answered')
    done()
  })
}

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
