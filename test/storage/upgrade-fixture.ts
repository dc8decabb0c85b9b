import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import { type Digest, digestBytes, digestValue } from '../../src/domain/digest.ts'
import { loadMigrations, migrate } from '../../src/storage/sqlite/migrate.ts'
import { packText } from '../../src/storage/stored-text.ts'
import { KEY, planAttempt, REQUEST } from './make-attempt.ts'
import { AT, makeItem } from './make-batch.ts'
import { GROUND_TRUTH, makeGrade } from './make-grade.ts'

/** A database of an earlier version: the first migrations, and rows as the code of that version wrote them. */

/** The newest version, as a number of migrations. */
export const NEWEST = loadMigrations().length

type Row = Readonly<Record<string, string | number | bigint | Buffer | null>>

function insertRow(db: Database.Database, table: string, row: Row): void {
  const names = Object.keys(row)
  db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(
    row,
  )
}

/** Texts that must come back exactly: lone surrogates, NUL, a key that names a prototype, more than a megabyte. */
export const DOCUMENTS = [
  { steps: [{ actor: 'user', text: 'Build the project.' }] },
  { steps: [{ actor: 'tool_output', text: 'lone \ud83d surrogate, NUL \0, naïve 中文' }] },
  JSON.parse('{"steps": [], "__proto__": {"polluted": true}}') as Record<string, unknown>,
  { steps: [{ actor: 'tool_output', text: 'long '.repeat(300_000) }] },
] as const

/** The oldest grades know no day of their prices, and metadata may hold what no filter knows. */
function oldGrade(words: Parameters<typeof makeGrade>[0]): string {
  const grade = makeGrade(words)
  const { price_as_of: _unknown, ...receipt } = grade.receipt
  return JSON.stringify({ ...grade, receipt: { ...receipt, trajectory: digestValue(DOCUMENTS[0]) } })
}

export const BODIES: readonly string[] = [
  oldGrade({ at: 1000, key: 'a', metadata: { agent: 'terminus-2', model: 'm', task: 'fix-git', run_index: 3 } }),
  oldGrade({ at: 2000, key: 'a', status: 'failed' }),
  oldGrade({ at: 3000, key: 'b', status: 'unverified', notes: 'naïve \ud83d 中文 \u0000' }),
  oldGrade({ at: 4000, key: 'c', label: 'ignored', metadata: { batch: 'bat_old', odd: null, agent: 'terminus-2' } }),
  oldGrade({ at: 5000, key: 'c', label: 'distractor_only' }),
]

interface Kept {
  readonly id: string
  readonly status: string
  readonly label: string | null
  readonly claimed_label: string | null
  readonly receipt: {
    readonly key: Digest
    readonly judge: string
    readonly rubric: string
    readonly trajectory: string
  }
  readonly metadata: Readonly<Record<string, unknown>>
  readonly created_at: string
}

export const parseBody = (body: string): Kept => JSON.parse(body) as Kept

function addGrade(db: Database.Database, body: string): void {
  const { id, status, label, claimed_label, receipt, metadata, created_at } = parseBody(body)
  const { key, judge, rubric, trajectory } = receipt
  const [agent = null, model = null, task = null] = ['agent', 'model', 'task'].map((name) => {
    const value = metadata[name]
    return typeof value === 'string' ? value : null
  })
  const columns = { id, key, status, label, claimed_label, judge, rubric, trajectory, agent, model, task, batch: null }
  insertRow(db, 'grades', { ...columns, ground_truth: JSON.stringify(GROUND_TRUTH), body, created_at })
  if (status !== 'failed')
    db.prepare(
      'INSERT INTO current_grades VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET grade_id = excluded.grade_id',
    ).run(key, id)
}

function addAttempt(db: Database.Database, id: string, outcome: string, more: Row = {}): void {
  const { batch: _batch, payer: _payer, reserved_usd: _reserved, leases: _leases, ...planned } = planAttempt(id)
  const replied = { reply_text: packText('{"notes":"ok"}', 1024), raw_reply: packText('raw '.repeat(1000), 1024) }
  insertRow(db, 'attempts', { ...planned, outcome, ...(outcome === 'ok' && replied), ...more })
}

