import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, onTestFinished, test } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import type { Stores } from '../../src/ports/ports.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { loadMigrations } from '../../src/storage/sqlite/migrate.ts'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { startApp } from '../start-app.ts'
import { KEY, REQUEST } from './make-attempt.ts'
import { ENDS, readBatch } from './make-batch.ts'
import { tempDatabase } from './temp-folder.ts'
import { BODIES, DOCUMENTS, makeOldDatabase, NEWEST, parseBody, type Snapshot, snapshot } from './upgrade-fixture.ts'

const VERSIONS = Array.from({ length: NEWEST }, (_, at) => at + 1)
/** Batches came with the third. */
const WITH_BATCHES = VERSIONS.filter((version) => version >= 3)
const WITH_REVIEWS = VERSIONS.filter((version) => version >= 4)

function makeOld(version: number): { path: string; before: Snapshot } {
  const path = tempDatabase()
  makeOldDatabase(path, version)
  return { path, before: snapshot(path) }
}

/** Opens the stores, which upgrades the file. */
function upgrade(version: number): Stores {
  const { path } = makeOld(version)
  const stores = openSqliteStores({ path })
  onTestFinished(() => stores.close())
  return stores
}

const applied = (path: string): number => snapshot(path)['schema_migrations']?.rows.length ?? 0

/** `schema_migrations` grows; everything else stays. */
const dataOf = ({ schema_migrations: _grows, ...data }: Snapshot): Snapshot => data

describe.each(VERSIONS)('from version %d', (version) => {
  test('every column of every row is kept as it was', () => {
    const { path, before } = makeOld(version)
    expect(Object.values(dataOf(before)).every(({ rows }) => rows.length > 0)).toBe(true)
    openDatabase(path).close()
    expect(applied(path)).toBe(NEWEST)
    expect(dataOf(snapshot(path, before))).toEqual(dataOf(before))
  })

  test('grades, trajectories and the rest are served as they were', async () => {
    const stores = upgrade(version)
    for (const body of BODIES) expect(JSON.stringify(await stores.grades.get(parseBody(body).id))).toBe(body)
    const answers = await Promise.all(
      BODIES.map(async (body) => (await stores.grades.findByKey(parseBody(body).receipt.key))?.id),
    )
    const ids = BODIES.map((body) => parseBody(body).id)
    expect(answers).toEqual([ids[0], ids[0], ids[2], ids[4], ids[4]])
    for (const document of DOCUMENTS) {
      const id = digestValue(document)
      const stored = (await stores.trajectories.get(id))?.document
      expect(JSON.stringify(stored)).toBe(JSON.stringify(document))
      expect(digestValue(stored)).toBe(id)
    }
    expect(await stores.idempotency.find('once')).toEqual({ request_digest: REQUEST, status: 201, body: '{"id":"x"}' })
    expect(await stores.secrets.renderingSecret(() => new Uint8Array(32))).toEqual(new Uint8Array(32).fill(7))
  })

  test('lists and filters find them', async () => {
    const stores = upgrade(version)
    const ids = BODIES.map((body) => parseBody(body).id)
    const list = async (query: object) => {
      const known = new Set(ids)
      const listed = await stores.grades.list({ limit: 100, ...query })
      return listed.map(({ id }) => id).filter((id) => known.has(id))
    }
    expect(await list({})).toEqual(ids.toReversed())
    expect(await list({ agent: 'terminus-2' })).toEqual([ids[3], ids[0]])
    expect(await list({ status: 'failed' })).toEqual([ids[1]])
    expect(await list({ label: 'ignored' })).toEqual([ids[3]])
    // What came with version 4 is filled for older grades too.
    const { trajectory, ground_truth } = (JSON.parse(BODIES[0] ?? '') as Grade).receipt
    const standing = await stores.grades.listForQuestion(`${trajectory}/${ground_truth}`)
    expect(standing.map(({ grade }) => grade.id).sort()).toEqual([ids[0], ids[2], ids[4]].sort())
  })

  test('a paid reply is found again, and what was in flight is marked', async () => {
    const stores = upgrade(version)
    const orphan = await stores.attempts.findOrphan(KEY, 0, 0, REQUEST)
    expect(orphan).toMatchObject({ attempt_id: 'att_orphan', cost_usd: 0.25, reply: { text: '{"notes":"ok"}' } })
    expect(await stores.attempts.markInterrupted()).toBe(version >= 3 ? 2 : 1)
    expect(await stores.attempts.markInterrupted()).toBe(0)
  })

  test('new work is written beside the old', async () => {
    const stores = upgrade(version)
    const grade = { ...(JSON.parse(BODIES[0] ?? '') as Grade), id: 'grd_new' }
    await stores.grades.put({ grade, ground_truth: { instruction: 'i', cue: { text: 'c' } } as never })
    expect((await stores.grades.findByKey(parseBody(BODIES[0] ?? '').receipt.key))?.id).toBe('grd_new')
    expect(
      await stores.trajectories.put({ id: digestValue({ a: 1 }), format: 'steps', document: { a: 1 } }, 'now'),
    ).toBe(true)
  })

  test('over HTTP, a grade is answered byte by byte as it is stored', async () => {
    const { path } = makeOld(version)
    const app = await startApp({ env: { VERIDICT_DATABASE: path } })
    onTestFinished(() => app.stop())
    for (const body of BODIES) {
      const answer = await app.get(`/v1/grades/${parseBody(body).id}`)
      expect([answer.statusCode, answer.body]).toEqual([200, body])
    }
    const list = await app.get('/v1/grades?limit=100&agent=terminus-2')
    expect(list.statusCode).toBe(200)
  })

  test.each(Array.from({ length: NEWEST - version }, (_, at) => version + at + 1))(
    'killed in the middle of migration %d: it is whole or not there at all',
    (at) => {
      const { path, before } = makeOld(version)
      const killed = spawnSync(process.execPath, ['test/storage/upgrade-killed.ts', path, String(at)], {
        encoding: 'utf8',
      })
      expect([killed.signal, killed.stderr]).toEqual(['SIGKILL', ''])
      expect(applied(path)).toBe(at - 1)
      expect(dataOf(snapshot(path, before))).toEqual(dataOf(before))
      openDatabase(path).close()
      expect(applied(path)).toBe(NEWEST)
      expect(dataOf(snapshot(path, before))).toEqual(dataOf(before))
    },
  )
})

