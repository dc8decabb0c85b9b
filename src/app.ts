import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { createStatisticsWorker } from './audit/statistics-worker.ts'
import type { Context } from './context.ts'
import { installAccess } from './http/access/install.ts'
import { sessionRoutes } from './http/access/session-routes.ts'
import { installAdmission } from './http/admission.ts'
import { agreementRoutes } from './http/agreements.ts'
import { createAliases, createAliasMemory } from './http/aliases.ts'
import { batchEventRoute } from './http/batch-events.ts'
import { batchResultRoute } from './http/batch-results.ts'
import { batchRoutes } from './http/batches.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { commentRoutes } from './http/comments.ts'
import { measureContext } from './http/context-metrics.ts'
import { disagreementRoutes } from './http/disagreements.ts'
import { installDrain } from './http/drain.ts'
import { answerClientError, installErrors, sendFrameworkError } from './http/errors.ts'
import { answerKnownBytes } from './http/grade-one.ts'
import { gradeRoutes } from './http/grades.ts'
import { createInFlight } from './http/in-flight.ts'
import { installJsonBody } from './http/json-body.ts'
import { createMetrics } from './http/metrics.ts'
import { installOpenApi } from './http/openapi.ts'
import { operationRoutes } from './http/operations.ts'
import { installProjects, perProject } from './http/project.ts'
import { regradeRoutes } from './http/regrades.ts'
import { reportRoutes } from './http/reports.ts'
import { recordRequests } from './http/request-log.ts'
import { traceRequests } from './http/request-spans.ts'
import { reviewRoutes } from './http/reviews.ts'
import { trajectoryRoutes } from './http/trajectories.ts'
import { trajectorySearchRoute } from './http/trajectory-search.ts'
import { schemaController } from './http/validation.ts'
import { logTrouble } from './trouble-log.ts'
import { pageRoutes } from './web/pages.ts'

export interface App {
  readonly http: FastifyInstance
  /** Once `draining`, /readyz answers 503 and nothing new is begun. */
  readonly state: { draining: boolean }
  /** Resolves once no grade is being made, for whomever: also those whose client has gone. */
  settled(): Promise<void>
}

/** How long a client may take to send a request, an archive as large as it may be; a judge may take as long as it likes to answer. */
const REQUEST_TIMEOUT_MS = 3_600_000

/** Plugins and routes in the order in which they work. Never listens. */
export async function buildApp(
  context: Context,
  options: { readonly logger?: FastifyServerOptions['logger']; readonly loggerInstance?: FastifyBaseLogger },
): Promise<App> {
  const http = fastify({
    ...(options.loggerInstance ? { loggerInstance: options.loggerInstance } : { logger: options.logger ?? false }),
    bodyLimit: context.config.limits.body_bytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    // One line a request, written by `recordRequests`, instead of two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => crypto.randomUUID(),
    schemaController: schemaController(),
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    frameworkErrors: sendFrameworkError,
    clientErrorHandler: answerClientError,
  })
  const state = { draining: false }
  const metrics = createMetrics()
  measureContext(metrics, context)
  const memory = createAliasMemory()
  const aliasesOf = perProject((project) => createAliases(project, memory, context.answer_config))
  const inFlight = createInFlight()
  context.onTrouble((trouble) => logTrouble(http.log, trouble))
  const statistics = createStatisticsWorker()
  http.addHook('onClose', () => statistics.close())
  installErrors(http)
  traceRequests(http, context.tracing)
  const keyRate = await installAccess(http, { access: context.access, config: context.config })
  installDrain(http, state)
  recordRequests(http, metrics)
  installProjects(http, context)
  const { limits } = context.config
  const admission = installAdmission(http, { limits, registry: metrics.registry })
  installJsonBody(
    http,
    limits,
    admission.behindHits((request, reply) => answerKnownBytes(request, reply, { aliasesOf, metrics })),
  )
  installOpenApi(http)
  sessionRoutes(http, { access: context.access, config: context.config, keyRate })
  gradeRoutes(http, { context, metrics, aliasesOf, inFlight })
  trajectoryRoutes(http, { context })
  trajectorySearchRoute(http, { context })
  batchRoutes(http, { context, inFlight, state })
  batchResultRoute(http, { context, inFlight, state })
  batchEventRoute(http, { context, inFlight, state })
  regradeRoutes(http, { inFlight, statistics })
  commentRoutes(http, { context, inFlight })
  reviewRoutes(http, { context, inFlight })
  disagreementRoutes(http)
  agreementRoutes(http, { statistics })
  reportRoutes(http, { statistics })
  catalogueRoutes(http, { context })
  operationRoutes(http, { context, metrics, state })
  pageRoutes(http)
  await http.ready()
  return { http, state, settled: () => inFlight.settled() }
}
