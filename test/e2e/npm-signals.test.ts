import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import { openSqliteStores } from '../../src/db/stores.ts'
import { REQUEST } from '../grading/harness.ts'
import { postJson } from '../local-server.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { tempFolder } from './service-process.ts'

/** What a supervisor starts is npm: the signal that it sends to npm must reach the service. */
function npm(args: readonly string[], env: NodeJS.ProcessEnv) {
  // A group of its own, as a terminal gives one to each command.
  const child = spawn('npm', args, {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  onTestFinished(() => void endGroup(child))
  const heard: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => heard.push(text.toString()))
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  return { child, exited, said: () => heard.join('') }
}

/** Also what npm left behind. */
function endGroup({ pid }: ChildProcess): boolean {
  try {
    return pid !== undefined && process.kill(-pid, 'SIGKILL')
  } catch {
    return false
  }
}

async function startService(env: NodeJS.ProcessEnv = {}) {
  const provider = await startMockProvider(['hang'])
  const database = join(tempFolder(), 'v.sqlite')
  const service = npm(['start'], {
    VERIDICT_PORT: '0',
    VERIDICT_DATABASE: database,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: `${provider.origin}/v1`,
    ...env,
  })
  const origin = () => /http:\/\/127\.0\.0\.1:\d+/.exec(service.said())?.[0] ?? ''
  await expect.poll(origin, { timeout: 60_000, interval: 20 }).not.toBe('')
  return { ...service, provider, database, origin: origin() }
}

/** A clean stop writes the log back and removes it; a killed process leaves the log. */
const isClosed = (database: string): boolean => !existsSync(`${database}-wal`)

test('SIGTERM to the npm of `npm start` stops the service cleanly, also one that says how its first key is made', async () => {
  const { child, exited, said, database, origin } = await startService({ VERIDICT_ACCESS: 'on' })
  process.kill(child.pid ?? 0, 'SIGTERM')
  expect(await exited).toBe(0)
  for (const words of ['needs a key here', 'veridict keys create NAME', 'stopping: waiting for what is in flight'])
    expect(said()).toContain(words)
  expect(isClosed(database)).toBe(true)
  await expect(fetch(`${origin}/healthz`)).rejects.toThrow()
})

test('a Ctrl-C that reaches npm and the service counts once; the next one ends at once', async () => {
  const { child, exited, said, provider, origin } = await startService()
  const sent = postJson(`${origin}/v1/grades`, { ...REQUEST, judge: 'openai' }).catch(() => 'broken off')
  await expect.poll(() => provider.requests.length, { timeout: 60_000 }).toBe(1)
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await expect.poll(said, { timeout: 60_000 }).toContain('stopping: waiting')
  // npm has given its own on by then, and the service still waits for the call.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(child.exitCode).toBeNull()
  process.kill(child.pid ?? 0, 'SIGINT')
  expect(await exited).toBe(1)
  expect(await sent).toBe('broken off')
})

test('a backup that is interrupted through `npm run` leaves nothing', async () => {
  const folder = tempFolder()
  const path = join(folder, 'v.sqlite')
  await openSqliteStores({ path }).close()
  const db = new Database(path)
  const insert = db.prepare('INSERT INTO settings VALUES (?, zeroblob(4000000))')
  for (let n = 0; n < 80; n++) insert.run(`row ${n}`)
  db.close()
  const before = readdirSync(folder)
  const run = npm(['run', '--silent', 'veridict', '--', 'backup', join(folder, 'copy.sqlite')], {
    VERIDICT_DATABASE: path,
  })
  await expect
    .poll(() => readdirSync(folder).some((name) => name.includes('.partial-')), { timeout: 60_000, interval: 2 })
    .toBe(true)
  process.kill(run.child.pid ?? 0, 'SIGTERM')
  expect(await run.exited).toBe(130)
  expect(readdirSync(folder).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(before)
})
