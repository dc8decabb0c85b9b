import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { AccessStore } from '../../src/access/access-store.ts'
import type { Digest } from '../../src/domain/digest.ts'
import { NO_CAPS } from '../../src/ports/ledger-ports.ts'
import type { Stores } from '../../src/ports/ports.ts'
import { openPostgresStores } from '../../src/storage/postgres/postgres.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { generateStore } from './generated-store.ts'
import { planAttempt } from './make-attempt.ts'
import { ask, differences, move, NO_SCHEMA, newDatabase, tempStore } from './move-tools.ts'
import { SETTINGS } from './postgres-settings.ts'
import { describePostgres } from './postgres-tools.ts'
import { makeOldDatabase, NEWEST } from './upgrade-fixture.ts'

type Both = Stores & { readonly access: AccessStore }

const digestOf = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex')

describePostgres('a move', (tools) => {
  const target = () => newDatabase(tools().server)

  test('brings everything over, in schemas of their own, and leaves the file as it is', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 300, projects: { 'team-a': 40, empty: 0 } })
    const before = digestOf(from)
    const url = await target()
    const report = await move(from, url)
    expect(report.outcome).toBe('moved')
    expect(differences(report)).toEqual([])
    expect(report.projects.map(({ project, schema }) => [project, schema])).toEqual([
      ['default', 'veridict'],
      ['empty', 'veridict_empty'],
      ['team-a', 'veridict_team-a'],
    ])
    expect(report.projects[0]?.tables.filter(({ rows }) => rows === 0).map(({ table }) => table)).toEqual([
      'blob_places',
    ])
    // Items of the generator have trajectories of which only the names are there.
    const dangling = report.projects.flatMap(({ references }) => references.filter((one) => one.dangling > 0))
    expect(new Set(dangling.map(({ reference }) => reference))).toEqual(
      new Set(['batch_items.trajectory → trajectories']),
    )
    expect(digestOf(from)).toBe(before)
    await expect(move(from, url)).rejects.toThrow('the schema veridict of the target holds rows of')
    expect(await move(from, url, { mode: 'verify' })).toMatchObject({ outcome: 'equal' })
  })

  test('the stores of both answer the same, and writing goes on after the last row', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 120 })
    const url = await target()
    await move(from, url)
    const [old, moved] = [
      openSqliteStores({ path: from }),
      await openPostgresStores({ url, schema: 'veridict', ...SETTINGS }),
    ]
    for (const stores of [old, moved]) {
      expect(await stores.attempts.markInterrupted()).toBe(1)
      await stores.attempts.begin(planAttempt('att_next'), NO_CAPS)
      expect(await stores.batches.discardAbandoned()).toBe(1)
    }
    const never = () => Promise.reject(new Error('there is one'))
    for (const read of [
      (s: Both) => s.grades.listStanding({ limit: 1000 }),
      (s: Both) => s.grades.list({ limit: 50, label: 'ignored' }),
      (s: Both) => s.batches.list({ limit: 10 }),
      (s: Both) => s.batches.results('bat_done', -1, 1000),
      (s: Both) => s.reviews.list({ limit: 1000 }),
      (s: Both) => s.access.listKeys(),
      (s: Both) => s.provider.lines('sub_1'),
      (s: Both) => s.provider.queuedJudges('bat_1'),
      (s: Both) => s.provider.listOpen('bat_1'),
      (s: Both) => s.idempotency.find('once'),
      (s: Both) => s.secrets.renderingSecret(never as never),
    ])
      expect(await read(moved)).toEqual(await read(old))
    for (const { id, receipt } of await old.grades.list({ limit: 1000 })) {
      expect(await moved.attempts.listForGrade(id)).toEqual(await old.attempts.listForGrade(id))
      expect(await moved.trajectories.get(receipt.trajectory as Digest)).toEqual(
        await old.trajectories.get(receipt.trajectory as Digest),
      )
    }
    await old.close()
    await moved.close()
    const file = new Database(from)
    const next = (await ask(url, "SELECT seq FROM attempts WHERE id = 'att_next'"))[0]?.['seq']
    expect(next).toBe(file.prepare("SELECT rowid FROM attempts WHERE id = 'att_next'").pluck().get())
    file.close()
  })

  test('brings numbers and texts over that databases like to change', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 4 })
    const file = new Database(from)
    const add = file.prepare('INSERT INTO spending (scope, settled_usd, reserved_usd, calls) VALUES (?, ?, ?, ?)')
    const hard = [5e-324, 1.7976931348623157e308, 0.1 + 0.2, -0, 1 / 3, Number.POSITIVE_INFINITY, 2 ** 53 + 2, 1e21]
    hard.forEach((number, n) => {
      add.run(`day:${n} \0 \u0001\u0001 \ud800`, number, -number, BigInt(n) + 2n ** 53n + 1n)
    })
    file.exec(
      "INSERT INTO blob_places (place, since) VALUES ('s3://bucket/prefix', ''); UPDATE trajectories SET outside_bytes = 7",
    )
    file.close()
    const url = await target()
    const report = await move(from, url)
    expect(differences(report)).toEqual([])
    const rows = await ask(
      url,
      "SELECT settled_usd, calls::text AS calls FROM spending WHERE scope LIKE 'day:_ %' ORDER BY scope",
    )
    expect(rows.map((row) => row['settled_usd'])).toEqual(hard.map((number) => number + 0))
    expect(rows.map((row) => row['calls'])).toEqual(hard.map((_, n) => String(BigInt(n) + 2n ** 53n + 1n)))
  })

  test('brings over what all versions before have written', async () => {
    const from = tempStore()
    makeOldDatabase(from, NEWEST)
    const url = await target()
    expect(differences(await move(from, url))).toEqual([])
  })

  test('says before it writes what it would do', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 10, projects: { b: 4 } })
    const url = await target()
    const report = await move(from, url, { mode: 'plan' })
    expect(report.outcome).toBe('planned')
    expect(report.projects.map(({ tables }) => tables.find(({ table }) => table === 'grades')?.rows)).toEqual([10, 4])
    expect(await ask(url, NO_SCHEMA)).toEqual([])
    await expect(move(from, url, { mode: 'verify' })).rejects.toThrow('nothing was moved into the schema veridict')
  })

  test('finds every change of what was moved', async () => {
    const from = tempStore()
    await generateStore(from, { grades: 20 })
    const url = await target()
    await move(from, url)
    const changes = [
      ["UPDATE grades SET body = body || ' ' WHERE id = (SELECT min(id) FROM grades)", ['default.grades']],
      ['UPDATE attempts SET cost_usd = cost_usd + 1e-20 WHERE cost_usd < 1e-4', ['default.attempts']],
      ['DELETE FROM aliases WHERE raw_digest = (SELECT max(raw_digest) FROM aliases)', ['default.aliases']],
      ["UPDATE settings SET value = value || '\\x00'::bytea WHERE name = 'rendering_secret'", ['default.settings']],
      [
        "UPDATE batch_items SET label = NULL, status = 'unverified' WHERE idx = 0 AND label IS NOT NULL",
        ['default.batch_items', 'default.batch_tallies'],
      ],
    ] as const
    const all: string[] = []
    for (const [change, where] of changes) {
      await ask(url, change)
      all.push(...where)
      const report = await move(from, url, { mode: 'verify' })
      expect(report.outcome).toBe('differs')
      expect(differences(report).sort()).toEqual([...all].sort())
    }
  })
})
