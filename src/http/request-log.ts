import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { earlyMs } from './body/raw-body.ts'
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
    const ms = earlyMs(request.raw) + reply.elapsedTime
    metrics.request(route ?? 'none', method, status, ms / 1000)
    const level = status >= 500 ? 'warn' : status >= 400 ? 'info' : 'debug'
    request.log[level]({ method, route, status, ms: Math.round(ms) }, 'answered')
    done()
  })
}

/** The logger of one request, made with the first line that it writes: most requests write none. */
export const requestLogger = (
  parent: FastifyBaseLogger,
  bindings: Record<string, unknown>,
  options: object,
): FastifyBaseLogger => new RequestLogger(parent, () => parent.child(bindings, options))

type Line = Parameters<FastifyBaseLogger['info']>

class RequestLogger implements FastifyBaseLogger {
  private readonly parent: FastifyBaseLogger
  private readonly make: () => FastifyBaseLogger
  private made: FastifyBaseLogger | null = null

  constructor(parent: FastifyBaseLogger, make: () => FastifyBaseLogger) {
    this.parent = parent
    this.make = make
  }

  get level() {
    return this.parent.level
  }

  fatal(...line: Line) {
    this.write('fatal', line)
  }
  error(...line: Line) {
    this.write('error', line)
  }
  warn(...line: Line) {
    this.write('warn', line)
  }
  info(...line: Line) {
    this.write('info', line)
  }
  debug(...line: Line) {
    this.write('debug', line)
  }
  trace(...line: Line) {
    this.write('trace', line)
  }
  silent() {}

  child(...given: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.own.child(...given)
  }

  /** A level that is off is the very function that does nothing. */
  private write(level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', line: Line) {
    if (this.parent[level] !== this.parent.silent) this.own[level](...line)
  }

  private get own(): FastifyBaseLogger {
    this.made ??= this.make()
    return this.made
  }
}
