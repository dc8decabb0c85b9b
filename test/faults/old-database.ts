import Database from 'better-sqlite3'
import { loadMigrations, migrate } from '../../src/storage/sqlite/migrate.ts'

const BODY = JSON.stringify({ id: 'grd_1', receipt: { trajectory: 'sha256:t', ground_truth: 'sha256:g' } })

/** Rows that a service of that version would have written, by the version that has room for them first. */
const ROWS: Readonly<Record<number, string>> = {
  1: `
    INSERT INTO trajectories (id, format, document, created_at) VALUES ('sha256:t', 'native', x'0102', '2026-11-01');
    INSERT INTO grades (id, key, status, label, judge, rubric, trajectory, ground_truth, body, created_at)
      VALUES ('grd_1', 'sha256:k', 'graded', 'aligned', 'm', 'r@1', 'sha256:t', '{}', '${BODY}', '2026-11-01');
    INSERT INTO current_grades VALUES ('sha256:k', 'grd_1');
    INSERT INTO attempts (id, grade_id, key, sample, round, purpose, request_digest, judge, started_at, outcome,
      reply_text, raw_reply, cost_usd)
      VALUES ('att_1', 'grd_1', 'sha256:k', 0, 0, 'decide', 'sha256:q', 'm', '2026-11-01', 'ok', x'03', x'04', 0.25),
        ('att_2', 'grd_2', 'sha256:l', 0, 0, 'decide', 'sha256:q', 'm', '2026-11-01', 'sent', NULL, NULL, NULL);
    INSERT INTO aliases VALUES ('raw', 'sha256:k', '{}');
    INSERT INTO idempotency_keys VALUES ('/v1/grades/a', 'sha256:d', 201, '{}', '2026-11-01');
    INSERT INTO rubrics VALUES ('r@1', 'sha256:r', '{}', '2026-11-01');
    INSERT INTO settings VALUES ('rendering_secret', x'05');`,
  3: `
    INSERT INTO batches (id, kind, mode, status, total, created_at)
      VALUES ('bat_1', 'grade', 'direct', 'running', 2, '2026-11-01');
    INSERT INTO batch_items (batch, idx, item_id, trajectory, request)
      VALUES (1, 0, 'a', 'sha256:t', '{}'), (1, 1, 'b', 'sha256:t', '{}');
    UPDATE batch_items SET status = 'graded', label = 'aligned', grade_id = 'grd_1' WHERE idx = 0;
    INSERT INTO spending (scope, settled_usd, calls) VALUES ('batch:bat_1', 0.25, 1);`,
  4: `
    INSERT INTO reviews (id, grade_id, question, rater, label, body, created_at)
      VALUES ('rev_1', 'grd_1', 'sha256:t/sha256:g', 'Ada', 'aligned', '{}', '2026-11-01');`,
  7: `
    INSERT INTO comments (id, grade_id, trajectory, body, created_at)
      VALUES ('com_1', 'grd_1', 'sha256:t', '{}', '2026-11-01');`,
}

/** Writes a file of an earlier version, with data of its time; version 0 has nothing at all. */
export function makeOldDatabase(file: string, version: number): void {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  const migrations = loadMigrations()
  for (let at = 1; at <= version; at++) {
    migrate(db, migrations.slice(0, at))
    db.exec(ROWS[at] ?? '')
  }
  db.close()
}

/** Brings a file further with the code of today, without a fault. */
export function bringTo(file: string, version: number): void {
  const db = new Database(file)
  migrate(db, loadMigrations().slice(0, version))
  db.close()
}

/** Everything that a file holds, tables and rows, but for when its migrations were applied. */
export function dump(file: string): string {
  const db = new Database(file, { readonly: true })
  try {
    const schema = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all()
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()
    const rows = (tables as string[]).map((name) => {
      const columns = name === 'schema_migrations' ? 'name, sha256' : '*'
      return [name, db.prepare(`SELECT ${columns} FROM "${name}" ORDER BY 1, 2`).raw().all()]
    })
    return JSON.stringify([schema, rows])
  } finally {
    db.close()
  }
}
