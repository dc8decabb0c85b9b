import { readFileSync } from 'node:fs'
import { createOneKeyAccess } from './access/one-key-access.ts'
import { type App, buildApp } from './app.ts'
import { CliError } from './cli/cli-error.ts'
import type { DatabaseUse } from './cli/shell.ts'
import { isOpenToAll } from './config/access-settings.ts'
import { type Config, loadConfig } from './config/config.ts'
import type { Secrets } from './config/secrets.ts'
import { buildContext, type Context } from './context.ts'
import { setKey } from './grading/resolve.ts'
import { openLogStream } from './log-stream.ts'
import { drain, type Stoppable, stopOnSignals } from './process/stop.ts'
import { createStoreRoom } from './store-room.ts'
import { assertDatabase, assertMigrated, assertProject } from './stored-place.ts'
import { openTracing } from './telemetry/open-tracing.ts'

const OPEN_TO_ALL =
  'access is off and this is no loopback address: whoever reaches it can read everything and spend on your judges'

const NO_WORKERS =
  'VERIDICT_WORKER=off (or --no-worker) has no meaning on SQLite: this service works on its batches itself; workers need VERIDICT_DATABASE_URL'

const LOOPBACK = '127.0.0.1'

/** Builds everything, listens, and stops cleanly on SIGTERM or SIGINT: a second signal stops at once. */
export async function startServer(env: NodeJS.ProcessEnv): Promise<void> {
  const { config, secrets } = loadConfig(env, (path) => readFileSync(path, 'utf8'))
  const tracing = await openTracing(env, 'veridict')
  const context = await buildContext({ config, secrets, tracing })
  const app = await buildApp(context, { logger: { level: config.log_level, stream: openLogStream() } })
  tracing.onLoss((spans) => app.http.log.warn({ spans }, 'spans could not be sent to the collector'))
  for (const name of Object.keys(config.judges)) {
    const key = context.unkeyed.get(name)
    if (key !== undefined) app.http.log.warn({ judge: name }, `this judge is not configured: ${setKey(key)}`)
  }
  if (isOpenToAll(config.access)) app.http.log.warn(OPEN_TO_ALL)
  if (config.postgres === null && !config.workers.in_service) app.http.log.warn(NO_WORKERS)
  stopOnSignals(env, app.state, stoppable(app, context))
  try {
    await app.http.listen({ host: config.host, port: config.port })
    if (app.state.draining) return
    await context.start()
    app.http.log.info('audit pages at /audit/, API at /docs')
  } catch (error) {
    await context.close()
    throw error
  }
}

/** A service for one command: on a free port of loopback, gone when the command ends. */
export interface Embedded {
  readonly url: string
  /** Without it nothing is answered: other users of the machine reach loopback too. */
  readonly key: string
  /** Waits for what is in flight; what has not begun stays as it is in the database. */
  stop(): Promise<void>
}

/**
 * The service inside of this process. It does not go on with batches that others left: the command says which to run. Rejects where there
 * is nothing to read.
 */
export async function startEmbedded(env: NodeJS.ProcessEnv, use: DatabaseUse = 'make'): Promise<Embedded> {
  const used = use === 'none' ? { ...env, VERIDICT_DATABASE: ':memory:', VERIDICT_DATABASE_URL: '' } : env
  const { config: given, secrets } = loadConfig(used, (path) => readFileSync(path, 'utf8'))
  if (use === 'read' || use === 'look') await assertStored(given, secrets, use)
  if (use === 'look_any' && !(await isStored(given, secrets))) return await startEmbedded(env, 'none')
  // Whoever starts it can read the database and is asked for none of its keys; others of the machine can do neither.
  const settings = { ...given.access, required: true, loopback: true, allowed_hosts: [] }
  const config = { ...given, host: LOOPBACK, access: settings }
  const context = await buildContext({ config, secrets, adopts_batches: false })
  const { access, token } = createOneKeyAccess(config.project)
  const app = await buildApp({ ...context, access }, { logger: false })
  const url = await app.http.listen({ host: LOOPBACK, port: 0 })
  await context.start()
  return {
    url,
    key: token,
    async stop() {
      app.state.draining = true
      await drain(stoppable(app, context))
    },
  }
}

const isStored = (config: Config, secrets: Secrets): Promise<boolean> =>
  assertStored(config, secrets, 'look').then(
    () => true,
    (error: unknown) => {
      if (error instanceof CliError) return false
      throw error
    },
  )

async function assertStored(config: Config, secrets: Secrets, use: 'read' | 'look'): Promise<void> {
  assertDatabase(config)
  const room = await createStoreRoom(config, secrets)
  try {
    await assertProject(config.project, room)
    if (use === 'look') await assertMigrated(config.project, room)
  } finally {
    await room.close()
  }
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
