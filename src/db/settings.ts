import type { Digest } from '../domain/digest.ts'
import type { Db } from './db.ts'
import { refusal } from './errors.ts'
import { isDead } from './processes.ts'
import { parseStored } from './text.ts'

export interface IdempotencyRecord {
  readonly request_digest: string
  readonly status: number
  readonly body: string
}

/** The status of a key whose request is being answered. */
const IN_PROGRESS = 0

export type IdempotencyStore = ReturnType<typeof createIdempotency>

/** The answers of requests with an `Idempotency-Key`. */
export const createIdempotency = (db: Db) => ({
  /** Finds the stored answer of a key. */
  async find(key: string): Promise<IdempotencyRecord | null> {
    const row = await db.read
      .selectFrom('idempotency_keys')
      .select(['request_digest', 'status', 'body'])
      .where('key', '=', key)
      .where('status', '<>', IN_PROGRESS)
      .executeTakeFirst()
    return row ?? null
  },
  /**
   * Takes a key for the answer of a request, over all processes; false while another request has the key. A request whose key was last renewed before
   * `lost`, or whose process is dead, has no answer any more.
   */
  take: (key: string, request_digest: string, at: string, lost: string): Promise<boolean> =>
    db.write(async (sql) => {
      const open = sql.selectFrom('idempotency_keys').select(['body', 'created_at']).where('key', '=', key)
      const other = await open.where('status', '=', IN_PROGRESS).executeTakeFirst()
      if (other !== undefined && (other.created_at < lost || isDead(db, other.body)))
        await sql
          .deleteFrom('idempotency_keys')
          .where('key', '=', key)
          .where('status', '=', IN_PROGRESS)
          .where('created_at', '=', other.created_at)
          .execute()
      const { numInsertedOrUpdatedRows } = await sql
        .insertInto('idempotency_keys')
        .values({ key, request_digest, status: IN_PROGRESS, body: db.process, created_at: at })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .executeTakeFirstOrThrow()
      return (numInsertedOrUpdatedRows ?? 0n) > 0n
    }),
  /** Says that this process still answers the request of a key. */
  async renew(key: string, at: string): Promise<void> {
    await db.write((sql) =>
      sql
        .updateTable('idempotency_keys')
        .set({ created_at: at })
        .where('key', '=', key)
        .where('status', '=', IN_PROGRESS)
        .where('body', '=', db.process)
        .execute(),
    )
  },
  /** Gives a key back whose request this process refused or failed to answer. */
  async release(key: string): Promise<void> {
    await db.write((sql) =>
      sql
        .deleteFrom('idempotency_keys')
        .where('key', '=', key)
        .where('status', '=', IN_PROGRESS)
        .where('body', '=', db.process)
        .execute(),
    )
  },
  /** Stores the answer of a key; the first answer stays. */
  async put(key: string, { request_digest, status, body }: IdempotencyRecord, at: string): Promise<void> {
    await db.write((sql) =>
      sql
        .insertInto('idempotency_keys')
        .values({ key, request_digest, status, body, created_at: at })
        .onConflict((conflict) =>
          conflict
            .column('key')
            .doUpdateSet({ request_digest, status, body })
            .where('idempotency_keys.status', '=', IN_PROGRESS),
        )
        .execute(),
    )
  },
})

const SECRET = 'rendering_secret'

/** Settings that the service makes itself. */
export function createSettings(db: Db) {
  /** Returns the value under a name, which is stored where there was none. */
  const once = (name: string, make: () => Uint8Array): Promise<Buffer> =>
    db.write(async (sql) => {
      const find = () => sql.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst()
      const known = await find()
      if (known !== undefined) return known.value
      await sql
        .insertInto('settings')
        .values({ name, value: Buffer.from(make()) })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      // Of two processes that made one at the same time, both use the first.
      const kept = await find()
      if (kept === undefined) throw refusal(`the setting ${name} was not stored`)
      return kept.value
    })
  return {
    /** Finds the secret of marker nonces: made once, then stable, so that prompts stay byte-equal. */
    renderingSecret: async (make: () => Uint8Array): Promise<Uint8Array> => new Uint8Array(await once(SECRET, make)),
    /** Returns the digest that is stored under the name of a rubric, after storing this digest where there was none. */
    async registerRubric(name: string, digest: Digest, content: string): Promise<Digest> {
      const value = await once(`rubric:${name}`, () => Buffer.from(JSON.stringify({ digest, content })))
      return parseStored<{ digest: Digest }>(value.toString('utf8')).digest
    },
    /** Writes to the database: reading alone shows neither a full disk nor a standby. Rejects with a StorageError. */
    async check(): Promise<void> {
      const value = Buffer.from(new Date().toISOString())
      await db.write((sql) =>
        sql
          .insertInto('settings')
          .values({ name: 'heartbeat', value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute(),
      )
    },
  }
}
