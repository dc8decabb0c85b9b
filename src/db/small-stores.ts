import { sql as raw } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { AccessStore, KeyRecord } from '../access/keys.ts'
import type { Digest } from '../domain/digest.ts'
import type { Disposition, Review, Signoff } from '../schemas/review.ts'
import { lockBatch } from './batches.ts'
import { type Db, insert, isDead, newest, type Page } from './db.ts'
import type { Tables } from './schema.ts'
import { packDocument, parseStored, unpackText } from './text.ts'

/** A stored run; `document`: its source document, as parsed JSON. */
type StoredTrajectory = Readonly<Omit<Tables['trajectories'], 'document'> & { document: Record<string, unknown> }>

type ReviewQuery = Page & Readonly<Partial<Record<'rater' | 'grade_id' | 'question', string>>>

export type ReviewStore = ReturnType<typeof createSmallStores>['reviews']

export const createSmallStores = (db: Db) => ({
  access: createKeys(db),
  idempotency: createIdempotency(db),
  settings: createSettings(db),
  trajectories: {
    async put({ id, format, document }: Omit<StoredTrajectory, 'created_at'>, at: string): Promise<boolean> {
      // Compressed before the write lock is taken, and neither compressed nor sent where the document is known.
      if ((await db.read.first`SELECT id FROM trajectories WHERE id = ${id}`) !== undefined) return false
      const row = { id, format, document: packDocument(document), created_at: at }
      return (await db.write((sql) => insert(sql, 'trajectories', row, raw`ON CONFLICT DO NOTHING`))) > 0
    },
    async get(id: Digest): Promise<StoredTrajectory | null> {
      const row = await db.read.first<Tables['trajectories']>`
        SELECT id, format, document, created_at FROM trajectories WHERE id = ${id}`
      return row === undefined ? null : { ...row, document: parseStored(unpackText(row.document)) }
    },
    /** Finds the stored bytes of a document, to be opened beside the event loop. */
    async getPacked(id: Digest): Promise<Uint8Array | null> {
      const row = await db.read.first<{ document: Buffer }>`SELECT document FROM trajectories WHERE id = ${id}`
      return row?.document ?? null
    },
  },
  /** Human labels, append-only. */
  reviews: {
    put: (review: Review) => db.write((sql) => insert(sql, 'reviews', renderReview(review))),
    async list({ question, grade_id, rater, ...page }: ReviewQuery): Promise<readonly Review[]> {
      const filters = Object.entries({ question, grade_id, rater })
      const rows = await db.read.all<{ review: Review }>`${newest(db, 'reviews', 'body AS review', filters, page)}`
      return rows.map(({ review }) => review)
    },
  },
  /** Decisions about the findings of batches, and sign-offs: append-only. */
  dispositions: {
    /** Stores a decision or a sign-off; a repetition of the newest of its class is not stored. Returns the stored record. */
    put: <R extends Disposition | Signoff>(record: R): Promise<R> =>
      db.write(async (sql) => {
        const row = renderDisposition(record)
        // One process at a time, so that two equal requests store one row.
        await lockBatch(sql, row.batch)
        const newest = await sql.first<{ disposition: R }>`SELECT body AS disposition FROM dispositions
          WHERE batch = ${row.batch} AND class = ${row.class} ORDER BY id DESC LIMIT 1`
        if (newest !== undefined && contentOf(newest.disposition) === contentOf(record)) return newest.disposition
        await insert(sql, 'dispositions', row)
        return record
      }),
    /** Reads the newest disposition of each class of a batch, by class, and the newest sign-off. */
    async of(batch: string) {
      const rows = await db.read.all<{ class: string; disposition: Disposition | Signoff }>`
        SELECT class, body AS disposition FROM dispositions WHERE id IN (
          SELECT max(id) FROM dispositions WHERE batch = ${batch} GROUP BY class)`
      const newest = new Map(rows.map((row) => [row.class, row.disposition]))
      const signoff = (newest.get(SIGNOFF) ?? null) as Signoff | null
      newest.delete(SIGNOFF)
      return { newest: newest as ReadonlyMap<string, Disposition>, signoff }
    },
  },
})

export function renderReview(review: Review) {
  const { id, grade_id, rater, label, created_at, trajectory, ground_truth } = review
  const question = `${trajectory}/${ground_truth}`
  return { id, grade_id, question, rater, label, body: JSON.stringify(review), created_at }
}

/** The class of the rows that sign a batch. */
const SIGNOFF = 'signoff'

export function renderDisposition(record: Disposition | Signoff) {
  const { id, batch, created_at } = record
  return { id, batch, class: 'class' in record ? record.class : SIGNOFF, body: JSON.stringify(record), created_at }
}

const contentOf = ({ id: _, created_at: __, ...content }: Disposition | Signoff): string => JSON.stringify(content)

