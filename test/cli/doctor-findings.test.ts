import { chmodSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRunLock } from '../../src/db/open/run-lock.ts'
import { tempFolder } from '../temp-folder.ts'
import { examine, healthyDatabase, tamper, troubles } from './doctor-database.ts'

async function makeHealthy(): Promise<string> {
  const path = join(tempFolder(), 'veridict.sqlite')
  await healthyDatabase(path)
  chmodSync(path, 0o600)
  return path
}

test('a database that was closed cleanly is healthy, and stays byte-equal', async () => {
  const path = await makeHealthy()
  const before = readFileSync(path)
  const findings = examine(path)
  expect(troubles(findings)).toEqual([])
  expect(findings.map(({ check }) => check)).toEqual([
    ...['disk', 'schema', 'integrity', 'batches', 'calls', 'provider batches'],
  ])
  expect(readFileSync(path).equals(before)).toBe(true)
})

const CALL = `INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome,
  reply_text, raw_reply, cost_usd, reserved_usd, process)`
const call = (id: string, outcome: string, reserved: number | 'NULL' = 'NULL') =>
  `${CALL} VALUES ('${id}', 'grd_never', 'k', 0, 0, 'decide', 'd', 'openai', '2026-11-21T00:00:00.000Z', '${outcome}',
   CAST('{}' AS BLOB), CAST('{}' AS BLOB), NULL, ${reserved}, 'prc_dead');`
const running = (id: string, status: string, more = 'NULL, NULL') =>
  `INSERT INTO batches (id, kind, mode, status, parked_reason, resumes_at, created_at)
   VALUES ('${id}', 'grade', 'direct', '${status}', ${more}, '2026-11-21T00:00:00.000Z');`
const SUBMITTED = `INSERT INTO submissions (id, judge, batch, status, provider_id, requests, recorded_at)
  VALUES ('sub_1', 'openai', 'bat_done', 'submitted', 'batch_abc', 2, '2026-01-01T00:00:00.000Z');`

test.each([
  ['a batch without a process', running('bat_2', 'running'), 'batches: 1 unfinished batch; no process runs batches'],
  [
    'a parked batch',
    running('bat_2', 'parked', "'quota', NULL"),
    'batches: 1 unfinished batch; no process runs batches',
  ],
  [
    'a paid call that is still open',
    call('att_2', 'sent'),
    'calls: 1 paid call without an end: the next start marks them unknown',
  ],
  [
    'a free call that is still open',
    call('att_2', 'sent', 0),
    'calls: 0 paid calls without an end: the next start marks them unknown',
  ],
  ['a batch at a provider', SUBMITTED, 'provider batches: 1 at a provider, fetched by a running service'],
])('unfinished work: %s', async (_name, sql, expected) => {
  const path = await makeHealthy()
  tamper(path, sql)
  const findings = examine(path)
  expect(findings.map(({ check, found }) => `${check}: ${found}`)).toContain(expected)
  const isBatch = expected.startsWith('batches')
  expect(troubles(findings)).toEqual(isBatch ? [`warning ${expected}`] : [])
})

test.each<[string, string, string | RegExp]>([
  [
    'a newer schema',
    "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')",
    /^error schema: the database is newer than this version.*9999_future.sql/,
  ],
  [
    'a migration that was edited',
    "UPDATE schema_migrations SET sha256 = 'x' WHERE name LIKE '0001%'",
    /^error schema: migration 0001_initial.sql was changed after it was applied; restore the file$/,
  ],
])('%s', async (_name, sql, expected) => {
  const path = await makeHealthy()
  tamper(path, sql)
  expect(troubles(examine(path))).toEqual([expect.stringMatching(expected)])
})

test('an older schema asks for nothing', async () => {
  const path = await makeHealthy()
  tamper(path, 'DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)')
  const findings = examine(path)
  expect(troubles(findings)).toEqual([])
  expect(findings.find(({ check }) => check === 'schema')?.found).toMatch(/; the next start of the service migrates/)
})

describe('files that are no database any more', () => {
  test('an index that lacks a row is found by the integrity check', async () => {
    const path = await makeHealthy()
    tamper(
      path,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = 'CREATE INDEX grades_by_label ON grades (status, id)' WHERE name = 'grades_by_label'`,
    )
    const found = troubles(examine(path))
    expect(found[0]).toMatch(/^error integrity: integrity_check: \d+ faults?, such as: .*grades_by_label/)
  })

  test.each([
    ['text', (path: string) => writeFileSync(path, 'no database '.repeat(1000))],
    ['half a file', (path: string) => truncateSync(path, 9000)],
    ['pages of zeros', (path: string) => zero(path, 4096 * 3)],
  ])('%s: told as findings, never thrown', async (_name, damage) => {
    const path = await makeHealthy()
    damage(path)
    const found = troubles(examine(path))
    expect(found.length).toBeGreaterThan(0)
    expect(found.join('\n')).toMatch(/^error /m)
  })

  test('a newer one, which needs its own program and no backup', async () => {
    const path = await makeHealthy()
    tamper(path, "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')")
    const found = examine(path).find(({ check }) => check === 'schema')
    expect(found?.advice).toBe('Run the version of Veridict that wrote it, or a newer one: it is not damaged.')
  })

  test('no file, and another program’s', async () => {
    const folder = tempFolder()
    expect(troubles(examine(join(folder, 'none.sqlite')))).toEqual([expect.stringMatching(/^error open: /)])
    const other = join(folder, 'other.sqlite')
    tamper(other, 'CREATE TABLE mine (a)')
    expect(troubles(examine(other))).toContain('error schema: this is no database of Veridict')
  })
})

/** Everything but the first page, in the middle of the file. */
function zero(path: string, from: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0, from, Math.min(bytes.length, from + 4096 * 20))
  writeFileSync(path, bytes)
}

test('unfinished work beside a process that runs it asks for nothing', async () => {
  const path = await makeHealthy()
  tamper(path, running('bat_2', 'running') + call('att_2', 'sent'))
  const lock = createRunLock(path)
  onTestFinished(() => lock.release())
  expect(lock.take()).toBe(true)
  const findings = examine(path)
  expect(troubles(findings)).toEqual([])
  expect(findings.find(({ check }) => check === 'batches')?.found).toBe(
    '1 unfinished batch; a process runs the batches',
  )
  expect(findings.find(({ check }) => check === 'calls')?.found).toBe('1 paid call in flight')
})
