import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, statSync, symlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isRun } from '../../src/db/run-lock.ts'
import { NO_CAPS } from '../../src/db/spending.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempFolder } from '../temp-folder.ts'
import { readSpent } from './contract-spending.ts'
import { finishOk, planAttempt } from './make-attempt.ts'
import { makeBatch, openBatch, readBatch } from './make-batch.ts'
import { openSqlite } from './open-sqlite.ts'
import { tempDatabase } from './temp-folder.ts'

const HOLDER = fileURLToPath(new URL('process-holder.ts', import.meta.url))

/** Starts a real process that holds the run lock, a draft and two calls. */
async function startHolder(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('the holder has no output')
  await once(child.stdout, 'data')
  return child
}

const batchIds = (db: Database.Database) => db.prepare('SELECT id FROM batches ORDER BY id').pluck().all()

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'the lock, the draft and the calls of a process are free when the process is gone (%s), and not before',
  async (signal) => {
    const path = tempDatabase()
    const child = await startHolder(path)
    const { db, stores } = openSqlite(path)
    expect([stores.run_lock?.take(), isRun(path)]).toEqual([false, true])
    expect(await stores.batches.discardAbandoned()).toBe(0)
    expect(await stores.attempts.markInterrupted()).toBe(0)

    const closed = once(child, 'close')
    child.kill(signal)
    await closed
    expect([isRun(path), stores.run_lock?.take(), isRun(path)]).toEqual([false, true, true])
    expect(await stores.batches.listUnclaimed()).toEqual(['bat_held'])
    expect(await stores.attempts.markInterrupted(true)).toBe(2)
    expect(await stores.attempts.markInterrupted(true)).toBe(0)
    expect(await readBatch(stores, 'bat_held')).toMatchObject({ calls: { made: 1, unknown: 1 }, cost_usd: 0 })
    expect(await readSpent(stores, { batch: 'bat_held' })).toBe(2)
    expect(await stores.batches.discardAbandoned()).toBe(1)
    expect(batchIds(db)).toEqual(['bat_held'])
  },
)

describe('the run lock', () => {
  test('is of one process at a time, by whatever path, and free once it is released or its stores are closed', () => {
    const path = tempDatabase()
    const first = openSqliteStores({ path })
    const link = join(tempFolder(), 'link.sqlite')
    symlinkSync(path, link)
    const { stores: second } = openSqlite(link)
    expect(existsSync(`${path}.run`)).toBe(false)
    const take = () => [first.run_lock?.take(), second.run_lock?.take()]
    expect([take(), take()]).toEqual([
      [true, false],
      [true, false],
    ])
    // Another service of this process opens and closes the same files: that drops no lock.
    void openSqlite(path).stores.close()
    expect([isRun(path), second.run_lock?.take()]).toEqual([true, false])
    expect([first.run_lock?.isTaken(), second.run_lock?.isTaken()]).toEqual([true, true])
    first.run_lock?.release()
    expect([second.run_lock?.take(), first.run_lock?.take()]).toEqual([true, false])
    second.run_lock?.release()
    expect(first.run_lock?.take()).toBe(true)
    void first.close()
    expect(second.run_lock?.isTaken()).toBe(false)
    expect([isRun(path), second.run_lock?.take()]).toEqual([false, true])
  })

  test('has the mode of the database: who may use the one may use the other', () => {
    const path = tempDatabase()
    const { stores } = openSqlite(path)
    chmodSync(path, 0o660)
    stores.run_lock?.take()
    expect(statSync(`${path}.run`).mode & 0o777).toBe(0o660)
  })

  test('of a database in memory is always free', () => {
    expect([openSqlite().stores.run_lock?.take(), openSqlite().stores.run_lock?.take()]).toEqual([true, true])
  })

  test('that cannot be made is an error that names the cause', () => {
    const path = tempDatabase()
    const { stores } = openSqlite(path)
    symlinkSync('/nowhere/at/all', `${path}.run`)
    expect(() => stores.run_lock?.take()).toThrow('the database file cannot be opened')
  })
})

describe('who lives', () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const here = hostname()
  const HOUR = 3_600_000
  const ROWS: readonly [string, string | null, string, boolean][] = [
    ['a process of another machine that began something', 'prc_x 7 elsewhere', ago(HOUR - 60_000), true],
    ['a process of another machine that began nothing for long', 'prc_x 7 elsewhere', ago(HOUR + 60_000), false],
    ['a process of this machine', `prc_x ${process.ppid} ${here}`, ago(2 * HOUR), true],
    ['the first process, which may belong to another user', `prc_x 1 ${here}`, ago(0), true],
    ['a number that is used again', `prc_x ${process.ppid} ${here}`, ago(25 * HOUR), false],
    ['our own number under another id', `prc_x ${process.pid} ${here}`, ago(0), false],
    ['a number that no process has', `prc_x ${2 ** 31 - 1} ${here}`, ago(0), false],
    ['a number that is none', `prc_x 0 ${here}`, ago(0), false],
    ['a date that is none', 'prc_x 7 elsewhere', 'yesterday', false],
    ['a process of an older version', 'prc_x', ago(HOUR + 60_000), false],
    ['a process that nobody knows', null, ago(0), false],
  ]
  test.each(ROWS)('%s', async (_name, name, at, lives) => {
    const { db, stores } = openSqlite()
    await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
    db.prepare('UPDATE attempts SET process = ?, started_at = ?').run(name, at)
    if (name !== null) {
      await stores.batches.draft(makeBatch('bat_1'))
      db.prepare('UPDATE batches SET process = ?, created_at = ?').run(name, at)
      expect(await stores.batches.discardAbandoned()).toBe(lives ? 0 : 1)
    }
    expect(await stores.attempts.markInterrupted()).toBe(lives ? 0 : 1)
  })

  test('a process that we may not signal', async () => {
    const { db, stores } = openSqlite()
    await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
    db.prepare('UPDATE attempts SET process = ?, started_at = ?').run(`prc_x 1 ${here}`, ago(0))
    // As root, which may signal everybody, the system would never say so.
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    })
    expect(await stores.attempts.markInterrupted()).toBe(0)
    expect(kill).toHaveBeenCalledWith(1, 0)
    kill.mockRestore()
  })

  test('calls for batches of another process are those of the dead to the holder of the run lock, single calls are not', async () => {
    const { db, stores } = openSqlite()
    await openBatch(stores, 'bat_1', 0)
    await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
    await stores.attempts.begin(planAttempt('att_2', { batch: 'bat_1' }), NO_CAPS)
    await stores.attempts.begin(planAttempt('att_3', { batch: 'bat_1' }), NO_CAPS)
    db.prepare("UPDATE attempts SET process = 'prc_x 7 elsewhere', started_at = ? WHERE id <> 'att_3'").run(ago(0))
    expect(await stores.attempts.markInterrupted()).toBe(0)
    expect(await stores.attempts.markInterrupted(true)).toBe(1)
    const open_calls = db.prepare("SELECT id FROM attempts WHERE outcome = 'sent' ORDER BY id").pluck().all()
    expect(open_calls).toEqual(['att_1', 'att_3'])
  })
})

test('a call that was taken for lost and ends after all is counted by its end', async () => {
  const path = tempDatabase()
  const first = openSqliteStores({ path })
  await openBatch(first, 'bat_1', 0)
  const plan = { batch: 'bat_1', reserved_usd: 2 }
  for (const id of ['att_1', 'att_2']) await first.attempts.begin(planAttempt(id, plan), NO_CAPS)
  // The same pid under another id: to the second, the first is dead.
  const { stores: second } = openSqlite(path)
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
