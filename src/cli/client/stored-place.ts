import { existsSync } from 'node:fs'
import type { Store } from '../../boot/open-store.ts'
import type { Config } from '../../config/config.ts'
import { CliError } from './cli-error.ts'

/** Throws for a missing file: an empty database under a mistyped name would look like an empty store. */
export function assertDatabase({ database, postgres }: Pick<Config, 'database' | 'postgres'>): void {
  if (postgres !== null || database === ':memory:' || existsSync(database)) return
  throw new CliError(`there is no database ${database}`, [
    'VERIDICT_DATABASE names the one of your service; `veridict grade` and `veridict batch` make one.',
  ])
}

/** Throws where opening the database would make or migrate it: a dry run changes nothing. */
export async function assertMigrated(store: Pick<Store, 'shown' | 'isMigrated'>): Promise<void> {
  if (await store.isMigrated()) return
  throw new CliError(`${store.shown} is not of this version, and a dry run does not migrate it`, [
    'Back it up, then migrate it: `veridict status` does, and so does a start of the service.',
  ])
}
