import { afterAll, beforeAll, describe } from 'vitest'
import { openPostgresStores, type Stores } from '../../src/db/stores.ts'
import { NATIVE, type PostgresServer, SKIPPED, startPostgres } from './postgres-server.ts'
import { SETTINGS } from './postgres-settings.ts'

export interface PostgresTools {
  readonly server: PostgresServer
  /** A name that no other test has. */
  newSchema(): string
  /** Stores of a schema; of a new one where none is named. */
  open(schema?: string, given?: Partial<Parameters<typeof openPostgresStores>[0]>): Promise<Stores>
}

let made = 0

/** Tests on a server of their own; where there are no binaries for it they are skipped, and it is said why. */
export function describePostgres(name: string, define: (tools: () => PostgresTools) => void): void {
  if (NATIVE === null) process.stderr.write(`skipped: ${name}: ${SKIPPED}\n`)
  describe.skipIf(NATIVE === null)(name, () => {
    let server: PostgresServer
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server?.remove())
    const newSchema = () => {
      made += 1
      return `test-${made}`
    }
    define(() => ({
      server,
      newSchema,
      open: (schema = newSchema(), given = {}) =>
        openPostgresStores({ url: server.url, schema, ...SETTINGS, ...given }),
    }))
  })
}
