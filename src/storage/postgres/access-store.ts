import type { AccessStore, KeyRecord, SessionRecord } from '../../access/access-store.ts'
import { KEY_COLUMNS, type KeyRow, parseKey } from '../sqlite/access-store.ts'
import { insertOf } from './connection/statements.ts'
import type { Unit } from './connection/unit.ts'

const FIND_KEY = `SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = $1`

const FIND_SESSION = 'SELECT secret_sha256, key_id, created_at, expires_at FROM sessions WHERE secret_sha256 = $1'

/** Keys and sessions over PostgreSQL. Only digests of secrets come here. */
export function createAccessStore(unit: Unit): AccessStore {
  const find = async (id: string): Promise<KeyRecord | null> => {
    const [row] = await unit.rows<KeyRow>(FIND_KEY, [id])
    return row === undefined ? null : parseKey(row)
  }
  return {
    ...createSessions(unit),
    addKey: (key) =>
      unit.write(async (sql) => {
        const row = { ...key, secret_sha256: Buffer.from(key.secret_sha256), scopes: JSON.stringify(key.scopes) }
        await sql.run(...insertOf('api_keys', row))
      }),
    findKey: find,
    listKeys: async () => (await unit.rows<KeyRow>(`SELECT ${KEY_COLUMNS} FROM api_keys ORDER BY seq`)).map(parseKey),
    async revokeKey(id, at) {
      await unit.run('UPDATE api_keys SET revoked_at = coalesce(revoked_at, $2) WHERE id = $1', [id, at])
      return await find(id)
    },
    touchKey: async (id, at) => void (await unit.run('UPDATE api_keys SET last_used_at = $2 WHERE id = $1', [id, at])),
  }
}

const createSessions = (unit: Unit) =>
  ({
    addSession: (session) =>
      unit.write(async (sql) => {
        await sql.run(...insertOf('sessions', { ...session, secret_sha256: Buffer.from(session.secret_sha256) }))
      }),
    findSession: async (digest) => (await unit.rows<SessionRecord>(FIND_SESSION, [Buffer.from(digest)]))[0] ?? null,
    removeSession: async (digest) =>
      void (await unit.run('DELETE FROM sessions WHERE secret_sha256 = $1', [Buffer.from(digest)])),
    removeEnded: async (before) => void (await unit.run('DELETE FROM sessions WHERE expires_at <= $1', [before])),
  }) satisfies Partial<AccessStore>
