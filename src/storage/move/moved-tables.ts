import { parseStored } from '../stored-text.ts'
import type { Row, Value } from './rows.ts'

export type Type = 'text' | 'integer' | 'real' | 'bytes'

/** How a table of SQLite becomes the table of that name of PostgreSQL. `test/storage/move-tables.test.ts` holds it against both catalogues. */
export interface MovedTable {
  readonly name: string
  /** Columns of PostgreSQL in a fixed order: that of the digests. */
  readonly columns: Readonly<Record<string, Type>>
  /** The primary key in PostgreSQL. */
  readonly key: readonly string[]
  /** Columns with another name in the source. */
  readonly renamed: Readonly<Record<string, string>>
  /** Columns that SQLite has not, from the row. */
  readonly made: Readonly<Record<string, (row: Row) => Value>>
  /** Columns of the source that are only an order of rows which another column gives, too. */
  readonly dropped: readonly string[]
  /** Rows that belong to a database and not to what is in it, by a condition that both sides understand. Earlier versions left `store_move`. */
  readonly without: string | null
}

type Words = Partial<Omit<MovedTable, 'name' | 'columns' | 'key'>>

const table = (
  name: string,
  key: readonly string[],
  columns: MovedTable['columns'],
  words: Words = {},
): MovedTable => ({
  ...{ name, key, columns, renamed: {}, made: {}, dropped: [], without: null },
  ...words,
})

/** The order of writing is a column of PostgreSQL, where something is read in it. */
const ORDERED: Words = { renamed: { seq: 'rowid' } }
/** The order is that of ids. */
const BY_ID: Words = { dropped: ['rowid'] }

type Json = Readonly<Record<string, unknown>>

/** PostgreSQL counts in parts; what comes over is one. */
const IN_PARTS: Words = { made: { part: () => 0n } }

/** A part of a JSON column; null where it has none. */
function partOf(row: Row, column: string, part: string): unknown {
  const text = row[column]
  return typeof text === 'string' ? (parseStored<Json>(text)[part] ?? null) : null
}

const signals = (row: Row): Value => {
  const found = partOf(row, 'ground_truth', 'signals')
  return found === null ? null : JSON.stringify(found)
}
const plannedText =
  (part: string) =>
  (row: Row): Value => {
    const found = partOf(row, 'planned', part)
    return typeof found === 'string' ? found : null
  }
const plannedNumber =
  (part: string) =>
  (row: Row): Value => {
    const found = partOf(row, 'planned', part)
    return typeof found === 'number' ? found : null
  }

const GRADES: Readonly<Record<string, Type>> = {
  ...{ id: 'text', key: 'text', status: 'text', label: 'text', claimed_label: 'text', judge: 'text', rubric: 'text' },
  ...{ trajectory: 'text', agent: 'text', model: 'text', task: 'text', batch: 'text', ground_truth: 'text' },
  ...{ signals: 'text', body: 'text', created_at: 'text', silent: 'integer', question: 'text' },
}

const ATTEMPTS: Readonly<Record<string, Type>> = {
  ...{
    seq: 'integer',
    id: 'text',
    grade_id: 'text',
    key: 'text',
    sample: 'integer',
    round: 'integer',
    purpose: 'text',
  },
  ...{ request_digest: 'text', judge: 'text', started_at: 'text', batch: 'text', payer: 'text', reserved_usd: 'real' },
  ...{ process: 'text', outcome: 'text', message: 'text', reply_text: 'bytes', raw_reply: 'bytes', usage: 'text' },
  ...{ cost_usd: 'real', latency_ms: 'real', request_id: 'text', model_resolved: 'text', outside_bytes: 'integer' },
  lease: 'text',
}

const BATCHES: Readonly<Record<string, Type>> = {
  ...{ seq: 'integer', id: 'text', kind: 'text', mode: 'text', name: 'text', key: 'text', status: 'text' },
  ...{ max_cost_usd: 'real', parked_reason: 'text', resumes_at: 'text', process: 'text', payer: 'text' },
  ...{ payer_cap_usd: 'real', total: 'integer', created_at: 'text', finished_at: 'text' },
}

const ITEMS: Readonly<Record<string, Type>> = {
  ...{ batch: 'integer', idx: 'integer', item_id: 'text', trajectory: 'text', request: 'text', base_grade: 'text' },
  ...{ status: 'text', label: 'text', grade_id: 'text', failure_code: 'text', failure: 'text', cached: 'integer' },
}

