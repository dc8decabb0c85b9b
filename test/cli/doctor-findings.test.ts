import { chmodSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../temp-folder.ts'
import { examine, healthyDatabase, tamper, troubles } from './doctor-database.ts'

async function makeHealthy(): Promise<string> {
  const path = join(tempFolder(), 'veridict.sqlite')
  await healthyDatabase(path)
  chmodSync(path, 0o600)
  return path
}

test.each([false, true])(
  'a database that was closed cleanly is healthy (full: %s), and stays byte-equal',
  async (full) => {
    const path = await makeHealthy()
    const before = readFileSync(path)
    const findings = await examine(path, full)
    expect(troubles(findings)).toEqual([])
    expect(findings.length).toBeGreaterThan(10)
    expect(readFileSync(path).equals(before)).toBe(true)
  },
)

const DEAD = "INSERT INTO processes VALUES ('prc_dead', 'nowhere', 1, '2020-01-01T00:00:00.000Z');"
const CALL = `INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome,
  reply_text, raw_reply, cost_usd, reserved_usd, process)`
const call = (id: string, outcome: string, more: { usd?: number; reserved?: number } = {}) =>
  `${CALL} VALUES ('${id}', 'grd_never', 'k', 0, 0, 'decide', 'd', 'openai', '2026-11-21T00:00:00.000Z', '${outcome}',
   CAST('{}' AS BLOB), CAST('{}' AS BLOB), ${more.usd ?? 'NULL'}, ${more.reserved ?? 'NULL'}, 'prc_dead');`
const running = (id: string, status: string, more = 'NULL, NULL') =>
  `INSERT INTO batches (id, kind, mode, status, parked_reason, resumes_at, process, created_at)
   VALUES ('${id}', 'grade', 'direct', '${status}', ${more}, 'prc_dead', '2026-11-21T00:00:00.000Z');`
const submitted = (at: string) =>
  `INSERT INTO provider_batches (id, judge, batch, status, provider_id, requests, recorded_at)
   VALUES ('sub_1', 'openai', 'bat_done', 'submitted', 'batch_abc', 2, '${at}');`

/** What was done to the file, and all that is found of it. */
const TAMPERED: readonly (readonly [string, string, readonly (string | RegExp)[]])[] = [
  ['a process that was killed', DEAD, [/^note processes: 0 processes in use of this file, 1 that ended without/]],
  ['a batch without a process', running('bat_2', 'running'), ['warning batches: 1 batch that no process runs']],
  [
    'a parked batch that wakes by itself, and nobody to wake it',
    running('bat_2', 'parked', "'quota', '2026-11-22T00:00:00.000Z'"),
    ['warning batches: 1 batch that no process runs'],
  ],
  [
    'a parked batch that waits for somebody',
    running('bat_2', 'parked', "'quota', NULL"),
    ['note batches: 1 batch parked until they are resumed'],
  ],
  [
    'a paid reply without a grade',
    call('att_2', 'ok', { usd: 0.25 }) + call('att_3', 'ok', { usd: 0.5 }),
    ['note paid replies: 2 paid replies without a grade, $0.7500'],
  ],
  [
    'free replies and calls, as the built-in judge leaves them after a kill',
    call('att_2', 'ok', { usd: 0, reserved: 0 }) +
      call('att_3', 'unknown', { reserved: 0 }) +
      call('att_4', 'sent', { reserved: 0 }),
    [],
  ],
  [
    'a grade that was counted twice',
    "UPDATE evidence_tallies SET n = n + 1 WHERE kind = 'grade'",
    [
      /^warning evidence counts: 1 count that the stored grades do not come to, such as .*: 1 too many \(grade, graded\)/,
    ],
  ],
  [
    'a call in flight at a crash',
    call('att_2', 'unknown', { reserved: 1.5 }),
    ['note unknown calls: 1 call in flight at a crash, $1.5000 at most'],
  ],
  [
    'a call that is still open',
    call('att_2', 'sent'),
    ['note unknown calls: 1 call that a dead process had in flight'],
  ],
  ['a batch at a provider', submitted(new Date().toISOString()), ['note provider batches: 1 batch at a provider']],
  [
    'a batch at a provider since long',
    submitted('2026-01-01T00:00:00.000Z'),
    ['warning provider batches: 1 of 1 batch at a provider, since over a day'],
  ],
  [
    'a grade that is gone',
    'DELETE FROM grades WHERE rowid = 1',
    [
      /^error foreign keys: 1 row of current_grades/,
      /^note paid replies: 1 paid reply without/,
      /^warning evidence counts: 1 count .*: 1 too many/,
    ],
  ],
  [
    'a trajectory that cannot be decompressed',
    'UPDATE trajectories SET document = CAST(substr(document, 1, 20) AS BLOB) WHERE rowid = 2',
    [/^error stored trajectories: 1 document of 3 damaged: a stored text is damaged: it cannot be decompressed/],
  ],
  [
    'a trajectory with another text',
    "UPDATE trajectories SET document = CAST('{}' AS BLOB) WHERE rowid = 2",
    [/^error stored trajectories: 1 document of 3 damaged: another digest than its id/],
  ],
  [
    'a reply that cannot be decompressed',
    "UPDATE attempts SET raw_reply = x'28b52ffd0000' WHERE id = 'att_1'",
    [/^error stored replies: 1 document of 1 damaged: a stored text is damaged/],
  ],
  [
    'an older schema',
    'DELETE FROM schema_migrations WHERE name = (SELECT max(name) FROM schema_migrations)',
    [/^note schema: version (\d+) of \d+: older than this program/],
  ],
  [
    'a newer schema',
    "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')",
    [/^error schema: the database is newer than this version.*9999_future.sql/],
  ],
  [
    'a migration that was edited',
    "UPDATE schema_migrations SET sha256 = 'x' WHERE name LIKE '0001%'",
    ['error schema: migration 0001_initial.sql was changed after it was applied; restore the file'],
  ],
]
test.each(TAMPERED)('%s', async (_name, sql, expected) => {
  const path = await makeHealthy()
  tamper(path, sql)
  const found = troubles(await examine(path))
  expect(found).toEqual(expected.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))))
})

