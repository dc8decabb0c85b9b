import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { generateStore } from './generated-store.ts'
import { askDatabase, describePostgres, newDatabase } from './postgres-tools.ts'
import { tempDatabase } from './temp-folder.ts'
import { fileOf, recordsOf, transfer } from './transfer-tools.ts'

const at = (database: string): NodeJS.ProcessEnv => ({ VERIDICT_DATABASE: database })

async function makeStore(grades: number): Promise<string> {
  const path = tempDatabase()
  mkdirSync(dirname(path))
  await generateStore(path, { grades })
  return path
}

describePostgres('an export of SQLite', (tools) => {
  test('moves into a PostgreSQL and back with equal grades, calls, reviews and trajectories', async () => {
    const from = await makeStore(400)
    const records = await recordsOf(at(from))
    const postgres = { VERIDICT_DATABASE_URL: await newDatabase(tools().server) }
    const file = join(dirname(from), 'there.ndjson')
    expect((await transfer(at(from), 'export', '--out', file)).code).toBe(0)
    const { code, err } = await transfer(postgres, 'import', file)
    expect([code, err]).toEqual([0, expect.stringContaining('0 records stored already')])
    expect(await recordsOf(postgres)).toEqual(records)
    expect((await transfer(postgres, 'import', file)).err).toContain(`${records.length - 1} records stored already`)
    const back = join(dirname(from), 'back.ndjson')
    expect((await transfer(postgres, 'export', '--out', back)).code).toBe(0)
    const other = at(join(dirname(from), 'back.sqlite'))
    expect((await transfer(other, 'import', back)).code).toBe(0)
    expect(await recordsOf(other)).toEqual(records)
  }, 120_000)

  test('of PostgreSQL needs the right to read alone, and no migration; the role cannot import', async () => {
    const from = await makeStore(20)
    const url = await newDatabase(tools().server)
    const reader = url.replace(/\/\/.*@/, '//reader:r@')
    await askDatabase(url, "CREATE ROLE reader LOGIN PASSWORD 'r'")
    const empty = await transfer({ VERIDICT_DATABASE_URL: reader }, 'export')
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('holds no tables of Veridict')])
    await transfer(
      { VERIDICT_DATABASE_URL: url },
      'import',
      fileOf(from, 'all.ndjson', (await transfer(at(from), 'export')).out.trimEnd().split('\n')),
    )
    await askDatabase(
      url,
      'GRANT USAGE ON SCHEMA veridict TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA veridict TO reader',
    )
    expect(await recordsOf({ VERIDICT_DATABASE_URL: reader })).toEqual(await recordsOf(at(from)))
    const refused = await transfer({ VERIDICT_DATABASE_URL: reader }, 'import', join(dirname(from), 'all.ndjson'))
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringContaining('the user of the database may not do this'),
    ])
  })

  test('is resumed after a kill in its middle', async () => {
    const from = await makeStore(400)
    const { out } = await transfer(at(from), 'export')
    const lines = out.trimEnd().split('\n')
    const file = fileOf(from, 'store.ndjson', lines)
    const { server, open } = tools()
    const url = await newDatabase(server)
    await open('veridict', { url }).then((stores) => stores.close())
    const blocker = new pg.Client({ connectionString: url })
    await blocker.connect()
    onTestFinished(() => blocker.end())
    // The import waits for the transaction that has this id.
    const { id } = JSON.parse(lines[150] as string) as { id: string }
    await blocker.query(
      `BEGIN; INSERT INTO veridict.trajectories (id, format, document, created_at) VALUES ('${id}', '', '', '')`,
    )
    const env = { ...process.env, VERIDICT_CONFIG: '', VERIDICT_DATABASE_URL: url }
    const child = spawn(process.execPath, ['src/cli.ts', 'import', file], { env, stdio: 'ignore' })
    const closed = once(child, 'close')
    const waiting = "SELECT 1 FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
    while (child.exitCode === null && (await server.query(waiting)).length === 0) await delay(10)
    child.kill('SIGKILL')
    expect(await closed).toEqual([null, 'SIGKILL'])
    await blocker.query('ROLLBACK')
    const { code, err } = await transfer({ VERIDICT_DATABASE_URL: url }, 'import', file)
    expect([code, err]).toEqual([0, expect.stringContaining('; 128 records stored already')])
    expect(await recordsOf({ VERIDICT_DATABASE_URL: url })).toEqual(lines.slice(1).sort())
  }, 120_000)
})
