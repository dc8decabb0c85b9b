import { createHash } from 'node:crypto'
import Database from 'better-sqlite3'

/** What must never change or go once it is in the file: by id, a digest of the row. */
export interface Kept {
  readonly replies: ReadonlyMap<string, string>
  readonly grades: ReadonlyMap<string, string>
  readonly reviews: ReadonlyMap<string, string>
  readonly trajectories: ReadonlyMap<string, string>
}

const KEPT: Readonly<Record<keyof Kept, string>> = {
  replies: "SELECT id, hex(reply_text) || hex(raw_reply) || coalesce(usage, '') FROM attempts WHERE outcome = 'ok'",
  grades: 'SELECT id, body FROM grades',
  reviews: 'SELECT id, body FROM reviews',
  trajectories: 'SELECT id, hex(document) FROM trajectories',
}

const withFile = <T>(file: string, work: (db: Database.Database) => T): T => {
  const db = new Database(file, { readonly: true })
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** What a file holds, read as it was left. */
export const readKept = (file: string): Kept =>
  withFile(file, (db) => {
    const read = (sql: string): ReadonlyMap<string, string> => {
      const rows = db.prepare(sql).raw().all() as [string, string][]
      return new Map(rows.map(([id, text]) => [id, createHash('sha256').update(text).digest('hex')]))
    }
    return {
      replies: read(KEPT.replies),
      grades: read(KEPT.grades),
      reviews: read(KEPT.reviews),
      trajectories: read(KEPT.trajectories),
    }
  })

/** What was there before and is not, or is another, afterwards. */
export function findLost(before: Kept, after: Kept): string[] {
  return (Object.keys(KEPT) as (keyof Kept)[]).flatMap((kind) =>
    [...before[kind]].flatMap(([id, digest]) => (after[kind].get(id) === digest ? [] : [`${kind}: ${id} is lost`])),
  )
}

/** Queries that find something only in a file that breaks a promise; for a file that no process has open. */
const PROMISES: Readonly<Record<string, string>> = {
  'a call is still in flight, or a question in the queue':
    "SELECT id FROM attempts WHERE outcome IN ('queued', 'sent')",
  'a question was graded twice': `
    SELECT key FROM grades WHERE NOT silent GROUP BY key HAVING count(*) > 1`,
  'a stored reply was paid for again': `
    SELECT later.id FROM attempts AS later JOIN attempts AS stored
      ON stored.key = later.key AND stored.sample = later.sample AND stored.round = later.round
      AND stored.request_digest = later.request_digest
    WHERE stored.outcome = 'ok' AND later.seq > stored.seq`,
  'a batch lacks items': `
    SELECT id FROM batches WHERE total <> (SELECT count(*) FROM batch_items WHERE batch = batches.seq)`,
  'a draft is older than a day': `
    SELECT id FROM batches WHERE status = 'draft' AND created_at < strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-1 day')`,
  'items of no batch': 'SELECT seq FROM batch_items WHERE batch NOT IN (SELECT seq FROM batches)',
  'a batch has ended and an item has not': `
    SELECT batches.id FROM batches JOIN batch_items ON batch = batches.seq
    WHERE batches.status IN ('done', 'cancelled') AND batch_items.status IN ('pending', 'waiting')`,
  'an item has a grade that is not there': `
    SELECT item_id FROM batch_items WHERE grade_id IS NOT NULL AND grade_id NOT IN (SELECT id FROM grades)`,
  'an open item has no trajectory': `
    SELECT item_id FROM batch_items WHERE status IN ('pending', 'waiting') AND trajectory NOT IN (SELECT id FROM trajectories)
      AND (SELECT status FROM batches WHERE batches.seq = batch) <> 'draft'`,
  'a grade has a call that is not there': `
    SELECT grades.id FROM grades, json_each(body, '$.receipt.attempts') AS call
    WHERE call.value ->> '$.id' NOT IN (SELECT id FROM attempts)`,
  'a grade has no trajectory': 'SELECT id FROM grades WHERE trajectory NOT IN (SELECT id FROM trajectories)',
  'a key is answered by a failed grade, or by one that only checked stored replies': `
    SELECT id FROM grades WHERE is_current = 1 AND (status = 'failed' OR silent)`,
  'a key with a good grade is not answered': `
    SELECT key FROM grades WHERE status <> 'failed' AND NOT silent GROUP BY key HAVING sum(is_current) <> 1`,
  'a grade is not what its columns say': `
    SELECT id FROM grades WHERE NOT json_valid(body) OR body ->> '$.id' IS NOT id OR body ->> '$.status' IS NOT status
      OR body ->> '$.label' IS NOT label OR body ->> '$.receipt.key' IS NOT key OR body ->> '$.receipt.trajectory' IS NOT trajectory`,
  'money of a batch is not that of its calls': `
    SELECT scope FROM spending WHERE scope LIKE 'batch:%' AND (
      abs(settled_usd - (SELECT coalesce(sum(cost_usd), 0) FROM attempts WHERE 'batch:' || batch = scope)) > 1e-9
      OR abs(reserved_usd) > 1e-9
      OR calls <> (SELECT count(*) FROM attempts WHERE 'batch:' || batch = scope AND outcome NOT IN ('queued', 'void')))`,
}

/** Every promise of a file at rest that is broken, with what breaks it. */
export const findBroken = (file: string): string[] =>
  withFile(file, (db) => {
    const broken = Object.entries(PROMISES).flatMap(([name, sql]) => {
      const rows = db.prepare(sql).raw().all()
      return rows.length === 0 ? [] : [`${name}: ${JSON.stringify(rows.slice(0, 3))}`]
    })
    const integrity = db.pragma('integrity_check', { simple: true })
    const strangers = db.pragma('foreign_key_check') as unknown[]
    if (integrity !== 'ok') broken.push(`integrity_check: ${String(integrity)}`)
    if (strangers.length > 0) broken.push(`foreign_key_check: ${JSON.stringify(strangers.slice(0, 3))}`)
    return broken
  })
