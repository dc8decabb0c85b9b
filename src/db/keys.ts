import type { Scope } from '../access/access.ts'
import type { AccessStore, KeyRecord } from '../access/access-store.ts'
import type { Db } from './db.ts'
import { parseStored } from './text.ts'

const COLUMNS = [
  ...(['id', 'secret_sha256', 'name', 'scopes', 'max_requests_per_minute', 'max_cost_usd_per_day'] as const),
  ...(['created_at', 'expires_at', 'revoked_at', 'last_used_at'] as const),
] as const

/** The keys of the HTTP API, with digests of their secrets. */
export function createKeys(db: Db): AccessStore {
  const findKey = async (id: string): Promise<KeyRecord | null> => {
    const row = await db.read.selectFrom('api_keys').select(COLUMNS).where('id', '=', id).executeTakeFirst()
    return row === undefined ? null : parseKey(row)
  }
  return {
    findKey,
    async addKey(key) {
      const row = { ...key, project: 'default', secret_sha256: Buffer.from(key.secret_sha256) }
      await db.write((sql) =>
        sql
          .insertInto('api_keys')
          .values({ ...row, scopes: JSON.stringify(key.scopes) })
          .execute(),
      )
    },
    async listKeys() {
      return (await db.read.selectFrom('api_keys').select(COLUMNS).orderBy('seq').execute()).map(parseKey)
    },
    async revokeKey(id, at) {
      await db.write((sql) =>
        sql
          .updateTable('api_keys')
          .set({ revoked_at: at })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .execute(),
      )
      return findKey(id)
    },
    async touchKey(id, at) {
      await db.write((sql) => sql.updateTable('api_keys').set({ last_used_at: at }).where('id', '=', id).execute())
    },
  }
}

const parseKey = ({ scopes, ...row }: Omit<KeyRecord, 'scopes'> & { readonly scopes: string }): KeyRecord => ({
  ...row,
  scopes: parseStored<Scope[]>(scopes),
})
