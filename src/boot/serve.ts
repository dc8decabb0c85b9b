import { readFileSync } from 'node:fs'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import { listKeys } from '../access/keys.ts'
import { loadConfig } from '../config/config.ts'
import { isOpenToAll, unknownVariables } from '../config/environment.ts'
import { DATABASE_URL } from '../config/settings.ts'
import type { Context } from '../http/context.ts'
import { installErrors } from '../http/plugins/errors.ts'
import { createMetrics, measureContext } from '../http/plugins/metrics.ts'
import { operationRoutes } from '../http/routes/operations.ts'
import { logBatches, openLogStream } from '../process/log.ts'
import { stopOnSignals } from '../process/stop.ts'
import { openTracing } from '../telemetry/tracing.ts'
import { buildContext } from './context.ts'

const OPEN_TO_ALL =
  'access is off and this is no loopback address: everybody who reaches it can read everything and spend on your judges'

const NO_KEYS = 'every request needs a key here, and there is no good one: `veridict keys create NAME` makes one'

const NO_WORKERS =
  'VERIDICT_WORKER=off (or --no-worker) has no meaning on SQLite: this service works on its batches itself; workers need VERIDICT_DATABASE_URL'

const NO_DATABASE =
  `a worker shares batches with services through a PostgreSQL: set ${DATABASE_URL} to that of the services. ` +
  'On SQLite there is nothing to start: `veridict serve` works on its batches itself'

const readText = (path: string): string => readFileSync(path, 'utf8')

/** Builds the service, listens, and stops cleanly on SIGTERM or SIGINT: a second signal stops at once. */
export async function startServer(env: NodeJS.ProcessEnv): Promise<void> {
  const { config, secrets } = loadConfig(env, readText)
  const tracing = await openTracing(env, 'veridict')
  const context = await buildContext({ config, secrets, tracing })
  const { buildApp } = await import('./app.ts')
  const app = await buildApp(context, { logger: { level: config.log_level, stream: openLogStream() } })
  const { http, state } = app
  for (const name of Object.keys(config.judges)) {
    const todo = context.unready.get(name)
    if (todo !== undefined) http.log.warn({ judge: name }, `this judge is not configured: ${todo}`)
  }
  if (isOpenToAll(config.access)) http.log.warn(OPEN_TO_ALL)
  if (config.postgres === null && !config.workers.in_service) http.log.warn(NO_WORKERS)
  const finish = () => {
    // A connection that was busy when the listening ended would be kept open for its next request.
    const closing = setInterval(() => http.server.closeIdleConnections(), 100).unref()
    return Promise.all([http.close().then(() => app.settled()), context.stop()]).finally(() => clearInterval(closing))
  }
  await run(env, { context, http, state, finish, address: { host: config.host, port: config.port } }, async () => {
    // Keys can be made beside a service that runs.
    const keys = context.access.required ? await listKeys(context.stores.access, new Date()) : null
    if (keys?.some(({ state }) => state === 'good') === false) http.log.warn(NO_KEYS)
    http.log.info('audit pages at /audit/, contract at /docs and /openapi.json')
  })
}

/** Works on batches until SIGTERM or SIGINT: then it begins nothing more, gives back the chunks that it has not begun, and ends with 0. */
export async function startWorker(env: NodeJS.ProcessEnv): Promise<void> {
  const { config, secrets } = loadConfig(env, readText)
  const { postgres, workers } = config
  if (postgres === null) throw new Error(NO_DATABASE)
  const tracing = await openTracing(env, 'veridict-worker')
  const metrics = createMetrics()
  const context = await buildContext({ config, secrets, tracing, works: true })
  measureContext(metrics, context)
  const state = { draining: false }
  // The log and the probes of a worker, which listens only where a port is given.
  const http = fastify({
    logger: { level: config.log_level, stream: openLogStream() },
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  })
  context.listen(logBatches(http.log))
  installErrors(http)
  operationRoutes(http, { context, metrics, state })
  // The health of the worker is answered until nothing is in flight.
  const finish = () => context.stop().finally(() => http.close())
  const address = workers.port === null ? null : { host: config.host, port: workers.port }
  await run(env, { context, http, state, finish, address }, async () =>
    http.log.info({ database: postgres.shown, judges: [...context.judges.keys()] }, 'working on batches'),
  )
}

interface Serving {
  readonly context: Context
  readonly http: FastifyInstance
  readonly state: { draining: boolean }
  readonly finish: () => Promise<unknown>
  /** Null: no port is opened. */
  readonly address: { readonly host: string; readonly port: number } | null
}

/** Listens, and goes on with the batches of earlier processes. Stops on signals from now on. */
async function run(env: NodeJS.ProcessEnv, serving: Serving, ready: () => Promise<void>): Promise<void> {
  const { context, http, state, finish, address } = serving
  context.tracing?.onLoss(() => http.log.warn('spans or events could not be sent to the collector'))
  for (const unknown of unknownVariables(env, readText)) http.log.warn(unknown)
  stopOnSignals(env, state, { context, log: http.log, finish })
  try {
    if (address !== null) await http.listen(address)
    if (state.draining) return
    await context.start()
    await ready()
  } catch (error) {
    await context.close()
    throw error
  }
}
