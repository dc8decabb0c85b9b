import { readFileSync } from 'node:fs'
import fastify, { type FastifyInstance, LogController } from 'fastify'
import { type Config, loadConfig } from '../config/config.ts'
import { unknownVariables } from '../config/environment.ts'
import { DATABASE_URL } from '../config/settings.ts'
import type { Context } from '../http/context.ts'
import { installErrors } from '../http/plugins/errors.ts'

import { createMetrics, type Metrics, measureContext } from '../http/plugins/metrics.ts'
import { operationRoutes } from '../http/routes/operations.ts'
import { logBatches, openLogStream } from '../process/log.ts'
import { stopOnSignals } from '../process/stop.ts'
import { openTracing } from '../telemetry/tracing.ts'
import { buildContext } from './context.ts'

const NO_DATABASE =
  `a worker shares batches with services through a PostgreSQL: set ${DATABASE_URL} to that of the services. ` +
  'On SQLite there is nothing to start: `veridict serve` works on its batches itself'

const readText = (path: string): string => readFileSync(path, 'utf8')

/** Works on batches until SIGTERM or SIGINT: then it begins nothing more, gives back what it has not begun, and ends with 0. */
export async function startWorker(env: NodeJS.ProcessEnv): Promise<void> {
  const { config, secrets } = loadConfig(env, readText)
  if (config.postgres === null) throw new Error(NO_DATABASE)
  const tracing = await openTracing(env, 'veridict-worker')
  const metrics = createMetrics()
  const context = await buildContext({ config, secrets, tracing, works: true })
  measureContext(metrics, context)
  const state = { draining: false }
  const http = buildHealth(config, context, metrics, state)
  tracing.onLoss((spans) => http.log.warn({ spans }, 'spans could not be sent to the collector'))
  for (const unknown of unknownVariables(env, readText)) http.log.warn(unknown)
  // Its health is answered until nothing is in flight.
  const finish = () => context.stop().finally(() => http.close())
  stopOnSignals(env, state, { context, log: http.log, finish })
  try {
    if (config.workers.port !== null) await http.listen({ host: config.host, port: config.workers.port })
    await context.start()
    http.log.info({ database: config.postgres.shown, judges: [...context.judges.keys()] }, 'working on batches')
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Builds the log and the probes of a worker, which listens only where a port is given. */
function buildHealth(
  config: Config,
  context: Context,
  metrics: Metrics,
  state: { readonly draining: boolean },
): FastifyInstance {
  const http = fastify({
    logger: { level: config.log_level, stream: openLogStream() },
    logController: new LogController({ disableRequestLogging: true }),
    forceCloseConnections: true,
  })
  context.listen(logBatches(http.log))
  installErrors(http)
  operationRoutes(http, { context, metrics, state })
  return http
}
