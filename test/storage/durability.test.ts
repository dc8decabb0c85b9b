import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, statSync, symlinkSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { isRun } from '../../src/db/open/run-lock.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { tempFolder } from '../temp-folder.ts'
import { readSpent } from './contract-spending.ts'
import { begin, finishOk, planAttempt } from './make-attempt.ts'
import { openBatch, readBatch } from './make-batch.ts'
import { openSqlite } from './open-sqlite.ts'
import { tempDatabase } from './temp-folder.ts'

test('processes that open the same new file at once all get it, migrated once', async () => {
  const path = tempDatabase()
  const source = `
    const { openSqliteStores } = await import(${JSON.stringify(new URL('../../src/db/stores.ts', import.meta.url).href)})
    const stores = openSqliteStores({ path: ${JSON.stringify(path)} })
    await stores.settings.check()
    await stores.close()`
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'inherit', 'inherit'] }),
  )
  const ends = await Promise.all(children.map((child) => once(child, 'close')))
  expect(ends).toEqual(children.map(() => [0, null]))
  const stores = openSqliteStores({ path })
  await stores.settings.check()
  await stores.close()
})

const HOLDER = fileURLToPath(new URL('process-holder.ts', import.meta.url))

/** Starts a real process that holds the run lock and two calls. */
async function startHolder(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [HOLDER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  if (child.stdout === null) throw new Error('the holder has no output')
  await once(child.stdout, 'data')
  return child
}

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'the lock and the calls of a process are free when the process is gone (%s), and not before',
  async (signal) => {
    const path = tempDatabase()
    const child = await startHolder(path)
    const { stores } = openSqlite(path)
    expect([stores.run_lock?.take(), isRun(path)]).toEqual([false, true])
    expect(await stores.attempts.markLost('')).toBe(0)

    const closed = once(child, 'close')
    child.kill(signal)
    await closed
    expect([isRun(path), stores.run_lock?.take(), isRun(path)]).toEqual([false, true, true])
    expect([await stores.attempts.markLost('', true), await stores.attempts.markLost('', true)]).toEqual([2, 0])
    expect(await readBatch(stores, 'bat_held')).toMatchObject({ calls: { made: 1, unknown: 1 }, cost_usd: 0 })
    expect(await readSpent(stores, { batch: 'bat_held' })).toBe(2)
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
    const take = () => openSqlite(':memory:').stores.run_lock?.take()
    expect([take(), take()]).toEqual([true, true])
  })

  test('that cannot be made is an error that names the cause', () => {
    const path = tempDatabase()
    const { stores } = openSqlite(path)
    symlinkSync('/nowhere/at/all', `${path}.run`)
    expect(() => stores.run_lock?.take()).toThrow('the database file cannot be opened')
  })
})

describe('a call in flight', () => {
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
  const here = hostname()
  const LOST = ago(60_000)
  const ROWS: readonly [string, string | null, string, boolean][] = [
    ['of another machine is awaited', 'prc_x 7 elsewhere', ago(50_000), false],
    ['of another machine is too old', 'prc_x 7 elsewhere', ago(70_000), true],
    ['of a living process is awaited', `prc_x ${process.ppid} ${here}`, ago(0), false],
    ['of a living process is too old', `prc_x ${process.ppid} ${here}`, ago(70_000), true],
    ['of the first process, of another user perhaps, is awaited', `prc_x 1 ${here}`, ago(0), false],
    ['of our own number under another id is lost', `prc_x ${process.pid} ${here}`, ago(0), true],
    ['of a number that no process has is lost', `prc_x ${2 ** 31 - 1} ${here}`, ago(0), true],
    ['of a number that is none is lost', `prc_x 0 ${here}`, ago(0), true],
    ['of an older version is awaited', 'prc_x', ago(50_000), false],
    ['of an older version is too old', 'prc_x', ago(70_000), true],
    ['of nobody is lost', null, ago(0), true],
  ]
  const beginAs = async (name: string | null, at: string) => {
    const { run, stores } = openSqlite()
    await begin(stores, planAttempt('att_1'))
    await run(`UPDATE attempts SET process = ${name === null ? 'NULL' : `'${name}'`}, started_at = '${at}'`)
    return stores
  }
  test.each(ROWS)('%s', async (_name, name, at, isLost) => {
    const stores = await beginAs(name, at)
    expect(await stores.attempts.markLost(LOST)).toBe(isLost ? 1 : 0)
  })

  test('of a process that may not be signalled is awaited', async () => {
    const stores = await beginAs(`prc_x 1 ${here}`, ago(0))
    // As root, which may signal everybody, the system would never say so.
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    })
    expect(await stores.attempts.markLost(LOST)).toBe(0)
    expect(kill).toHaveBeenCalledWith(1, 0)
    kill.mockRestore()
  })

  test('for a batch of another process is lost to the holder of the run lock; a single call is not', async () => {
    const { run, stores } = openSqlite()
    await openBatch(stores, 'bat_1', 0)
    await begin(stores, planAttempt('att_1'))
    await begin(stores, planAttempt('att_2', { batch: 'bat_1', round: 1 }))
    await begin(stores, planAttempt('att_3', { batch: 'bat_1', round: 2 }))
    await run(`UPDATE attempts SET process = 'prc_x 7 elsewhere', started_at = '${ago(0)}' WHERE id <> 'att_3'`)
    expect([await stores.attempts.markLost(LOST), await stores.attempts.markLost(LOST, true)]).toEqual([0, 1])
    const open = (await stores.attempts.listForGrade('grd_a')).filter(({ outcome }) => outcome === 'sent')
    expect(open.map(({ id }) => id).sort()).toEqual(['att_1', 'att_3'])
  })

  test('that was taken for lost and ends after all is counted by its end', async () => {
    const path = tempDatabase()
    const first = openSqliteStores({ path })
    await openBatch(first, 'bat_1', 0)
    for (const [round, id] of ['att_1', 'att_2'].entries())
      await begin(first, planAttempt(id, { batch: 'bat_1', reserved_usd: 2, round }))
    // The same pid under another id: to the second, the first is dead.
    const { stores: second } = openSqlite(path)
    expect(await second.attempts.markLost('')).toBe(2)
    expect((await second.attempts.listForGrade('grd_a')).map(({ outcome }) => outcome)).toEqual(['unknown', 'unknown'])
    expect((await readBatch(second, 'bat_1')).calls).toEqual({ made: 2, unknown: 2 })
    await first.attempts.finish({ ...finishOk('att_1'), cost_usd: 0.5 })
    expect(await readBatch(second, 'bat_1')).toMatchObject({ calls: { made: 2, unknown: 1 }, cost_usd: 0.5 })
    expect(await readSpent(second, { batch: 'bat_1' })).toBe(2.5)
    expect(await readSpent(second, { day: '2026-11-21' })).toBe(2.5)
    expect((await second.attempts.listForGrade('grd_a'))[0]).toMatchObject({ outcome: 'ok', message: null })
    await first.close()
  })
})
