import { readFileSync } from 'node:fs'
import { stateOf } from '../access/keys.ts'
import { loadConfig } from '../config/config.ts'
import { isOpenToAll, unknownVariables } from '../config/environment.ts'
import type { Context } from '../http/context.ts'
import { openLogStream } from '../process/log.ts'
import { type Stoppable, stopOnSignals } from '../process/stop.ts'
import { openTracing } from '../telemetry/tracing.ts'
import { type App, buildApp } from './app.ts'
import { buildContext } from './context.ts'

const OPEN_TO_ALL =
  'access is off and this is no loopback address: everybody who reaches it can read everything and spend on your judges'

const NO_KEYS = 'every request needs a key here, and there is no good one: `veridict keys create NAME` makes one'

const NO_WORKERS =
  'VERIDICT_WORKER=off (or --no-worker) has no meaning on SQLite: this service works on its batches itself; workers need VERIDICT_DATABASE_URL'

const readText = (path: string): string => readFileSync(path, 'utf8')

/** Builds everything, listens, and stops cleanly on SIGTERM or SIGINT: a second signal stops at once. */
export async function startServer(env: NodeJS.ProcessEnv): Promise<void> {
  const { config, secrets } = loadConfig(env, readText)
  const tracing = await openTracing(env, 'veridict')
  const context = await buildContext({ config, secrets, tracing })
  const app = await buildApp(context, { logger: { level: config.log_level, stream: openLogStream() } })
  tracing.onLoss((spans) => app.http.log.warn({ spans }, 'spans could not be sent to the collector'))
  for (const name of Object.keys(config.judges)) {
    const todo = context.unready.get(name)
    if (todo !== undefined) app.http.log.warn({ judge: name }, `this judge is not configured: ${todo}`)
  }
  for (const unknown of unknownVariables(env, readText)) app.http.log.warn(unknown)
  if (isOpenToAll(config.access)) app.http.log.warn(OPEN_TO_ALL)
  if (config.postgres === null && !config.workers.in_service) app.http.log.warn(NO_WORKERS)
  stopOnSignals(env, app.state, stoppable(app, context))
  try {
    await app.http.listen({ host: config.host, port: config.port })
    if (app.state.draining) return
    await context.start()
    await warnWithoutKeys(app, context).catch((error: unknown) =>
      app.http.log.error({ err: error }, 'no look at the keys'),
    )
    app.http.log.info('audit pages at /audit/, contract at /docs and /openapi.json')
  } catch (error) {
    await context.close()
    throw error
  }
}

/** Nobody could ask anything. Keys can be made beside a service that runs. */
async function warnWithoutKeys({ http }: App, { access, stores }: Context): Promise<void> {
  if (!access.required) return
  const keys = await stores.access.listKeys()
  if (!keys.some((key) => stateOf(key, new Date()) === 'good')) http.log.warn(NO_KEYS)
}

const stoppable = (app: App, context: Context): Stoppable => ({
  context,
  log: app.http.log,
  finish() {
    // A connection that was busy when the listening ended would be kept open for its next request.
    const closing = setInterval(() => app.http.server.closeIdleConnections(), 100).unref()
    return Promise.all([app.http.close().then(() => app.settled()), context.stop()]).finally(() =>
      clearInterval(closing),
    )
  },
})