describe('files that are no database any more', () => {
  test('an index that lacks a row is found by the integrity check', async () => {
    const path = await makeHealthy()
    tamper(
      path,
      `PRAGMA writable_schema = ON;
       UPDATE sqlite_schema SET sql = 'CREATE INDEX grades_by_label ON grades (status, id)' WHERE name = 'grades_by_label'`,
    )
    const found = troubles(await examine(path, true))
    expect(found[0]).toMatch(/^error integrity: integrity_check: \d+ faults?, such as: .*grades_by_label/)
  })

  test.each([
    ['text', (path: string) => writeFileSync(path, 'no database '.repeat(1000))],
    ['half a file', (path: string) => truncateSync(path, 9000)],
    ['pages of zeros', (path: string) => zero(path, 4096 * 3)],
  ])('%s: told as findings, never thrown', async (_name, damage) => {
    const path = await makeHealthy()
    damage(path)
    const found = troubles(await examine(path, true))
    expect(found.length).toBeGreaterThan(0)
    expect(found.join('\n')).toMatch(/^error /m)
  })

  test('a newer one, which needs its own program and no backup', async () => {
    const path = await makeHealthy()
    tamper(path, "INSERT INTO schema_migrations VALUES ('9999_future.sql', 'x', 'now')")
    const found = (await examine(path)).find(({ check }) => check === 'schema')
    expect(found?.advice).toBe(
      'Run the version of Veridict that wrote it, or a newer one: that it is newer is no damage.',
    )
  })

  test('no file, and another program’s', async () => {
    const folder = tempFolder()
    expect(troubles(await examine(join(folder, 'none.sqlite')))).toEqual([expect.stringMatching(/^error open: /)])
    const other = join(folder, 'other.sqlite')
    tamper(other, 'CREATE TABLE mine (a)')
    expect(troubles(await examine(other))).toContain('error schema: this is no database of Veridict')
  })
})

/** Everything but the first page, in the middle of the file. */
function zero(path: string, from: number): void {
  const bytes = readFileSync(path)
  bytes.fill(0, from, Math.min(bytes.length, from + 4096 * 20))
  writeFileSync(path, bytes)
}

test('a paid reply of a batch that has ended is named, though its process lives', async () => {
  const path = await makeHealthy()
  const living = `INSERT INTO processes VALUES ('prc_here', '${hostname()}', ${process.pid}, '${new Date().toISOString()}');`
  const held = "UPDATE attempts SET process = 'prc_here', batch = "
  tamper(path, `${living + call('att_2', 'ok', { usd: 0.25 })}${held}'bat_done' WHERE id = 'att_2';`)
  const found = (await examine(path)).find(({ check }) => check === 'paid replies')
  expect(found).toMatchObject({ found: '1 paid reply without a grade, $0.2500', ids: ['att_2'] })
  expect(found?.means).toContain('They are kept')
  // Of a batch that has not ended it may be of a grade in the making.
  tamper(path, `${running('bat_2', 'running')} ${held}'bat_2' WHERE id = 'att_2';`)
  expect((await examine(path)).find(({ check }) => check === 'paid replies')?.severity).toBe('ok')
})

test('citations are counted again with --full', async () => {
  const path = await makeHealthy()
  tamper(path, "INSERT INTO evidence_tallies VALUES ('openai', 'tab-behavior@2', 'citation', 'not_found', 3)")
  expect(troubles(await examine(path))).toEqual([])
  expect(troubles(await examine(path, true))).toEqual([
    expect.stringMatching(/^warning evidence counts: .*openai, tab-behavior@2: 3 too many \(citation, not_found\)/),
  ])
})
