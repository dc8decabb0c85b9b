import { readFileSync } from 'node:fs'
import { createOneKeyAccess } from '../../access/one-key-access.ts'
import { buildApp } from '../../boot/app.ts'
import { buildContext } from '../../boot/context.ts'
import { stoppable } from '../../boot/service.ts'
import { createStoreRoom } from '../../boot/store-room.ts'
import { type Config, loadConfig } from '../../config/config.ts'
import type { Secrets } from '../../config/secrets.ts'
import { drain } from '../../process/stop.ts'
import { CliError } from './cli-error.ts'
import type { DatabaseUse } from './shell.ts'
import { assertDatabase, assertMigrated, assertProject } from './stored-place.ts'

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

const LOOPBACK = '127.0.0.1'
