import { spawn } from 'node:child_process'
import { once } from 'node:events'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openPostgresStores } from '../../src/storage/postgres/postgres.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { generateStore } from './generated-store.ts'
import { ask, move, NO_SCHEMA, newDatabase, tempStore } from './move-tools.ts'
import { SETTINGS } from './postgres-settings.ts'
import { describePostgres } from './postgres-tools.ts'
import { makeOldDatabase, NEWEST } from './upgrade-fixture.ts'

describePostgres('a move is refused', (tools) => {
  const target = () => newDatabase(tools().server)

  test('where the file is in use, and begins nothing', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 2 })
    const url = await target()
    const service = openSqliteStores({ path: from })
    await expect(move(from, url)).rejects.toThrow('in use by a living process')
    await service.close()
    expect(await ask(url, NO_SCHEMA)).toEqual([])
    expect((await move(from, url)).outcome).toBe('moved')
  })

  // Only there it can be seen.
  test.skipIf(process.platform !== 'linux')('where a shell has the file open', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 2 })
    const text = `const db = new (require('better-sqlite3'))(process.argv[1], { readonly: true });
      db.prepare('SELECT 1 FROM grades').all(); console.log('open'); setInterval(() => {}, 1000)`
    const shell = spawn(process.execPath, ['-e', text, from], { stdio: ['ignore', 'pipe', 'inherit'] })
    try {
      await once(shell.stdout, 'data')
      const url = await target()
      await expect(move(from, url)).rejects.toThrow('in use by a living process')
    } finally {
      shell.kill('SIGKILL')
    }
    await once(shell, 'close')
    expect((await move(from, await target())).outcome).toBe('moved')
  })

  test.each([
    [NEWEST - 1, /older than this program.*migrates it/],
    [NEWEST + 1, /newer than this version.*9999_later.sql/],
  ])('where its version is another: %i', async (version, words) => {
    const from = tempStore()
    makeOldDatabase(from, Math.min(version, NEWEST))
    const file = new Database(from)
    if (version > NEWEST) file.exec("INSERT INTO schema_migrations VALUES ('9999_later.sql', '', '')")
    file.close()
    await expect(move(from, await target())).rejects.toThrow(words)
  })

  test('where references lead nowhere, which PostgreSQL would not take', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 2 })
    const file = new Database(from)
    file.pragma('foreign_keys = OFF')
    file.exec("INSERT INTO current_grades VALUES ('x', 'grd_nowhere')")
    file.close()
    await expect(move(from, await target())).rejects.toThrow(
      '1 rows refer to rows that are not there, in current_grades',
    )
  })

  test.each([
    [
      'a used store',
      'settings',
      async (url: string) => {
        const stores = await openPostgresStores({ url, schema: 'veridict', ...SETTINGS })
        await stores.secrets.renderingSecret(() => new Uint8Array(32))
        await stores.close()
      },
    ],
    [
      'tables of another program',
      'not Veridict’s: visitors',
      (url: string) => ask(url, 'CREATE SCHEMA veridict CREATE TABLE visitors (x integer)'),
    ],
    [
      'another project',
      'projects that the source has not: other',
      async (url: string) => (await openPostgresStores({ url, schema: 'veridict_other', ...SETTINGS })).close(),
    ],
  ])('where the target has %s', async (_what, words, fill) => {
    const from = tempStore()
    await generateStore(from, { grades: 2 })
    const url = await target()
    await fill(url)
    await expect(move(from, url)).rejects.toThrow(words)
  })

  test('where its password is wrong, without showing it', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 2 })
    const url = new URL(await target())
    url.password = 'hunter2'
    const error = await move(from, url.href).catch((reason: unknown) => reason)
    expect(String(error)).toMatch(/refuses this user or password/)
    expect(String(error)).not.toContain('hunter2')
  })
})
