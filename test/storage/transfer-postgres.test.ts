import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { generateStore } from './generated-store.ts'
import { newDatabase } from './new-database.ts'
import { describePostgres } from './postgres-tools.ts'
import { tempDatabase } from './temp-folder.ts'
import { fileOf, recordsOf, transfer } from './transfer-tools.ts'

const at = (database: string): NodeJS.ProcessEnv => ({ VERIDICT_DATABASE: database })

async function makeStore(grades: number): Promise<string> {
  const path = tempDatabase()
  mkdirSync(dirname(path))
  await generateStore(path, { grades })
  return path
}

/** Imports lines in a process of its own, which is killed once so many grades are stored. */
async function importKilled(
  env: NodeJS.ProcessEnv,
  lines: readonly string[],
  count: () => Promise<number>,
  most: number,
) {
  const all = { ...process.env, VERIDICT_CONFIG: '', ...env }
  const child = spawn(process.execPath, ['src/cli.ts', 'import', '-'], { env: all, stdio: ['pipe', 'ignore', 'pipe'] })
  child.stdin.on('error', () => undefined)
  // The end of the input is held back: the import cannot end before the kill.
  child.stdin.write(`${lines.slice(0, -1).join('\n')}\n`)
  const closed = once(child, 'close')
  while ((await count().catch(() => 0)) < most) await delay(10)
  child.kill('SIGKILL')
  await closed
  return child.signalCode
}

describePostgres('an export of SQLite', (tools) => {
  test('moves into a PostgreSQL and back with equal grades, calls, reviews and trajectories', async () => {
    const from = await makeStore(400)
    const records = await recordsOf(at(from))
    const postgres = { VERIDICT_DATABASE_URL: await newDatabase(tools().server) }
    const file = join(dirname(from), 'there.ndjson')
    expect((await transfer(at(from), 'export', '--out', file)).code).toBe(0)
    const { code, err } = await transfer(postgres, 'import', file)
    expect([code, err]).toEqual([0, expect.stringContaining('0 records stored already, 0 refused')])
    expect(await recordsOf(postgres)).toEqual(records)
    expect((await transfer(postgres, 'import', file)).err).toContain(
      `${records.length - 1} records stored already, 0 refused`,
    )
    const back = join(dirname(from), 'back.ndjson')
    expect((await transfer(postgres, 'export', '--out', back)).code).toBe(0)
    const other = at(join(dirname(from), 'back.sqlite'))
    expect((await transfer(other, 'import', back)).code).toBe(0)
    expect(await recordsOf(other)).toEqual(records)
  }, 120_000)

  test('is resumed after a kill in its middle', async () => {
    const from = await makeStore(400)
    const { out } = await transfer(at(from), 'export')
    const lines = out.trimEnd().split('\n')
    const { server } = tools()
    const url = await newDatabase(server)
    const sqlite = join(dirname(from), 'killed.sqlite')
    const counts = {
      postgres: async () => {
        const stores = await tools().open('veridict', { url })
        return (await stores.grades.list({ limit: 1000 })).length + Number(await stores.close().then(() => 0))
      },
      sqlite: async () => {
        const stores = openSqliteStores({ path: sqlite })
        return (await stores.grades.list({ limit: 1000 })).length + Number(await stores.close().then(() => 0))
      },
    }
    const file = fileOf(from, 'store.ndjson', lines)
    for (const [env, count] of [
      [{ VERIDICT_DATABASE_URL: url }, counts.postgres],
      [at(sqlite), counts.sqlite],
    ] as const) {
      expect(await importKilled(env, lines, count, 50)).toBe('SIGKILL')
      const { code, err } = await transfer(env, 'import', file)
      expect(code, err).toBe(0)
      expect(err).toContain('0 refused')
      expect(Number(/; (\d+) records? stored already/.exec(err)?.[1])).toBeGreaterThan(50)
      expect(await recordsOf(env)).toEqual(lines.slice(1).sort())
    }
  }, 120_000)

  test('carries the store of an old release over', async () => {
    const kept = tempDatabase()
    mkdirSync(dirname(kept))
    writeFileSync(kept, gunzipSync(readFileSync('test/storage/kept-store/store.sqlite.gz')))
    expect((await transfer(at(kept), 'export')).err).toContain('is of an older version')
    await openSqliteStores({ path: kept }).close()
    const postgres = { VERIDICT_DATABASE_URL: await newDatabase(tools().server) }
    const file = join(dirname(kept), 'kept.ndjson')
    expect((await transfer(at(kept), 'export', '--out', file)).code).toBe(0)
    const { code, err } = await transfer(postgres, 'import', file)
    expect([code, err]).toEqual([0, expect.stringContaining('0 records stored already, 0 refused')])
    expect(await recordsOf(postgres)).toEqual(await recordsOf(at(kept)))
  }, 60_000)
})
