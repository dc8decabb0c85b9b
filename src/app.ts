import { Ajv } from 'ajv'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Context } from './context.ts'
import { catalogueRoutes } from './http/catalogue.ts'
import { installErrors } from './http/errors.ts'
import { gradeRoutes } from './http/grades.ts'
import { installJsonBody } from './http/json-body.ts'
import { createMetrics } from './http/metrics.ts'
import { installOpenApi } from './http/openapi.ts'
import { operationRoutes } from './http/operations.ts'
import { trajectoryRoutes } from './http/trajectories.ts'

export interface App {
  readonly http: FastifyInstance
  /** Once `draining`, /readyz answers 503. */
  readonly state: { draining: boolean }
}

/** Plugins and routes in the order in which they work. Never listens. */
export async function buildApp(
  context: Context,
  options: { readonly logger?: FastifyServerOptions['logger']; readonly loggerInstance?: FastifyBaseLogger },
): Promise<App> {
  const http = fastify({
    ...(options.loggerInstance ? { loggerInstance: options.loggerInstance } : { logger: options.logger ?? false }),
    bodyLimit: context.config.limits.body_bytes,
    // One line a request, written by `logRequests`, instead of two.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => crypto.randomUUID(),
    routerOptions: { maxParamLength: 200 },
    forceCloseConnections: 'idle',
  })
  const state = { draining: false }
  const metrics = createMetrics()
  installErrors(http)
  logRequests(http)
  installValidation(http)
  await installOpenApi(http)
  gradeRoutes(http, { context, metrics })
  installJsonBody(http, context.config.limits)
  trajectoryRoutes(http, { context })
  catalogueRoutes(http, { context })
  operationRoutes(http, { context, metrics, state })
  await http.ready()
  return { http, state }
}

/** Method, route, status and time; never a header or a body. Fast answers are debug lines, so that a hit costs no log. */
function logRequests(http: FastifyInstance): void {
  http.addHook('onResponse', (request, reply, done) => {
    const level = reply.statusCode >= 500 ? 'warn' : reply.statusCode >= 400 ? 'info' : 'debug'
    const { method } = request
    const route = request.routeOptions.url ?? null
    request.log[level]({ method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered')
    done()
  })
}

/** Bodies are taken as they are; query strings and headers, which are always text, may become numbers and booleans. */
function installValidation(http: FastifyInstance): void {
  const common = {
    allErrors: false,
    removeAdditional: false,
    useDefaults: false,
    strict: false,
    validateFormats: false,
  } as const
  const exact = new Ajv({ ...common, coerceTypes: false })
  const coercing = new Ajv({ ...common, coerceTypes: true })
  http.setValidatorCompiler(({ schema, httpPart }) =>
    (httpPart === 'body' ? exact : coercing).compile(schema as object),
  )
  http.setSerializerCompiler(() => (data) => (typeof data === 'string' ? data : JSON.stringify(data)))
}
