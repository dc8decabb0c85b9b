import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import { startFailureText } from './cli/start-failure.ts'
import { type Config, loadConfig } from './config/config.ts'
import { DATABASE_URL } from './config/postgres-settings.ts'
import { buildContext, type Context } from './context.ts'
import { measureContext } from './http/context-metrics.ts'
import { installErrors } from './http/errors.ts'
import { createMetrics } from './http/metrics.ts'
import { operationRoutes } from './http/operations.ts'
import { schemaController } from './http/validation.ts'
import { openLogStream } from './log-stream.ts'
import { signalEcho } from './signal-echo.ts'
import { openTracing } from './telemetry/open-tracing.ts'
import { closeInTime, NOT_CLOSED } from './timely-close.ts'
import { logTrouble } from './trouble-log.ts'

/** How long a stop waits for what is in flight. */
const DRAIN_MS = 25_000

const NO_DATABASE =
  `a worker shares batches with services through a PostgreSQL: set ${DATABASE_URL} to that of the services. ` +
  'On SQLite there is nothing to start: `veridict serve` works on its batches itself'

/** Works on batches until SIGTERM or SIGINT: then it begins nothing more, gives back what it has not begun, and ends with 0. */
export async function startWorker(env: NodeJS.ProcessEnv): Promise<void> {
  const { config, secrets } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  if (config.postgres === null) throw new Error(NO_DATABASE)
  const tracing = await openTracing(env, 'veridict-worker')
  const metrics = createMetrics()
  const context = await buildContext({ config, secrets, tracing, works: true })
  measureContext(metrics, context)
  const state = { draining: false }
  const http = buildHealth(config, context, metrics, state)
  tracing.onLoss((spans) => http.log.warn({ spans }, 'spans could not be sent to the collector'))
  const isEcho = signalEcho(env)
  const stop = () => {
    if (isEcho()) return
    if (state.draining) process.exit(1)
    state.draining = true
    drain(http, context).then(
      () => process.exit(0),
      (error: unknown) => {
        http.log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  try {
    if (config.workers.port !== null) await http.listen({ host: config.host, port: config.workers.port })
    await context.start()
    http.log.info({ database: config.postgres.shown, judges: [...context.judges.keys()] }, 'working on batches')
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Its log, and what a supervisor asks; it listens only where a port is given. */
function buildHealth(
  config: Config,
  context: Context,
  metrics: ReturnType<typeof createMetrics>,
  state: { readonly draining: boolean },
): FastifyInstance {
  const http = fastify({
    logger: { level: config.log_level, stream: openLogStream() },
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
    schemaController: schemaController(),
  })
  context.onTrouble((trouble) => logTrouble(http.log, trouble))
  installErrors(http)
  operationRoutes(http, { context, metrics, state })
  return http
}

/** Begins nothing more, and waits for what is in flight up to the deadline. */
async function drain(http: FastifyInstance, context: Context): Promise<void> {
  http.log.info('stopping: waiting for what is in flight')
  const inTime = await Promise.race([context.stop().then(() => true), delay(DRAIN_MS, false, { ref: false })])
  if (!inTime) http.log.warn('stopping: something was still in flight at the deadline')
  await http.close()
  if (!(await closeInTime(() => context.close()))) http.log.warn(NOT_CLOSED)
  await context.tracing.close()
  http.log.info('stopped')
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  startWorker(process.env).catch((error: unknown) => {
    process.stderr.write(startFailureText(error, { env: process.env, port: 'VERIDICT_WORKER_PORT' }))
    process.exit(1)
  })
}
