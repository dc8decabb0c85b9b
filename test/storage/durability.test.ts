import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openSqliteStores } from '../../src/db/stores.ts'
import { openSqlite } from './open-sqlite.ts'
import { tempDatabase } from './temp-folder.ts'

const WRITER = fileURLToPath(new URL('ledger-writer.ts', import.meta.url))

/** Starts a writer; answers what it had said by the time it was killed, after at least so many lines. */
async function writeAndKill(path: string, lines: number): Promise<string[]> {
  const child: ChildProcess = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const said: string[] = []
  if (child.stdout === null) throw new Error('the writer has no output')
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line)
    if (said.length === lines) child.kill('SIGKILL')
  }
  expect(await closed).toEqual([null, 'SIGKILL'])
  return said
}

test.each([1, 2, 7, 40])('what was said to be written is there after kill -9 at line %i', async (lines) => {
  const path = tempDatabase()
  const said = await writeAndKill(path, lines)
  const { run, stores } = openSqlite(path)
  expect(await run('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  const interrupted = await stores.attempts.markLost('')
  const entries = new Map((await stores.attempts.listForGrade('grd_a')).map((entry) => [entry.id, entry]))
  for (const line of said) {
    const [step, id = ''] = line.split(' ')
    expect(entries.has(id)).toBe(true)
    if (step === 'finished') expect(entries.get(id)?.raw_reply).toContain(`reply of ${id} `)
  }
  const outcomes = [...entries.values()].map((entry) => entry.outcome)
  expect(outcomes.slice(0, -1).every((outcome) => outcome === 'ok')).toBe(true)
  expect(outcomes.filter((outcome) => outcome === 'unknown')).toHaveLength(interrupted)
  expect(interrupted).toBeLessThanOrEqual(1)
})

test('processes that open the same new file at once all get it, migrated once', async () => {
  const path = tempDatabase()
  const source = `
    const { openSqliteStores } = await import(${JSON.stringify(new URL('../../src/db/stores.ts', import.meta.url).href)})
    const stores = openSqliteStores({ path: ${JSON.stringify(path)} })
    await stores.check()
    await stores.close()`
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', source], { stdio: ['ignore', 'inherit', 'inherit'] }),
  )
  const ends = await Promise.all(children.map((child) => once(child, 'close')))
  expect(ends).toEqual(children.map(() => [0, null]))
  const stores = openSqliteStores({ path })
  await stores.check()
  await stores.close()
})
