import type { AccessStore, KeyRecord, Scope } from '../access/keys.ts'
import { all, type Db, first, insert, run } from './db.ts'
import type { KeyRow } from './schema.ts'
import { parseStored } from './text.ts'

/** The keys of the HTTP API, with digests of their secrets. */
export function createKeys(db: Db): AccessStore {
  const findKey = async (id: string): Promise<KeyRecord | null> => {
    const row = await first<KeyRow>(db.read)`SELECT * FROM api_keys WHERE id = ${id}`
    return row === undefined ? null : parseKey(row)
  }
  return {
    findKey,
    async addKey({ secret_sha256, scopes, ...key }) {
      const packed = { secret_sha256: Buffer.from(secret_sha256), scopes: JSON.stringify(scopes), project: 'default' }
      await db.write((sql) => insert(sql, 'api_keys', { ...key, ...packed }))
    },
    listKeys: async () => (await all<KeyRow>(db.read)`SELECT * FROM api_keys ORDER BY seq`).map(parseKey),
    async revokeKey(id, at) {
      await db.write((sql) => run(sql)`UPDATE api_keys SET revoked_at = ${at} WHERE id = ${id} AND revoked_at IS NULL`)
      return findKey(id)
    },
    async touchKey(id, at) {
      await db.write((sql) => run(sql)`UPDATE api_keys SET last_used_at = ${at} WHERE id = ${id}`)
    },
  }
}

const parseKey = ({ seq: _, project: _project, scopes, ...row }: KeyRow): KeyRecord => ({
  ...row,
  scopes: parseStored<Scope[]>(scopes),
})
