import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { openSqliteStores } from '../../src/storage/sqlite/sqlite.ts'
import { tempDatabase } from './temp-folder.ts'
import { transfer } from './transfer-tools.ts'

const OUTSIDE =
  /^bodies of this database lie in an S3 store, which this version cannot read\. Check out commit [0-9a-f]{40} of Veridict, run `npm run veridict -- export --all-projects --out FOLDER` there .* `veridict import FILE` here/

const ROWS = [
  `INSERT INTO trajectories (id, format, document, created_at, outside_bytes) VALUES ('sha256:1', 'steps', x'fe01', '', 20000)`,
  `INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome, reply_text, raw_reply, outside_bytes)
   VALUES ('att_1', 'grd_1', 'k', 0, 0, 'decide', 'd', 'j', '', 'ok', x'fe01', x'fe01', 20000)`,
]

test.each(ROWS)('a store with a body in an S3 store is refused with the way to carry it over: %s', async (row) => {
  const path = tempDatabase()
  await openSqliteStores({ path }).close()
  const db = new Database(path)
  db.exec(row)
  db.close()
  expect(() => openSqliteStores({ path })).toThrow(OUTSIDE)
  const { code, out, err } = await transfer({ VERIDICT_DATABASE: path }, 'export')
  expect([code, out.split('\n').length, err]).toEqual([1, 2, expect.stringContaining('lie in an S3 store')])
})