const REQUESTS: Readonly<Record<string, Type>> = {
  ...{ seq: 'integer', id: 'text', planned: 'text', payer: 'text', started_at: 'text', reserved_usd: 'real' },
  ...{ key: 'text', sample: 'integer', round: 'integer', request_digest: 'text', judge: 'text', batch: 'text' },
  ...{ item: 'integer', line: 'bytes', bytes: 'integer', provider_batch: 'integer', failure: 'text', status: 'text' },
}

const SUBMISSIONS: Readonly<Record<string, Type>> = {
  ...{ seq: 'integer', id: 'text', judge: 'text', batch: 'text', status: 'text', provider_id: 'text' },
  ...{ requests: 'integer', detail: 'text', recorded_at: 'text', ended_at: 'text' },
}

const KEYS: Readonly<Record<string, Type>> = {
  ...{ seq: 'integer', id: 'text', secret_sha256: 'bytes', name: 'text', project: 'text', scopes: 'text' },
  ...{ max_requests_per_minute: 'integer', max_cost_usd_per_day: 'real', created_at: 'text', expires_at: 'text' },
  ...{ revoked_at: 'text', last_used_at: 'text' },
}

/** In the order of their references: what is referred to comes first. */
export const MOVED: readonly MovedTable[] = [
  table('settings', ['name'], { name: 'text', value: 'bytes' }, { without: "name IN ('heartbeat', 'store_move')" }),
  table('rubrics', ['name'], { name: 'text', digest: 'text', content: 'text', created_at: 'text' }),
  table('api_keys', ['seq'], KEYS, ORDERED),
  table('sessions', ['secret_sha256'], {
    secret_sha256: 'bytes',
    key_id: 'text',
    created_at: 'text',
    expires_at: 'text',
  }),
  table('blob_places', ['seq'], { seq: 'integer', place: 'text', since: 'text' }, ORDERED),
  table(
    'trajectories',
    ['id'],
    { id: 'text', format: 'text', document: 'bytes', created_at: 'text', outside_bytes: 'integer' },
    BY_ID,
  ),
  table('grades', ['id'], GRADES, { ...BY_ID, made: { signals } }),
  table('current_grades', ['key'], { key: 'text', grade_id: 'text' }),
  table(
    'reviews',
    ['id'],
    {
      ...{ id: 'text', grade_id: 'text', question: 'text', rater: 'text', label: 'text', body: 'text' },
      created_at: 'text',
    },
    BY_ID,
  ),
  table(
    'comments',
    ['id'],
    { id: 'text', grade_id: 'text', trajectory: 'text', body: 'text', created_at: 'text' },
    BY_ID,
  ),
  // Leases are of processes, and of those none is alive.
  table('attempts', ['seq'], ATTEMPTS, { ...ORDERED, made: { lease: () => null } }),
  table('aliases', ['raw_digest'], { raw_digest: 'text', key: 'text', metadata: 'text' }),
  table('idempotency_keys', ['key'], {
    ...{ key: 'text', request_digest: 'text', status: 'integer', body: 'text', created_at: 'text' },
  }),
  table(
    'spending',
    ['scope', 'part'],
    {
      ...{ scope: 'text', settled_usd: 'real', reserved_usd: 'real', uncertain_usd: 'real' },
      ...{ calls: 'integer', unknown_calls: 'integer', unpriced_calls: 'integer', part: 'integer' },
    },
    IN_PARTS,
  ),
  table('batches', ['seq'], BATCHES, ORDERED),
  table('batch_items', ['batch', 'idx'], ITEMS, { dropped: ['rowid'] }),
  table(
    'batch_tallies',
    ['batch', 'status', 'detail', 'cached', 'part'],
    {
      ...{ batch: 'integer', status: 'text', detail: 'text', cached: 'integer', n: 'integer', part: 'integer' },
    },
    IN_PARTS,
  ),
  table('provider_batches', ['seq'], SUBMISSIONS, ORDERED),
  table('provider_requests', ['seq'], REQUESTS, {
    ...ORDERED,
    made: {
      payer: plannedText('payer'),
      started_at: plannedText('started_at'),
      reserved_usd: plannedNumber('reserved_usd'),
    },
  }),
]

/** What says who uses a database, and how it came to be: each has its own. What is counted of grades is counted anew when they come. */
export const NOT_MOVED: Readonly<Record<'sqlite' | 'postgres', readonly string[]>> = {
  sqlite: ['schema_migrations', 'processes', 'evidence_tallies'],
  postgres: ['schema_migrations', 'processes', 'evidence_tallies', 'leases', 'sendings', 'judges'],
}
