import { copyFileSync, utimesSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { generateStore } from '../../bench/move/generated-store.ts'
import { NO_CAPS } from '../../src/grading/ledger-ports.ts'
import type { MoveProgress } from '../../src/grading/move-ports.ts'
import { openPostgresStores } from '../../src/storage/postgres/postgres.ts'
import { openSqliteStores } from '../../src/storage/sqlite.ts'
import { planAttempt } from './make-attempt.ts'
import { ask, differences, move, newDatabase, tempStore } from './move-tools.ts'
import { SETTINGS } from './postgres-settings.ts'
import { describePostgres } from './postgres-tools.ts'

/** Ends the move after so many steps. */
const breakAfter = (steps: number, step: MoveProgress['step'] = 'move') => {
  let seen = 0
  return (progress: MoveProgress) => {
    if (progress.step === step && ++seen >= steps) throw new Error('broken off')
  }
}

describePostgres('a move that was broken off', (tools) => {
  const target = () => newDatabase(tools().server)

  test('goes on where it was, from each chunk on', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 150, projects: { b: 20 } })
    const url = await target()
    let [runs, rows] = [0, 0]
    for (;;) {
      runs += 1
      const report = await move(from, url, { onProgress: breakAfter(3) }).catch((error: Error) => error.message)
      if (report === 'broken off') continue
      if (typeof report === 'string') throw new Error(report)
      expect(differences(report)).toEqual([])
      rows = report.projects[0]?.tables.find(({ table }) => table === 'grades')?.target_rows ?? 0
      break
    }
    expect(rows).toBe(150)
    expect(runs).toBeGreaterThan(15)
    expect(await move(from, url, { mode: 'verify' })).toMatchObject({ outcome: 'equal' })
  })

  test('loses and doubles nothing where the server refuses a chunk', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 150 })
    const url = await target()
    await move(from, url, { onProgress: breakAfter(1) }).catch(() => undefined)
    // The n-th statement of a run fails, for each n.
    for (const table of ['grades', 'attempts', 'batch_items']) {
      await ask(
        url,
        `CREATE FUNCTION refuse_${table}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           IF (SELECT count(*) FROM ${table}) > 60 THEN RAISE EXCEPTION 'not now'; END IF; RETURN NULL; END $$;
         CREATE TRIGGER refuse AFTER INSERT ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_${table}()`,
      )
    }
    for (const table of ['grades', 'attempts']) {
      await expect(move(from, url)).rejects.toThrow(`${table}: the database server answered P0001`)
      await expect(move(from, url)).rejects.toThrow(`${table}: the database server answered P0001`)
      await ask(url, `DROP TRIGGER refuse ON ${table}; DROP FUNCTION refuse_${table}`)
    }
    await ask(url, 'DROP TRIGGER refuse ON batch_items; DROP FUNCTION refuse_batch_items')
    expect(differences(await move(from, url))).toEqual([])
  })

  test('goes on with the same content under another date, and refuses another content', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 60 })
    const url = await target()
    const broken = () => expect(move(from, url, { onProgress: breakAfter(8) })).rejects.toThrow('broken off')
    await broken()
    utimesSync(from, 1_700_000_000, 1_700_000_000)
    await broken()
    const kept = join(dirname(from), 'kept')
    copyFileSync(from, kept)
    const stores = openSqliteStores({ path: from })
    await stores.attempts.begin(planAttempt('att_more'), NO_CAPS)
    await stores.close()
    await expect(move(from, url)).rejects.toThrow(/not what the unfinished move began with: attempts, spending changed/)
    copyFileSync(kept, from)
    expect(differences(await move(from, url))).toEqual([])
  })

  test('of two runs the later one has it', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 60 })
    const url = await target()
    let other: Promise<unknown> | undefined
    const first = move(from, url, {
      onProgress: ({ step, done }) => {
        if (step === 'move' && done > 100) other ??= move(from, url).catch((error: Error) => error.message)
      },
    }).catch((error: Error) => error.message)
    // Whichever of them was cut off, exactly what is there is there.
    const ends = [await first, await other]
    expect(ends.filter((end) => typeof end === 'object').length).toBeGreaterThan(0)
    expect(await move(from, url, { mode: 'verify' })).toMatchObject({ outcome: 'equal' })
  })

  describe('and the service', () => {
    test('does not start on a part of a store', async () => {
      const from = tempStore()
      await generateStore(from, { grades: 20 })
      const url = await target()
      await expect(move(from, url, { onProgress: breakAfter(5) })).rejects.toThrow('broken off')
      await expect(openPostgresStores({ url, schema: 'veridict', ...SETTINGS })).rejects.toThrow('half moved')
      expect((await move(from, url)).outcome).toBe('moved')
      await (await openPostgresStores({ url, schema: 'veridict', ...SETTINGS })).close()
    })
  })
})
