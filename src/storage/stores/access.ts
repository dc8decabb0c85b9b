import type { Scope } from '../../access/access.ts'
import type { AccessStore, KeyRecord } from '../../access/access-store.ts'
import type { Db } from '../db.ts'
import { parseStored } from '../stored-text.ts'

const COLUMNS = `id, secret_sha256, name, scopes, max_requests_per_minute, max_cost_usd_per_day, created_at,
  expires_at, revoked_at, last_used_at`

export const FIND_KEY = `SELECT ${COLUMNS} FROM api_keys WHERE id = $1`

interface KeyRow extends Omit<KeyRecord, 'scopes'> {
  readonly scopes: string
}

/** Stores keys, with digests of their secrets. */
export function createAccessStore(db: Db): AccessStore {
  const find = async (id: string): Promise<KeyRecord | null> => {
    const [row] = await db.rows<KeyRow>(FIND_KEY, [id])
    return row === undefined ? null : parseKey(row)
  }
  return {
    addKey: (key) =>
      db.write((sql) =>
        sql.insert('api_keys', {
          ...key,
          // Keys of earlier versions named their project.
          project: 'default',
          secret_sha256: Buffer.from(key.secret_sha256),
          scopes: JSON.stringify(key.scopes),
        }),
      ),
    findKey: find,
    listKeys: async () => (await db.rows<KeyRow>(`SELECT ${COLUMNS} FROM api_keys ORDER BY seq`)).map(parseKey),
    async revokeKey(id, at) {
      await db.run('UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1', [id, at])
      return await find(id)
    },
    touchKey: async (id, at) => void (await db.run('UPDATE api_keys SET last_used_at = $2 WHERE id = $1', [id, at])),
  }
}

const parseKey = ({ scopes, ...row }: KeyRow): KeyRecord => ({ ...row, scopes: parseStored<Scope[]>(scopes) })
