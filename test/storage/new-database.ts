import pg from 'pg'
import type { PostgresServer } from './postgres-server.ts'

let made = 0

/** Makes a database of its own on the server of a test. Answers its URL. */
export async function newDatabase({ url, query }: Pick<PostgresServer, 'url' | 'query'>): Promise<string> {
  made += 1
  const name = `made_${made}`
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