function fillFirst(db: Database.Database): void {
  for (const document of DOCUMENTS) {
    const packed = packText(JSON.stringify(document), 0)
    insertRow(db, 'trajectories', { id: digestValue(document), format: 'steps', document: packed, created_at: AT })
  }
  for (const body of BODIES) addGrade(db, body)
  const graded = parseBody(BODIES[0] ?? '').id
  const usage = '{"input_tokens":1,"output_tokens":2,"cache_read_tokens":0,"cache_write_tokens":0}'
  addAttempt(db, 'att_graded', 'ok', {
    grade_id: graded,
    key: parseBody(BODIES[0] ?? '').receipt.key,
    usage,
    cost_usd: 0.001,
  })
  addAttempt(db, 'att_orphan', 'ok', { grade_id: 'grd_never', cost_usd: 0.25, latency_ms: 12.5, request_id: 'req_1' })
  addAttempt(db, 'att_sent', 'sent', { sample: 1 })
  addAttempt(db, 'att_unknown', 'unknown', { sample: 2, message: 'the process ended while the call was in flight' })
  addAttempt(db, 'att_slow', 'timeout', { sample: 3, message: 'naïve \0', raw_reply: Buffer.from('half an ans') })
  insertRow(db, 'aliases', { raw_digest: digestBytes('raw'), key: KEY, metadata: '{"task":"fix-git"}' })
  insertRow(db, 'idempotency_keys', {
    key: 'once',
    request_digest: REQUEST,
    status: 201,
    body: '{"id":"x"}',
    created_at: AT,
  })
  insertRow(db, 'rubrics', { name: 'mine@1', digest: digestBytes('mine'), content: '{}', created_at: AT })
  insertRow(db, 'settings', { name: 'rendering_secret', value: Buffer.alloc(32, 7) })
}

function fillBatches(db: Database.Database): void {
  insertRow(db, 'processes', { id: 'prc_gone', host: 'elsewhere', pid: 1, seen_at: '2020-01-01T00:00:00.000Z' })
  insertRow(db, 'spending', { scope: 'day:2026-11-21', settled_usd: 0.251, reserved_usd: 1, calls: 4 })
  insertRow(db, 'spending', { scope: 'batch:bat_running', reserved_usd: 1, calls: 1, uncertain_usd: 0.5 })
  const kept = { kind: 'grade', mode: 'direct', created_at: AT }
  insertRow(db, 'batches', {
    ...kept,
    id: 'bat_running',
    status: 'running',
    key: 'again',
    process: 'prc_gone',
    total: 4,
  })
  insertRow(db, 'batches', { ...kept, id: 'bat_parked', status: 'parked', parked_reason: 'no quota', name: 'naïve' })
  insertRow(db, 'batches', { ...kept, id: 'bat_done', kind: 'recheck', status: 'done', finished_at: AT })
  insertRow(db, 'batches', { ...kept, id: 'bat_draft', status: 'draft', process: 'prc_gone' })
  for (const index of [0, 1, 2, 3]) {
    const { item_id, request, index: idx } = makeItem(index)
    const trajectory = digestValue(DOCUMENTS[0])
    insertRow(db, 'batch_items', {
      batch: 1,
      idx,
      item_id,
      trajectory,
      request: JSON.stringify(request),
      base_grade: null,
    })
  }
  const end = db.prepare(
    'UPDATE batch_items SET status = ?, label = ?, grade_id = ?, failure_code = ?, failure = ? WHERE idx = ?',
  )
  end.run('graded', 'aligned', parseBody(BODIES[0] ?? '').id, null, null, 0)
  end.run('failed', null, null, 'timeout', '{"code":"timeout","message":"m","retryable":true,"retry_after_s":null}', 1)
  end.run('waiting', null, null, null, null, 2)
  addAttempt(db, 'att_of_batch', 'sent', { process: 'prc_gone', batch: 'bat_running', reserved_usd: 1, sample: 4 })
  insertRow(db, 'provider_batches', {
    ...{ id: 'sub_1', judge: 'openai', batch: 'bat_running', status: 'submitted', provider_id: 'batch_abc' },
    ...{ requests: 1, recorded_at: AT },
  })
  const planned = JSON.stringify(planAttempt('att_provider', { sample: 5, batch: 'bat_running', reserved_usd: 0.1 }))
  insertRow(db, 'provider_requests', {
    ...{ id: 'att_provider', planned, key: KEY, sample: 5, round: 0, request_digest: REQUEST, judge: 'openai' },
    ...{
      batch: 'bat_running',
      item: 2,
      line: packText('{"custom_id":"att_provider"}', 0),
      bytes: 29,
      provider_batch: 1,
      status: 'sent',
    },
  })
}