describe.each(WITH_BATCHES)('batches from version %d', (version) => {
  test('go on where they were, and end', async () => {
    const stores = upgrade(version)
    expect(await stores.batches.listUnclaimed()).toEqual(['bat_running'])
    expect((await readBatch(stores, 'bat_running')).counts).toMatchObject({
      total: 4,
      graded: 1,
      failed: 1,
      pending: 1,
    })
    expect(await stores.batches.claim('bat_running')).toBe(true)
    expect((await stores.provider.listOpen('bat_running')).map(({ provider_id }) => provider_id)).toEqual(['batch_abc'])
    expect(await stores.provider.storeEnds('sub_1', [{ id: 'att_provider', end: 'void' }], 'now')).toBe(1)
    await stores.provider.close('sub_1', 'all void', '2026-11-21T01:00:00.000Z')
    const pending = await stores.batches.pending('bat_running', -1, 10)
    expect(pending.map(({ index }) => index)).toEqual([2, 3])
    for (const { index } of pending) await stores.batches.settle({ batch: 'bat_running', index }, ENDS.ignored)
    expect(await stores.batches.finish('bat_running', '2026-11-21T01:00:00.000Z')).toBe(true)
    const batch = await readBatch(stores, 'bat_running')
    expect(batch).toMatchObject({ status: 'done', counts: { total: 4, graded: 3, failed: 1, pending: 0, running: 0 } })
  })

  test('a parked one resumes, a draft goes, a done one is listed', async () => {
    const stores = upgrade(version)
    expect(await stores.batches.resume('bat_parked')).toBe(true)
    expect(await stores.batches.discardAbandoned()).toBe(1)
    const listed = await stores.batches.list({ limit: 10 })
    expect(listed.map(({ id, status }) => [id, status])).toEqual([
      ['bat_running', 'running'],
      ['bat_parked', 'running'],
      ['bat_done', 'done'],
    ])
  })
})

test.each(WITH_REVIEWS)('reviews from version %d are there', async (version) => {
  const reviews = await upgrade(version).reviews.list({ limit: 10 })
  expect(reviews.map(({ id, rater }) => [id, rater])).toEqual([['rev_1', 'ada']])
})

test('a full disk in the middle of an upgrade leaves the old version, whole', () => {
  const { path, before } = makeOld(1)
  const db = new Database(path)
  const pages = db.pragma('page_count', { simple: true }) as number
  db.pragma(`max_page_count = ${pages}`)
  const [, second] = loadMigrations()
  expect(() => db.transaction(() => db.exec(second?.sql ?? '')).immediate()).toThrow(/full/)
  db.close()
  expect(snapshot(path, before)).toEqual(before)
  openDatabase(path).close()
  expect(applied(path)).toBe(NEWEST)
})

test('a database of a newer version is refused with what to do, and not a byte of it changes', () => {
  const { path } = makeOld(NEWEST)
  const db = new Database(path)
  db.exec("INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now'); CREATE TABLE future (a)")
  db.pragma('wal_checkpoint(TRUNCATE)')
  db.close()
  const before = readFileSync(path)
  expect(() => openSqliteStores({ path })).toThrow(
    'the database is newer than this version of Veridict: it has the unknown migration 9999_future.sql; use a newer version',
  )
  expect(readFileSync(path).equals(before)).toBe(true)
})