function createSettings(db: Db) {
  /** Returns the value under a name, which is stored where there was none: of two processes that make a value at the same time, both use the first. */
  async function once(name: string, make: () => Uint8Array): Promise<Buffer> {
    const known = await db.read.first<{ value: Buffer }>`SELECT value FROM settings WHERE name = ${name}`
    if (known !== undefined) return known.value
    const row = { name, value: Buffer.from(make()) }
    await db.write((sql) => insert(sql, 'settings', row, raw`ON CONFLICT DO NOTHING`))
    return once(name, make)
  }
  return {
    /** Finds the secret of marker nonces: made once, then stable, so that prompts stay byte-equal. */
    renderingSecret: async (make: () => Uint8Array) => new Uint8Array(await once('rendering_secret', make)),
    /** Returns the digest that is stored under the name of a rubric, after storing this digest where there was none. */
    async registerRubric(name: string, digest: Digest, content: string): Promise<Digest> {
      const value = await once(`rubric:${name}`, () => Buffer.from(JSON.stringify({ digest, content })))
      return parseStored<{ digest: Digest }>(value.toString('utf8')).digest
    },
    /** Writes to the database: reading alone shows neither a full disk nor a standby. Rejects with a StorageError. */
    async check(): Promise<void> {
      const row = { name: 'heartbeat', value: Buffer.from(new Date().toISOString()) }
      const again = raw`ON CONFLICT (name) DO UPDATE SET value = excluded.value`
      await db.write((sql) => insert(sql, 'settings', row, again))
    },
  }
}

const KEY = raw`id, secret_sha256, name, scopes, max_requests_per_minute, max_cost_usd_per_day,
  created_at, expires_at, revoked_at, last_used_at`

/** The keys of the HTTP API, with digests of their secrets. */
function createKeys(db: Db): AccessStore {
  const findKey = async (id: string): Promise<KeyRecord | null> =>
    (await db.read.first<KeyRecord>`SELECT ${KEY} FROM api_keys WHERE id = ${id}`) ?? null
  return {
    findKey,
    addKey: (key) => db.write((sql) => insert(sql, 'api_keys', { ...key, project: 'default' })),
    listKeys: () => db.read.all<KeyRecord>`SELECT ${KEY} FROM api_keys ORDER BY seq`,
    async revokeKey(id, at) {
      await db.write((sql) => sql.run`UPDATE api_keys SET revoked_at = ${at} WHERE id = ${id} AND revoked_at IS NULL`)
      return findKey(id)
    },
    touchKey: (id, at) => db.write((sql) => sql.run`UPDATE api_keys SET last_used_at = ${at} WHERE id = ${id}`),
  }
}

type Answer = Readonly<Omit<Tables['idempotency_keys'], 'key'>>

/** The status of a key whose request is being answered. */
const IN_PROGRESS = 0
/** Characters of the answers of a process that wait for the database: the oldest are dropped. */
const MOST_UNSTORED = 16 * 1024 * 1024
const FIRST_ANSWER = raw`ON CONFLICT (key) DO UPDATE
  SET request_digest = excluded.request_digest, status = excluded.status, body = excluded.body
  WHERE idempotency_keys.status = ${IN_PROGRESS}`

export function createIdempotency(db: Db) {
  /** Condition: a process answers the request of the key; this process. */
  const isTaken = (key: string) => raw`key = ${key} AND status = ${IN_PROGRESS}`
  const isOwn = (key: string) => raw`${isTaken(key)} AND body = ${db.process}`
  const sizeCalculation = ({ body }: Answer): number => body.length + 1
  /** Good answers that the database refused, by key: the retry of their request is not paid for again. */
  const unstored = new LRUCache<string, Answer>({ maxSize: MOST_UNSTORED, sizeCalculation })
  async function store(key: string, answer: Answer): Promise<void> {
    unstored.set(key, answer)
    await db.write((sql) => insert(sql, 'idempotency_keys', { key, ...answer }, FIRST_ANSWER))
    unstored.delete(key)
  }
  return {
    async find(key: string): Promise<Omit<Answer, 'created_at'> | null> {
      const row = await db.read.first<Answer>`
        SELECT request_digest, status, body FROM idempotency_keys WHERE key = ${key} AND status <> ${IN_PROGRESS}`
      return row ?? unstored.get(key) ?? null
    },
    /** Takes a key, over all processes; false while another request has the key, which was renewed since `lost`, and whose process is not dead. */
    take: (key: string, request_digest: string, at: string, lost: string): Promise<boolean> =>
      db.write(async (sql) => {
        const other = await sql.first<Answer>`SELECT body, created_at FROM idempotency_keys WHERE ${isTaken(key)}`
        if (other !== undefined && (other.created_at < lost || isDead(db, other.body)))
          await sql.run`DELETE FROM idempotency_keys WHERE ${isTaken(key)} AND created_at = ${other.created_at}`
        const row = { key, request_digest, status: IN_PROGRESS, body: db.process, created_at: at }
        return (await insert(sql, 'idempotency_keys', row, raw`ON CONFLICT (key) DO NOTHING`)) > 0
      }),
    /** Says that this process still answers the request of a key. */
    renew: (key: string, at: string) =>
      db.write((sql) => sql.run`UPDATE idempotency_keys SET created_at = ${at} WHERE ${isOwn(key)}`),
    /** Gives a key back whose request this process refused or failed to answer; a good answer is stored after all. */
    async release(key: string): Promise<void> {
      const answer = unstored.get(key)
      if (answer !== undefined) return store(key, answer)
      await db.write((sql) => sql.run`DELETE FROM idempotency_keys WHERE ${isOwn(key)}`)
    },
    /** Stores the answer of a key; the first answer stays. Where the database refuses, this process keeps the answer. */
    put: (key: string, answer: Omit<Answer, 'created_at'>, at: string) => store(key, { ...answer, created_at: at }),
  }
}
