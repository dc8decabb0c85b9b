import type { FastifyInstance } from 'fastify'
import type { Metrics } from './metrics.ts'

/**
 * Counts each request by its route (a path would be a series for every id), and logs method, route, status and time, never a header or a
 * body. Good answers are debug lines, so that a hit costs no log line.
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
