import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openLocal } from '../../src/cli/database.ts'
import { startFailureText } from '../../src/cli/shell.ts'
import { StorageError } from '../../src/db/errors.ts'
import { migratePostgres, readMigrations } from '../../src/db/open/migrate.ts'
import { connectPostgres } from '../../src/db/open/postgres.ts'
import { createFleet } from '../e2e/worker-process.ts'
import { serve } from '../local-server.ts'
import { runNode } from '../run-to-end.ts'
import { SETTINGS } from '../storage/postgres-settings.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { tempFolder } from '../temp-folder.ts'
import { trial, typed } from './test-shell.ts'

const POSTGRES = { VERIDICT_DATABASE_URL: 'postgres://u@db.example/x' }

test('asks whether the server runs only where the server may come back', () => {
  const away = new StorageError('storage_busy', 'the server is gone')
  expect(startFailureText(away, { env: POSTGRES })).toMatch(/gone\n {2}.*does the server run there/)
  const refused = new StorageError('storage_error', 'there is no such database')
  expect(startFailureText(refused, { env: POSTGRES })).toBe(
    'veridict: cannot start: there is no such database\n  docs/postgres.md says what it needs.\n',
  )
})

test.each([{}, { VERIDICT_DATABASE_URL: '' }])('names the file where there is no server', (env) => {
  expect(startFailureText(new StorageError('storage_error', 'damaged'), { env })).toContain('VERIDICT_DATABASE)')
})

/** It must end by itself within the time of the test, which is less than a server waits for a password. */
const veridict = (args: readonly string[], env: NodeJS.ProcessEnv) =>
  runNode(['src/cli.ts', ...args], { VERIDICT_PORT: '0', HOME: tempFolder(), ...env })

test('a service on SQLite warns that it cannot leave its batches to others, and of a variable that there is not', async () => {
  const database = { VERIDICT_DATABASE: join(tempFolder(), 'v.sqlite') }
  const env = { PATH: process.env['PATH'], VERIDICT_PORT: '0', VERIDICT_WRKER: 'off', ...database }
  const child = spawn(process.execPath, ['src/cli.ts', 'serve', '--no-worker'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let out = ''
  for await (const text of child.stdout) {
    out += String(text)
    if (out.includes('audit pages')) child.kill('SIGTERM')
  }
  expect(out).toContain('VERIDICT_WORKER=off (or --no-worker) has no meaning on SQLite')
  expect(out).toContain('VERIDICT_WRKER is no variable of Veridict, and is ignored: is VERIDICT_WORKER meant?')
}, 30_000)

describePostgres('a start on a PostgreSQL', (tools) => {
  // The first: later tests make the schema.
  test('a dry run makes no schema, and migrates none', async () => {
    const { server } = tools()
    const env = { VERIDICT_DATABASE_URL: server.url }
    const dryRun = async (wanted: readonly [code: number, words: string]) => {
      const end = await typed({ env, openLocal, trials: () => [trial('a')] }, 'batch', 'a', '--dry-run')
      expect([end.code, end.out + end.err]).toEqual([wanted[0], expect.stringContaining(wanted[1])])
    }
    const schemas = () => server.query("SELECT nspname FROM pg_namespace WHERE starts_with(nspname::text, 'veridict')")
    const applied = () => server.query('SELECT name FROM veridict.schema_migrations ORDER BY name')
    await dryRun([1, 'the database holds no tables of Veridict: make them by `veridict status`'])
    expect(await schemas()).toEqual([])
    const db = connectPostgres(server.url, SETTINGS, 'veridict')
    await migratePostgres(db, 'veridict', readMigrations('postgres').slice(0, 2))
    await db.close()
    await dryRun([1, 'of an older version: back it up, then migrate it by `veridict status`'])
    expect(await applied()).toHaveLength(2)
    await (await openLocal(env)).close()
    const all = await applied()
    await dryRun([0, '1 item'])
    expect([await applied(), await schemas()]).toEqual([all, [{ nspname: 'veridict' }, { nspname: 'veridict_jobs' }]])
  }, 60_000)

  const at = (change: Partial<Pick<URL, 'password' | 'pathname'>>) => ({
    VERIDICT_DATABASE_URL: Object.assign(new URL(tools().server.url), change).href,
  })

  describe.each([['serve'], ['worker'], ['status']])('by veridict %s', (command) => {
    test.each([
      [
        { password: '' },
        'the database server asks for a password, and VERIDICT_DATABASE_URL holds none (nor PGPASSWORD)',
      ],
      [{ password: 'hunter2' }, 'the database server refuses this user or password (28P01)'],
      [{ pathname: '/none' }, 'there is no such database on the server'],
    ])(
      'with %j ends at once and says so',
      async (change, words) => {
        const { code, err } = await veridict([command], at(change))
        expect(code).toBe(1)
        expect(err).toContain(`${words}\n`)
        expect(err).not.toMatch(/hunter2|run there|--server|^ {4}at /m)
      },
      30_000,
    )
  })

  test('by a worker on a port that is taken names the variable of the worker', async () => {
    const { port } = new URL(await serve())
    const { code, err } = await veridict(['worker'], { ...at({}), VERIDICT_WORKER_PORT: port })
    const told = `veridict: cannot start: listen EADDRINUSE: address already in use 127.0.0.1:${port}\n`
    expect([code, err]).toEqual([1, expect.stringContaining(told)])
    expect(err).toContain('Set another VERIDICT_WORKER_PORT or VERIDICT_HOST')
  }, 30_000)

  test('a worker answers a supervisor on the port that it was given', async () => {
    const worker = await createFleet(tools().server.url, {}).worker({ VERIDICT_WORKER_PORT: '0' })
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(worker.output.join(''))?.[0]
    const ask = async (path: string) => {
      const response = await fetch(`${origin}${path}`)
      return [response.status, await response.text()] as const
    }
    expect(await ask('/healthz')).toEqual([200, '{"status":"ok"}'])
    expect(await ask('/readyz')).toEqual([200, '{"status":"ready"}'])
    const [status, text] = await ask('/metrics')
    expect(status).toBe(200)
    expect(text).toContain('veridict_judge_attempts_total')
    expect((await ask('/v1/batches'))[0]).toBe(404)
    expect(await worker.stop()).toBe(0)
    expect(worker.output.join('')).toContain('"msg":"stopped"')
  }, 60_000)
})

test('an argument of the server is refused with the variable to use', async () => {
  const { code, err } = await runNode(['src/server.ts', '--port'])
  expect([code, err]).toEqual([
    1,
    'veridict: unexpected argument "--port": settings are variables, such as VERIDICT_PORT (docs/configuration.md)\n',
  ])
})

test('on SQLite there is no worker, and it says what to do', async () => {
  const { code, err } = await veridict(['worker'], {})
  expect(code).toBe(1)
  expect(err).toContain('set VERIDICT_DATABASE_URL')
  expect(err).toContain('works on its batches itself')
})

test('its help says how to start one', async () => {
  const { code, out } = await veridict(['worker', '--help'], {})
  expect(code).toBe(0)
  for (const word of ['VERIDICT_DATABASE_URL', 'VERIDICT_WORKER_PORT', 'SIGTERM', 'most_in_flight', 'Examples'])
    expect(out).toContain(word)
  expect((await veridict(['serve', '--help'], {})).out).toContain('--no-worker')
})
