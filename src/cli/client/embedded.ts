import type { App } from '../../boot/app.ts'
import { buildContext } from '../../boot/context.ts'
import { storeOf } from '../../boot/open-store.ts'
import type { Config } from '../../config/config.ts'
import type { Secrets } from '../../config/environment.ts'
import { createInFlight } from '../../http/guard/drain.ts'
import type { Judge } from '../../ports/ports.ts'
import { drain } from '../../process/stop.ts'
import { CliError } from './cli-error.ts'
import { createClient } from './client.ts'
import { configurationOf } from './configuration.ts'
import { fetchWithin, localCalls } from './local-client.ts'
import type { DatabaseUse, ServiceConnection } from './shell.ts'
import { assertDatabase, assertMigrated } from './stored-place.ts'

/**
 * Starts the service inside this process. Batches of other processes rest until the command resumes them. Rejects where the command needs a
 * database and none exists. `judges` stand beside the configured judges, for measurements.
 */
export async function startEmbedded(
  env: NodeJS.ProcessEnv,
  use: DatabaseUse = 'make',
  judges: readonly Judge[] = [],
): Promise<ServiceConnection> {
  const used = use === 'none' ? { ...env, VERIDICT_DATABASE: ':memory:', VERIDICT_DATABASE_URL: '' } : env
  const { config: given, secrets } = configurationOf(used)
  if (use === 'read' || use === 'look') await assertStored(given, secrets, use)
  if (use === 'look_any' && !(await isStored(given, secrets))) return await startEmbedded(env, 'none', judges)
  // Only this command reaches the service, and the command can read the database: no key is needed.
  const settings = { ...given.access, required: false, loopback: true, allowed_hosts: [] }
  const config = { ...given, access: settings }
  const context = await buildContext({ config, secrets, adopts_batches: false, judges })
  let opened: Promise<App> | null = null
  const openApp = async (): Promise<App> => (await import('../../boot/app.ts')).buildApp(context, { logger: false })
  const routes = createClient(
    WITHIN,
    undefined,
    fetchWithin(() => {
      opened ??= openApp()
      return opened
    }),
  )
  const inFlight = createInFlight()
  await context.start()
  return {
    client: { ...routes, ...localCalls(context, inFlight) },
    url: 'this process',
    embedded: true,
    flag: '',
    limits: given.limits,
    async close() {
      const app = await opened
      if (app !== null) app.state.draining = true
      await drain({
        context,
        log: SILENT,
        finish: () => Promise.all([app?.http.close(), context.stop(), inFlight.settled()]),
      })
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
  if (use === 'look') await assertMigrated(storeOf(config, secrets))
}

/** Never resolved: the address only completes paths. */
const WITHIN = 'http://localhost'
const SILENT = { info() {}, warn() {}, error() {} }
