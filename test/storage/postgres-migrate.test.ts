import { execFile } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { migratePostgres as migrate, readMigrations } from '../../src/db/open/migrate.ts'
import { connectPostgres } from '../../src/db/open/postgres.ts'
import { openPostgresStores } from '../../src/db/stores.ts'
import { SETTINGS } from './postgres-settings.ts'
import { askDatabase, describePostgres, newDatabase } from './postgres-tools.ts'

const OPENER = fileURLToPath(new URL('postgres-opener.ts', import.meta.url))

describePostgres('migrations of PostgreSQL', (tools) => {
  test('ten processes may start at once on nothing', async () => {
    const { server, newSchema } = tools()
    const schema = newSchema()
    const run = promisify(execFile)
    const ends = await Promise.all(
      Array.from({ length: 10 }, () => run(process.execPath, [OPENER, server.url, schema], { encoding: 'utf8' })),
    )
    expect(new Set(ends.map(({ stdout }) => stdout)).size).toBe(1)
    expect(ends.map(({ stderr }) => stderr).join('')).toBe('')
    const applied = await server.query(`SELECT name FROM "${schema}".schema_migrations ORDER BY name`)
    expect(applied.map(({ name }) => name)).toEqual(readMigrations('postgres').map(({ name }) => name))
  })

  test('who comes while another migrates waits longer than any statement may take', async () => {
    const { server, newSchema, open } = tools()
    const schema = newSchema()
    const slow = connectPostgres(server.url, { ...SETTINGS, statement_timeout_ms: 0 }, schema)
    const first = migrate(slow, schema, [{ name: '0001_slow.sql', sql: 'SELECT pg_sleep(1)' }])
    await delay(200)
    // It has its turn, and finds what it does not know.
    const second = expect(open(schema, { statement_timeout_ms: 100 })).rejects.toThrow(/unknown migration 0001_slow/)
    await first
    await second
    await slow.close()
  })

  test.each([-60_000, 60_000])('a clock that differs from that of the server by %d ms stops the start', async (ms) => {
    const { newSchema, open } = tools()
    const schema = newSchema()
    vi.useFakeTimers({ now: Date.now() + ms, toFake: ['Date'], shouldAdvanceTime: false })
    onTestFinished(() => void vi.useRealTimers())
    await expect(open(schema)).rejects.toThrow(/clock of this machine and that of the database server differ by \d+ s/)
  })

  test('a schema that an older process uses is not changed under it', async () => {
    const { server, newSchema } = tools()
    const schema = newSchema()
    const unit = connectPostgres(server.url, SETTINGS, schema)
    const all = readMigrations('postgres')
    await migrate(unit, schema, all.slice(0, 1))
    await server.query(`INSERT INTO "${schema}".processes (id, host, pid, seen_at) VALUES ('old', 'there', 7, now())`)
    await expect(migrate(unit, schema, all)).rejects.toThrow(/stop the service and its commands first/)
    await migrate(unit, schema, all.slice(0, 1))
    await server.query(`DELETE FROM "${schema}".processes`)
    await migrate(unit, schema, all)
    expect(await server.query(`SELECT count(*)::integer AS n FROM "${schema}".schema_migrations`)).toEqual([
      { n: all.length },
    ])
    await unit.close()
  })

  const FILES = [
    { name: '0001_one.sql', sql: 'CREATE TABLE one (x integer)' },
    { name: '0003_three.sql', sql: 'CREATE TABLE three (x integer); INSERT INTO three VALUES (1)' },
  ]
  test('a migration that fails leaves nothing, not even the schema; a good one is applied once', async () => {
    const { server, newSchema } = tools()
    const schema = newSchema()
    const unit = connectPostgres(server.url, SETTINGS, schema)
    const broken = [...FILES, { name: '0004_four.sql', sql: 'CREATE TABLE four (x integer); SELECT nothing' }]
    await expect(migrate(unit, schema, broken)).rejects.toMatchObject({ code: 'storage_error' })
    expect(await server.query('SELECT 1 FROM pg_namespace WHERE nspname = $1', [schema])).toEqual([])
    for (const _time of [1, 2]) await migrate(unit, schema, FILES)
    expect(await server.query(`SELECT x FROM "${schema}".three`)).toEqual([{ x: 1 }])
    await unit.close()
  })

  test('who may only use the schema that was made for him needs no other right', async () => {
    const { server, newSchema } = tools()
    const schema = newSchema()
    await server.query(`
      CREATE ROLE tenant LOGIN PASSWORD 'tenant'; CREATE SCHEMA "${schema}" AUTHORIZATION tenant;
      REVOKE CREATE ON DATABASE postgres FROM PUBLIC`)
    const url = server.url.replace(/veridict:[^@]+@/, 'tenant:tenant@')
    const stores = await tools().open(schema, { url })
    await stores.settings.check()
    await stores.close()
    await expect(tools().open(undefined, { url })).rejects.toMatchObject({ code: 'storage_error', message: /may not/ })
  })

  const REFUSED: readonly string[] = [
    'CREATE SCHEMA veridict_evals; CREATE TABLE veridict_evals.schema_migrations ()',
    `INSERT INTO veridict.api_keys (id, secret_sha256, name, project, scopes, created_at)
     VALUES ('key_1', decode(repeat('00', 32), 'hex'), 'n', 'evals', '[]', '')`,
    `INSERT INTO veridict.trajectories (id, format, document, created_at, outside_bytes)
     VALUES ('t', 'steps', '\\xfe', '', 9)`,
  ]
  test.each(REFUSED)('a database of an earlier version that this version cannot read is refused: %s', async (text) => {
    const url = await newDatabase(tools().server)
    const run = (statements: string) => askDatabase(url, statements)
    const unit = connectPostgres(url, SETTINGS, 'veridict')
    await migrate(unit, 'veridict', readMigrations('postgres').slice(0, 11))
    await unit.close()
    await run('CREATE SCHEMA veridict_foreign; CREATE SCHEMA "veridict_No Name"')
    await run(text)
    await expect(openPostgresStores({ url, ...SETTINGS })).rejects.toThrow(
      /^the database has bodies in an S3 store, or several projects, which this version cannot read\. Check out commit [0-9a-f]{40}/,
    )
    await run(
      'DROP SCHEMA IF EXISTS veridict_evals CASCADE; DELETE FROM veridict.api_keys; DELETE FROM veridict.trajectories',
    )
    await (await openPostgresStores({ url, ...SETTINGS })).close()
  })
})
