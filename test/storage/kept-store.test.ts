import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Database from 'better-sqlite3'
import { expect, onTestFinished, test } from 'vitest'
import type { Digest } from '../../src/domain/digest.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { openDatabase } from '../../src/storage/sqlite/database.ts'
import { startApp } from '../start-app.ts'
import { type Exported, exportStore } from './kept-store/export.ts'
import { configFor, startScriptedProvider } from './kept-store/scripted-provider.ts'
import { tempDatabase } from './temp-folder.ts'
import { NEWEST, snapshot } from './upgrade-fixture.ts'

/** A store that the program of commit 08c604f made, and what that program answered about it: `kept-store/make.ts` says how. */
const unpack = (name: string): Buffer => gunzipSync(readFileSync(join(import.meta.dirname, 'kept-store', name)))
const STORE = unpack('store.sqlite.gz')
const THEN = JSON.parse(unpack('export.json.gz').toString()) as Exported

function copyStore(): string {
  const path = tempDatabase()
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, STORE)
  return path
}

/** Today's program over a copy of it, with the judge that it was made with. */
async function openStore() {
  const provider = await startScriptedProvider({ credit: true })
  onTestFinished(() => provider.stop())
  const env = { VERIDICT_DATABASE: copyStore(), VERIDICT_CONFIG: 'config.yaml', SCRIPTED_KEY: 'only-here' }
  const app = await startApp({ env, file: configFor(provider.origin) })
  onTestFinished(() => app.stop())
  const get = async (path: string) => {
    const answer = await app.get(path)
    expect([path, answer.statusCode]).toEqual([path, 200])
    return answer.body
  }
  const ended = async (id: string): Promise<Batch> => {
    await get(`/v1/batches/${id}/results?wait=true`)
    return JSON.parse(await get(`/v1/batches/${id}`)) as Batch
  }
  return { ...app, get, ended, calls: provider.calls }
}

const batches = (THEN.answers['/v1/batches?limit=100'] as { items: Batch[] }).items
const batchNamed = (name: string): Batch => batches.find((batch) => batch.name === name) as Batch

test('it holds what there is to lose', () => {
  const { schema_migrations: applied, ...tables } = snapshot(copyStore())
  expect(applied?.rows).toHaveLength(6)
  const filled = Object.entries(tables).filter(([, { rows }]) => rows.length > 0)
  expect(filled.map(([name]) => name)).toEqual([
    ...['aliases', 'attempts', 'batch_items', 'batch_tallies', 'batches', 'current_grades', 'grades'],
    ...['idempotency_keys', 'reviews', 'rubrics', 'settings', 'spending', 'trajectories'],
  ])
  const ends = batches.map(({ kind, status }) => `${kind} ${status}`)
  expect(ends.toSorted()).toEqual([
    ...['grade cancelled', 'grade done', 'grade done', 'grade parked', 'recheck done', 'regrade done'],
  ])
})

test('it migrates, and every column of every row is as it was', () => {
  const path = copyStore()
  const before = snapshot(path)
  openDatabase(path).close()
  const { schema_migrations: applied, ...after } = snapshot(path, before)
  const { schema_migrations: _fewer, ...data } = before
  expect(applied?.rows).toHaveLength(NEWEST)
  expect(after).toEqual(data)
})

interface Items {
  readonly items: readonly { readonly id: string }[]
}

const isCalls = (path: string): boolean => path.endsWith('/attempts?raw=true')
const CALLS = Object.entries(THEN.answers).flatMap(([path, answer]) => (isCalls(path) ? (answer as Items).items : []))

/** Of a trajectory, what is stored: warnings and counts are those of today's readers. */
function stored(path: string, answer: unknown): unknown {
  if (!path.startsWith('/v1/trajectories/')) return answer
  const { id, format, document } = answer as Record<string, unknown>
  return { id, format, document }
}

