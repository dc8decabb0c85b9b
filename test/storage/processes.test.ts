import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { NO_CAPS } from '../../src/ports/ledger-ports.ts'
import type { Stores } from '../../src/ports/ports.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { createStores, openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { readSpent } from './contract-spending.ts'
import { finishOk, planAttempt } from './make-attempt.ts'
import { openBatch, readBatch } from './make-batch.ts'
import { tempDatabase } from './temp-folder.ts'

const HOLDER = fileURLToPath(new URL('process-holder.ts', import.meta.url))

function open(path: string): { db: Database.Database; stores: Stores } {
  const db = openDatabase(path)
  const stores = createStores(db)
  onTestFinished(() => stores.close())
  return { db, stores }
}

/** A real process that holds a draft, a batch and a call. */
async function startHolder(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('the holder has no output')
  await once(child.stdout, 'data')
  return child
}

const batchIds = (db: Database.Database) => db.prepare('SELECT id FROM batches ORDER BY id').pluck().all()
const processCount = (db: Database.Database) => db.prepare('SELECT count(*) FROM processes').pluck().get()

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'what a process holds is taken over when it is gone (%s), and not before',
  async (signal) => {
    const path = tempDatabase()
    const child = await startHolder(path)
    const { db, stores } = open(path)
    expect(await stores.batches.listUnclaimed()).toEqual([])
    expect(await stores.batches.claim('bat_held')).toBe(false)
    expect(await stores.batches.discardAbandoned()).toBe(0)
    expect(await stores.attempts.markInterrupted()).toBe(0)
    await stores.batches.release('bat_held')
    expect(await stores.batches.listUnclaimed()).toEqual([])
    expect(processCount(db)).toBe(2)

    const closed = once(child, 'close')
    child.kill(signal)
    await closed
    expect(await stores.batches.listUnclaimed()).toEqual(['bat_held'])
    expect(await stores.attempts.markInterrupted()).toBe(1)
    expect(await stores.attempts.markInterrupted()).toBe(0)
    expect(await readBatch(stores, 'bat_held')).toMatchObject({ calls: { made: 1, unknown: 1 }, cost_usd: 0 })
    expect(await readSpent(stores, { batch: 'bat_held' })).toBe(2)
    expect(await stores.batches.discardAbandoned()).toBe(1)
    expect(batchIds(db)).toEqual(['bat_held'])
    expect(await stores.batches.claim('bat_held')).toBe(true)
    expect(await stores.batches.listUnclaimed()).toEqual([])
  },
)

describe('who lives', () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const here = hostname()
  const ROWS: readonly [string, { host: string; pid: number; seen_at: string } | null, boolean][] = [
    ['a process of another machine that was seen', { host: 'elsewhere', pid: process.pid, seen_at: ago(50_000) }, true],
    ['a process of another machine that fell silent', { host: 'elsewhere', pid: 1, seen_at: ago(61_000) }, false],
    ['a process of this machine', { host: here, pid: process.ppid, seen_at: ago(0) }, true],
    ['the first process, which may belong to another user', { host: here, pid: 1, seen_at: ago(0) }, true],
    ['a process of this machine that fell silent', { host: here, pid: process.ppid, seen_at: ago(61_000) }, false],
    ['our own number under another id', { host: here, pid: process.pid, seen_at: ago(0) }, false],
    ['a number that no process has', { host: here, pid: 2 ** 31 - 1, seen_at: ago(0) }, false],
    ['a number that is none', { host: here, pid: 0, seen_at: ago(0) }, false],
    ['a date that is none', { host: 'elsewhere', pid: 7, seen_at: 'yesterday' }, false],
    ['a process that nobody knows', null, false],
  ]
  test.each(ROWS)('%s', async (_name, row, lives) => {
    const { db, stores } = open(':memory:')
    await openBatch(stores, 'bat_1', 0)
    await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
    if (row !== null) db.prepare("INSERT INTO processes VALUES ('prc_other', @host, @pid, @seen_at)").run(row)
    db.exec("UPDATE batches SET process = 'prc_other'; UPDATE attempts SET process = 'prc_other'")
    expect(await stores.batches.listUnclaimed()).toEqual(lives ? [] : ['bat_1'])
    expect(await stores.attempts.markInterrupted()).toBe(lives ? 0 : 1)
    expect(await stores.batches.claim('bat_1')).toBe(!lives)
  })

  test('a process that we may not signal', async () => {
    const { db, stores } = open(':memory:')
    await openBatch(stores, 'bat_1', 0)
    db.prepare("INSERT INTO processes VALUES ('prc_other', ?, 1, ?)").run(here, ago(0))
    db.exec("UPDATE batches SET process = 'prc_other'")
    // As root, which may signal everybody, the system would never say so.
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    })
    expect(await stores.batches.claim('bat_1')).toBe(false)
    expect(kill).toHaveBeenCalledWith(1, 0)
    kill.mockRestore()
  })

  test('calls of a database that knew no processes are those of the dead', async () => {
    const { db, stores } = open(':memory:')
    await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
    db.exec('UPDATE attempts SET process = NULL')
    expect(await stores.attempts.markInterrupted()).toBe(1)
  })
})

describe('the register', () => {
  test('a beat says that the process lives, also after another took it for dead', async () => {
    const { db, stores } = open(':memory:')
    const seen = () => db.prepare('SELECT seen_at FROM processes').pluck().get() as string | undefined
    db.exec("UPDATE processes SET seen_at = '2026-01-01T00:00:00.000Z'")
    await stores.processes.beat()
    expect(Date.now() - Date.parse(seen() ?? '')).toBeLessThan(5000)
    db.exec('DELETE FROM processes')
    await stores.processes.beat()
    expect(processCount(db)).toBe(1)
  })

  test('the dead are cleared away by whoever comes next; who closes leaves nothing', async () => {
    const path = tempDatabase()
    const first = open(path)
    first.db.exec("INSERT INTO processes VALUES ('prc_other', 'elsewhere', 1, '2026-01-01T00:00:00.000Z')")
    const second = open(path)
    expect(processCount(second.db)).toBe(1)
    await first.stores.close()
    await second.stores.close()
    const db = openDatabase(path)
    expect(processCount(db)).toBe(0)
    db.close()
  })
})

test('a call that was taken for lost and ends after all is counted by its end', async () => {
  const path = tempDatabase()
  const first = openSqliteStores({ path })
  await openBatch(first, 'bat_1', 0)
  const plan = { batch: 'bat_1', reserved_usd: 2 }
  for (const id of ['att_1', 'att_2']) await first.attempts.begin(planAttempt(id, plan), NO_CAPS)
  // The same pid under another id: to the second, the first is dead.
  const { stores: second } = open(path)
  expect(await second.attempts.markInterrupted()).toBe(2)
  expect((await second.attempts.listForGrade('grd_a')).map((entry) => entry.outcome)).toEqual(['unknown', 'unknown'])
  expect((await readBatch(second, 'bat_1')).calls).toEqual({ made: 2, unknown: 2 })
  await first.attempts.finish({ ...finishOk('att_1'), cost_usd: 0.5 })
  expect(await readBatch(second, 'bat_1')).toMatchObject({ calls: { made: 2, unknown: 1 }, cost_usd: 0.5 })
  expect(await readSpent(second, { batch: 'bat_1' })).toBe(2.5)
  expect(await readSpent(second, { day: '2026-11-21' })).toBe(2.5)
  expect((await second.attempts.listForGrade('grd_a'))[0]).toMatchObject({ outcome: 'ok', message: null })
  await first.close()
})