function fillReviews(db: Database.Database): void {
  const { id, receipt } = parseBody(BODIES[3] ?? '')
  const question = `${receipt.trajectory}/${digestBytes('ground truth')}`
  db.prepare('UPDATE grades SET question = ?').run(question)
  const body = { id: 'rev_1', grade_id: id, rater: 'ada', label: null, comment: 'naïve \0' }
  insertRow(db, 'reviews', {
    id: 'rev_1',
    grade_id: id,
    question,
    rater: 'ada',
    label: null,
    body: JSON.stringify(body),
    created_at: AT,
  })
  // Silent: beside the grade that answers the key.
  addGrade(db, oldGrade({ at: 6000, key: 'silent' }))
  db.exec("UPDATE grades SET silent = 1, question = 'x/y' WHERE rowid = 6; DELETE FROM current_grades WHERE rowid = 4")
}

function fillAccess(db: Database.Database): void {
  const key = {
    id: 'abcdef0123',
    secret_sha256: Buffer.alloc(32, 1),
    name: 'ada',
    project: 'default',
    scopes: '["admin"]',
  }
  insertRow(db, 'api_keys', { ...key, created_at: AT, revoked_at: AT })
  insertRow(db, 'sessions', { secret_sha256: Buffer.alloc(32, 2), key_id: key.id, created_at: AT, expires_at: AT })
}

/** Named, and nothing put there: all rows are read as they are. */
const fillBlobs = (db: Database.Database): void =>
  insertRow(db, 'blob_places', { place: 's3://bucket/prefix', since: AT })

function fillComments(db: Database.Database): void {
  const { id: grade_id, receipt } = parseBody(BODIES[3] ?? '')
  const body = JSON.stringify({ id: 'com_1', grade_id, step_id: 1, text: 'naïve \0', rater: null })
  insertRow(db, 'comments', { id: 'com_1', grade_id, trajectory: receipt.trajectory, body, created_at: AT })
}

/** From here on the store counts, and no trigger. */
const fillTallies = (db: Database.Database): void =>
  insertRow(db, 'evidence_tallies', {
    judge: 'lexical',
    rubric: 'tab-behavior@1',
    kind: 'grade',
    status: 'graded',
    n: 3,
  })

const NOTHING = (): void => undefined
const FILLS = [
  ...[fillFirst, NOTHING, fillBatches, fillReviews, fillAccess, fillBlobs, fillComments],
  ...[NOTHING, NOTHING, NOTHING, fillTallies],
]

/** Makes the file as version `version` (1 to `NEWEST`) leaves it. */
export function makeOldDatabase(path: string, version: number): void {
  mkdirSync(dirname(path), { recursive: true })
  const db = new Database(path)
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('foreign_keys = ON')
    migrate(db, loadMigrations().slice(0, version))
    // Rows of the first version are older than the tables of the later ones.
    for (const fill of FILLS.slice(0, version)) fill(db)
  } finally {
    db.close()
  }
}

export type Snapshot = Readonly<
  Record<string, { readonly columns: readonly string[]; readonly rows: readonly unknown[] }>
>

/** Every column of every row, or of the given columns only. */
export function snapshot(path: string, like?: Snapshot): Snapshot {
  const db = new Database(path, { readonly: true })
  try {
    const names = db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
      .pluck()
      .all() as string[]
    const tables = (like === undefined ? names : Object.keys(like)).map((name) => {
      const all = db.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(name) as string[]
      const columns = like?.[name]?.columns ?? all
      const rows = db
        .prepare(`SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "${name}"`)
        .raw()
        .all()
      return [name, { columns, rows }] as const
    })
    return Object.fromEntries(tables)
  } finally {
    db.close()
  }
}
