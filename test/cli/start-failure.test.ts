import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startFailureText } from '../../src/cli/errors.ts'
import { StorageError } from '../../src/db/errors.ts'
import { serve } from '../local-server.ts'
import { runNode } from '../run-to-end.ts'
import { describePostgres } from '../storage/postgres-tools.ts'
import { tempFolder } from '../temp-folder.ts'

const POSTGRES = { VERIDICT_DATABASE_URL: 'postgres://u@db.example/x' }

test('asks whether the server runs only where nothing answered, and names it', () => {
  const away = new StorageError('storage_busy', 'the server is gone', { server: 'db.example:5432', away: true })
  expect(startFailureText(away, { env: POSTGRES })).toMatch(
    /gone \(db\.example:5432\)\n {2}.*does the server run there/,
  )
  const refused = new StorageError('storage_error', 'there is no such database', { server: 'db.example:5432' })
  expect(startFailureText(refused, { env: POSTGRES })).toBe(
    'veridict: cannot start: there is no such database (db.example:5432)\n  docs/postgres.md says what it needs.\n',
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
        expect(err).toContain(`${words} (127.0.0.1:${tools().server.port})\n`)
        expect(err).not.toMatch(/hunter2|run there|--server|^ {4}at /m)
      },
      30_000,
    )
  })

  test('by a worker on a port that is taken names the variable of the worker', async () => {
    const { port } = new URL(await serve())
    const { code, err } = await veridict(['worker'], { ...at({}), VERIDICT_WORKER_PORT: port })
    expect([code, err]).toEqual([
      1,
      `veridict: cannot start: 127.0.0.1:${port} is taken: set VERIDICT_WORKER_PORT, or stop what listens there\n`,
    ])
  }, 30_000)
})

test.each([
  ['server', 'VERIDICT_PORT'],
  ['worker', 'VERIDICT_WORKER_PORT'],
])('an argument of the %s is refused with the variable to use', async (entry, variable) => {
  const { code, err } = await runNode([`src/${entry}.ts`, '--port'])
  expect([code, err]).toEqual([
    1,
    `veridict: unexpected argument "--port": settings are variables, such as ${variable} (docs/configuration.md)\n`,
  ])
})