test('everything is answered as 08c604f answered it', async () => {
  const { get } = await openStore()
  const { answers } = await exportStore(get, THEN.uploaded)
  expect(Object.keys(answers)).toEqual(Object.keys(THEN.answers))
  for (const [path, answer] of Object.entries(THEN.answers)) {
    // A recheck has no calls of its own. Today it tells those that it read.
    const then = isCalls(path) && (answer as Items).items.length === 0 ? { items: callsIn(answers[path]) } : answer
    expect({ path, answer: stored(path, answers[path]) }).toMatchObject({ path, answer: stored(path, then) })
  }
})

/** The same calls, as 08c604f told them. */
const callsIn = (answer: unknown): Items['items'] =>
  (answer as Items).items.map(({ id }) => CALLS.find((call) => call.id === id) ?? { id: 'unknown to 08c604f' })

test('what was answered from the cache is graded anew, as its rules have changed since, and then cached', async () => {
  const { post, get, context } = await openStore()
  const { stores } = context
  for (const { sent, text } of THEN.requests) {
    const then = JSON.parse(text) as Grade
    const only = await post('/v1/grades', { ...JSON.parse(sent), cache: 'only' })
    expect([only.statusCode, only.json()]).toMatchObject([404, { code: 'not_cached' }])
    const now = await post('/v1/grades', sent)
    const grade = now.json() as Grade
    expect([now.statusCode, grade.label]).toEqual([201, then.label])
    expect(grade.receipt.key).not.toBe(then.receipt.key)
    expect((await post('/v1/grades', sent)).statusCode).toBe(200)
    expect((await stores.grades.findByKey(then.receipt.key as Digest))?.id).toBe(then.id)
    expect(await get(`/v1/grades/${then.id}`)).not.toBe(await get(`/v1/grades/${grade.id}`))
  }
})

test('an Idempotency-Key is still answered with the first answer, without a call', async () => {
  const { post, calls } = await openStore()
  const again = await post('/v1/grades', THEN.once.sent, { 'idempotency-key': 'once' })
  expect([again.statusCode, again.body, again.headers['idempotency-replayed']]).toEqual([201, THEN.once.text, 'true'])
  expect(calls()).toBe(0)
})

test('its replies are checked again without a call', async () => {
  const { post, ended, get, calls } = await openStore()
  const finished = batchNamed('finished')
  const { id } = (await post('/v1/regrades', { query: { batch: finished.id }, recheck: true })).json() as Batch
  const batch = await ended(id)
  // The failed one has no reply to check.
  expect(batch).toMatchObject({
    kind: 'recheck',
    status: 'done',
    counts: { total: 4, graded: 3, unverified: 1, failed: 0 },
  })
  expect(calls()).toBe(0)
  const lines = (await get(`/v1/batches/${id}/results`)).trim().split('\n')
  for (const { base_grade_id, status, label } of lines.map((line) => JSON.parse(line) as BatchResult)) {
    expect(THEN.answers[`/v1/grades/${base_grade_id}`]).toMatchObject({ status, label })
  }
})

test('the parked batch goes on, and what it had is kept', async () => {
  const { post, ended, calls } = await openStore()
  const { id } = batchNamed('parked')
  expect((await post(`/v1/batches/${id}/resume`, {})).statusCode).toBe(202)
  expect(await ended(id)).toMatchObject({ status: 'done', counts: { total: 3, graded: 3, failed: 0, pending: 0 } })
  expect(calls()).toBe(2)
})

test.each([
  ['a process that lives', process.ppid, true],
  ['one that is gone', 2 ** 30, false],
  ['an earlier one with our number', process.pid, false],
])('it is not migrated under %s', (_who, pid, isRefused) => {
  const path = copyStore()
  const raw = new Database(path)
  raw.prepare('INSERT INTO processes VALUES (?, ?, ?, ?)').run('prc_old', hostname(), pid, new Date().toISOString())
  raw.close()
  const open = () => openDatabase(path).close()
  if (isRefused) expect(open).toThrow('is in use by a living process: stop the service and its commands first')
  else expect(open).not.toThrow()
})
