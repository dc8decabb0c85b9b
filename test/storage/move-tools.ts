import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { MoveOptions, MoveReport } from '../../src/grading/move-ports.ts'
import { moveStore } from '../../src/storage/move/move-store.ts'
import { openUnit } from '../../src/storage/postgres/unit.ts'
import type { PostgresServer } from './postgres-server.ts'
import { SETTINGS } from './postgres-settings.ts'

let made = 0

/** Answers no row where nothing was begun. */
export const NO_SCHEMA = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'veridict%'"

/** A database of its own on the server of a test: a move fills schemas of fixed names. Answers its URL. */
export async function newDatabase({ url, query }: Pick<PostgresServer, 'url' | 'query'>): Promise<string> {
  made += 1
  const name = `moved_${made}`
  await query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8'`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return own.href
}

/** Rows of a statement in one of the moved schemas. */
export async function ask(url: string, text: string, schema = 'veridict'): Promise<Record<string, unknown>[]> {
  const unit = openUnit(url, schema, SETTINGS)
  try {
    return await unit.write((sql) => sql.say(text))
  } finally {
    await unit.close()
  }
}

/** A path for a store in a new folder, which goes with the test. */
export function tempStore(): string {
  const folder = mkdtempSync(join(tmpdir(), 'veridict-move-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'veridict.sqlite')
}

export const move = (from: string, url: string, given: Partial<MoveOptions> = {}): Promise<MoveReport> =>
  moveStore({
    ...{ from, to: { url, settings: SETTINGS }, mode: 'move', now: () => new Date() },
    ...{ signal: new AbortController().signal, onProgress: () => undefined, chunk_bytes: 32 * 1024 },
    ...given,
  })

/** Tables of which the two sides are not equal, as `project.table`. */
export const differences = ({ projects }: MoveReport): string[] =>
  projects.flatMap(({ project, tables }) =>
    tables
      .filter((one) => one.rows !== one.target_rows || one.digest !== one.target_digest)
      .map(({ table }) => `${project}.${table}`),
  )
