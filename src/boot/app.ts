import fastify, { type FastifyInstance, type FastifyServerOptions, LogController } from 'fastify'
import { createStatisticsWorker, type StatisticsWorker } from '../audit/statistics-worker.ts'
import { createInFlight } from '../grading/lane.ts'
import type { Context } from '../http/context.ts'
import { type RouteDeps, typedRoutes } from '../http/operation.ts'
import { installAccess } from '../http/plugins/access.ts'
import { installBodies } from '../http/plugins/bodies.ts'
import { answerClientError, answerExpectations, installErrors, sendFrameworkError } from '../http/plugins/errors.ts'
import { installAdmission } from '../http/plugins/limits.ts'
import { createMetrics, measureContext, recordRequests } from '../http/plugins/metrics.ts'
import { installOpenApi } from '../http/plugins/openapi.ts'
import { createAnswerOnce, createKnownBodies } from '../http/plugins/replay.ts'
import { auditRoutes } from '../http/routes/audit.ts'
import { batchRoutes } from '../http/routes/batches.ts'
import { catalogueRoutes } from '../http/routes/catalogue.ts'
import { answerKnownBytes, gradeRoutes } from '../http/routes/grades.ts'
import { installDrain, operationRoutes } from '../http/routes/operations.ts'
import { pageRoutes } from '../http/routes/pages.ts'
import { sessionRoutes } from '../http/routes/sessions.ts'
import { trajectoryRoutes } from '../http/routes/trajectories.ts'
import { logBatches } from '../process/log.ts'

export interface App {
  readonly http: FastifyInstance
  /** Once `draining`, /readyz answers 503 and nothing new is begun. */
  readonly state: { draining: boolean }
  /** Resolves once no grade is being made, for whomever: also those whose client has gone. */
  settled(): Promise<void>
}

/** The longest time to send a request, which may be a large archive, and the longest silence of a connection, whose judge may be slow. */
const REQUEST_TIMEOUT_MS = 3_600_000

/** Plugins and routes in the order in which they work. Never listens. */
export async function buildApp(
  context: Context,
  options: Pick<FastifyServerOptions, 'logger' | 'loggerInstance'> & { readonly statistics?: StatisticsWorker },
): Promise<App> {
  const http = fastify({
    ...(options.loggerInstance ? { loggerInstance: options.loggerInstance } : { logger: options.logger ?? false }),
    bodyLimit: context.config.limits.body_bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: REQUEST_TIMEOUT_MS,
    // One line a request, written by `recordRequests`, instead of two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => crypto.randomUUID(),
    // A request without `Host` is refused where all others are guarded.
    http: { requireHostHeader: false },
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: sendFrameworkError,
    clientErrorHandler: answerClientError,
  })
  const state = { draining: false }
  const metrics = createMetrics()
  measureContext(metrics, context)
  // prom-client watches the garbage collector for as long as the process lives, and through its registry would keep all of this.
  http.addHook('onClose', () => metrics.registry.clear())
  const knownBodies = createKnownBodies(context.stores)
  const inFlight = createInFlight()
  const answerOnce = createAnswerOnce(context.stores, context.clock, inFlight)
  context.listen(logBatches(http.log))
  const { statistics = createStatisticsWorker() } = options
  http.addHook('onClose', () => statistics.close())
  const deps: RouteDeps = { context, metrics, knownBodies, inFlight, answerOnce, statistics, state }
  installErrors(http)
  answerExpectations(http.server)
  if (context.tracing !== null) await http.register(context.tracing.plugin)
  const access = await installAccess(http, { access: context.access, config: context.config })
  installDrain(http, state)
  recordRequests(http, metrics)
  const { limits } = context.config
  const admission = await installAdmission(http, { limits, registry: metrics.registry })
  installBodies(http, {
    limits,
    admission,
    async answerBytes(request, reply) {
      if (await answerKnownBytes(request, reply, deps)) return true
      if (request.routeOptions.url === '/v1/grades') admission.requireCalm()
      return false
    },
  })
  await installOpenApi(http)
  sessionRoutes(http, { access: context.access, config: context.config, keyRate: access.keyRate })
  const routes = typedRoutes(http)
  gradeRoutes(routes, deps)
  trajectoryRoutes(routes, deps)
  batchRoutes(routes, deps)
  auditRoutes(routes, deps)
  catalogueRoutes(routes, deps)
  operationRoutes(http, deps)
  pageRoutes(http)
  await http.ready()
  return { http, state, settled: () => inFlight.settled() }
}
