import { sql as raw } from 'kysely'
import { LRUCache } from 'lru-cache'
import type { AccessStore, KeyRecord } from '../access/keys.ts'
import { type Db, insert, isDead } from './db.ts'
import type { Tables } from './schema.ts'

const KEY = raw`id, secret_sha256, name, scopes, max_requests_per_minute, max_cost_usd_per_day,
  created_at, expires_at, revoked_at, last_used_at`

/** The keys of the HTTP API, with digests of their secrets. */
export function createKeys(db: Db): AccessStore {
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
