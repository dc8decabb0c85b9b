import type Database from 'better-sqlite3'
import type { Scope } from '../../access/access.ts'
import type { AccessStore, KeyRecord, SessionRecord } from '../../access/access-store.ts'
import { parseStored } from '../stored-text.ts'
import type { Unit } from './unit.ts'

export const KEY_COLUMNS = `id, secret_sha256, name, project, scopes, max_requests_per_minute, max_cost_usd_per_day, created_at,
  expires_at, revoked_at, last_used_at`

const ADD_KEY = `
  INSERT INTO api_keys (${KEY_COLUMNS})
  VALUES (@id, @secret_sha256, @name, @project, @scopes, @max_requests_per_minute, @max_cost_usd_per_day, @created_at,
    @expires_at, @revoked_at, @last_used_at)`

export const FIND_KEY = `SELECT ${KEY_COLUMNS} FROM api_keys WHERE id = ?`

export const FIND_SESSION = 'SELECT secret_sha256, key_id, created_at, expires_at FROM sessions WHERE secret_sha256 = ?'

export interface KeyRow extends Omit<KeyRecord, 'scopes'> {
  readonly scopes: string
}

/** Keys and sessions over SQLite. Only digests of secrets come here. */
export function createAccessStore(db: Database.Database, unit: Unit): AccessStore {
  const addKey = db.prepare(ADD_KEY)
  const findKey = db.prepare(FIND_KEY)
  const listKeys = db.prepare(`SELECT ${KEY_COLUMNS} FROM api_keys ORDER BY rowid`)
  const revoke = db.prepare('UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ?')
  const touch = db.prepare('UPDATE api_keys SET last_used_at = ? WHERE id = ?')
  const find = (id: string): KeyRecord | null => {
    const row = findKey.get(id) as KeyRow | undefined
    return row === undefined ? null : parseKey(row)
  }
  return {
    ...createSessions(db, unit),
    addKey: (key) =>
      unit.write(
        () =>
          void addKey.run({
            ...key,
            secret_sha256: Buffer.from(key.secret_sha256),
            scopes: JSON.stringify(key.scopes),
          }),
      ),
    findKey: (id) => unit.read(() => find(id)),
    listKeys: () => unit.read(() => (listKeys.all() as KeyRow[]).map(parseKey)),
    revokeKey: (id, at) =>
      unit.write(() => {
        revoke.run(at, id)
        return find(id)
      }),
    touchKey: (id, at) => unit.write(() => void touch.run(at, id)),
  }
}

function createSessions(db: Database.Database, unit: Unit) {
  const add = db.prepare('INSERT INTO sessions VALUES (@secret_sha256, @key_id, @created_at, @expires_at)')
  const find = db.prepare(FIND_SESSION)
  const remove = db.prepare('DELETE FROM sessions WHERE secret_sha256 = ?')
  const removeEnded = db.prepare('DELETE FROM sessions WHERE expires_at <= ?')
  return {
    addSession: (session) =>
      unit.write(() => void add.run({ ...session, secret_sha256: Buffer.from(session.secret_sha256) })),
    findSession: (digest) => unit.read(() => (find.get(Buffer.from(digest)) as SessionRecord | undefined) ?? null),
    removeSession: (digest) => unit.write(() => void remove.run(Buffer.from(digest))),
    removeEnded: (before) => unit.write(() => void removeEnded.run(before)),
  } satisfies Partial<AccessStore>
}

export const parseKey = ({ scopes, ...row }: KeyRow): KeyRecord => ({ ...row, scopes: parseStored<Scope[]>(scopes) })
