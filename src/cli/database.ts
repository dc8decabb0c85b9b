import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { openStores } from '../boot/open.ts'
import type { LocalVeridict } from '../client/veridict.ts'
import { type Config, loadConfig } from '../config/config.ts'
import type { Stores } from '../db/stores.ts'
import type { Judge } from '../judges/judge.ts'
import { type DatabaseUse, type Options, option } from './options.ts'
import { inert } from './output/text.ts'
import { CliError, type Shell } from './shell.ts'

type StoreWork<T> = (stores: Stores, database: string) => Promise<T>
const configurationOf = (env: NodeJS.ProcessEnv): ReturnType<typeof loadConfig> =>
  loadConfig(env, (path) => readFileSync(path, 'utf8'))

const hasDatabase = ({ database, postgres }: Pick<Config, 'database' | 'postgres'>): boolean =>
  postgres !== null || statSync(database, { throwIfNoEntry: false })?.isFile() === true

/** Throws for a missing file: an empty database under a mistyped name would look like an empty store. */
function assertDatabase(config: Pick<Config, 'database' | 'postgres'>): void {
  if (hasDatabase(config)) return
  throw new CliError(`there is no database file ${inert(config.database)}`, [
    'VERIDICT_DATABASE names the database of your service; `veridict grade` and `veridict batch` make a missing database.',
  ])
}

/** Opens Veridict in this process. `estimates`: no judge is asked, and no key is needed. `judges`: for measurements. */
export async function openLocal(
  env: NodeJS.ProcessEnv,
  use: DatabaseUse = 'make',
  estimates = false,
  judges: readonly Judge[] = [],
): Promise<LocalVeridict> {
  const used = use === 'none' ? { ...env, VERIDICT_DATABASE: ':memory:', VERIDICT_DATABASE_URL: '' } : env
  const { config, secrets } = configurationOf(used)
  if (use === 'read') assertDatabase(config)
  if (use === 'look' && !hasDatabase(config)) return openLocal(used, 'none', estimates, judges)
  const { buildContext } = await import('../boot/context.ts')
  const { local } = await import('../library/library.ts')
  // Only this command reaches the service, and the command can read the database: no key is needed.
  const own = { ...config, access: { ...config.access, required: false } }
  const options = { adopts_batches: false, judges, estimates, keeps: use === 'look' }
  return local(await buildContext({ config: own, secrets, ...options }))
}

/** Opens the stores of the configured database for `work`, which gets the name of the database, too, without secrets. Refuses a database in memory, which ends with the command. */
export async function withStores<T>({ env }: Shell, use: DatabaseUse, work: StoreWork<T>): Promise<T> {
  const { config, secrets } = configurationOf(env)
  if (use !== 'make' || config.database === ':memory:') assertDatabase(config)
  const stores = await openStores(config, secrets, use === 'look')
  return work(stores, inert(config.postgres?.shown ?? config.database)).finally(() => stores.close())
}

export const DATABASE = option('--database <file>', 'the database file (default: VERIDICT_DATABASE)')
export type DatabaseOptions = Options & { readonly database?: string }

/** Finds the SQLite file of a command for operators. Throws a CliError where there is no file, and for a PostgreSQL without `--database`. */
export function existingDatabase({ env }: Shell, { database }: DatabaseOptions): string {
  if (database?.trim() === '') throw new CliError('--database names no file: give a path, or leave the option out')
  const { config } = configurationOf(database === undefined ? env : { VERIDICT_DATABASE: database })
  if (config.postgres !== null)
    throw new CliError('VERIDICT_DATABASE_URL is set, and this command is for an SQLite file alone', [
      'For PostgreSQL use its own tools: pg_dump, pg_restore and pg_amcheck (docs/postgres.md).',
      'To use a file in spite of that, name the file with --database.',
    ])
  assertDatabase({ ...config, database: resolve(config.database) })
  return config.database
}
