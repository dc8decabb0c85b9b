import pg from 'pg'
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

let databases = 0

/** Makes a database of its own on the server of a test. Answers its URL. */
export async function newDatabase({ url, query }: Pick<PostgresServer, 'url' | 'query'>): Promise<string> {
  databases += 1
  const name = `made_${databases}`
  await query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return own.href
}

/** Answers the rows of the last of some statements in a database of `newDatabase`. */
export async function askDatabase(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const result: pg.QueryResult | pg.QueryResult[] = await client.query(text)
    return (Array.isArray(result) ? result.at(-1) : result)?.rows ?? []
  } finally {
    await client.end()
  }
}
