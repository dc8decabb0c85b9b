import { createHmac, type KeyObject, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type AccessStore, isSecretOf, type KeyRecord, parseToken, SCOPES, type Scope, stateOf } from './keys.ts'

/** The caller of a request: a checked key, or anybody where access control is off. */
export interface Caller extends Pick<KeyRecord, 'name' | 'max_requests_per_minute' | 'max_cost_usd_per_day'> {
  /** `key_…`; null where no key was asked for. */
  readonly key_id: string | null
  readonly scopes: ReadonlySet<Scope>
}

/** The caller of a request without a key, where none is needed. */
export const ANYBODY: Caller = {
  ...{ key_id: null, name: 'anybody', scopes: new Set(SCOPES) },
  ...{ max_requests_per_minute: null, max_cost_usd_per_day: null },
}
/** A caller that was not asked for a key, and may do nothing that needs a scope. */
export const NOBODY: Caller = { ...ANYBODY, name: 'nobody', scopes: new Set() }

interface AccessDeps {
  readonly store: AccessStore
  readonly required: boolean
  readonly session_secret: string
  readonly now: () => Date
}

export const SESSION_MS = 12 * 3_600_000

/** The shortest time between two writes of `last_used_at`. */
const TOUCH_MS = 60_000

export type Access = ReturnType<typeof createAccess>

/** Checks keys and sessions of keys. Every check reads the key anew: a revoked key ends its sessions. Rejects where the store cannot be read. */
export function createAccess({ store, required, session_secret, now }: AccessDeps) {
  const findGood = async (id: string): Promise<KeyRecord | null> => {
    const record = await store.findKey(id)
    return record !== null && stateOf(record, now()) === 'good' ? record : null
  }
  const admit = (record: KeyRecord): Caller => {
    const { id, name, scopes, max_requests_per_minute, max_cost_usd_per_day } = record
    const at = now()
    // No request waits for the note of its key, or fails by it.
    if (!(at.getTime() - Date.parse(record.last_used_at ?? '') < TOUCH_MS))
      void store.touchKey(id, at.toISOString()).catch(() => undefined)
    return { key_id: id, name, scopes: new Set(scopes), max_requests_per_minute, max_cost_usd_per_day }
  }
  const check = async (token: string): Promise<KeyRecord | null> => {
    const parts = parseToken(token)
    if (parts === null) return null
    const record = await findGood(parts.id)
    return isSecretOf(parts.secret, record?.secret_sha256 ?? null) ? record : null
  }
  return {
    /** Whether a request needs a key: configuration decides; by default, only a service on loopback needs none. */
    required,
    /** Signs the cookies of sessions; the same in every process of a database. */
    session_secret,
    /** Finds the caller of a key as it was given out; null for an unknown, malformed, expired or revoked key. */
    async authenticate(token: string): Promise<Caller | null> {
      const record = await check(token)
      return record === null ? null : admit(record)
    },
    /** Opens the session of a browser; null for a key that is not good. The id names the key and the end, and counts only with the signature of its cookie. */
    async openSession(token: string) {
      const record = await check(token)
      if (record === null) return null
      const end = new Date(now().getTime() + SESSION_MS).toISOString()
      // A session ends with its key at the latest.
      const expires_at = record.expires_at !== null && record.expires_at < end ? record.expires_at : end
      return { id: `${record.id}/${Date.parse(expires_at)}`, caller: admit(record), expires_at }
    },
    /** Finds the caller of a session whose signature was checked; null after its end or without a good key. */
    async resumeSession(id: string): Promise<Caller | null> {
      const [key = '', end = ''] = id.split('/')
      const left = Number(end) - now().getTime()
      if (!(left > 0 && left <= SESSION_MS)) return null
      const record = await findGood(key)
      return record === null ? null : admit(record)
    },
  }
}

/**
 * Derives the secret that signs the sessions of browsers from the secret of the database and a part that no copy of the database holds: the URL of a
 * PostgreSQL database, or the file `FILE.session` beside an SQLite database, which is made here. Deleting the file and a restart end all sessions.
 * Without a URL and a file the secret ends with the process.
 */
export function sessionSecret(
  stored: KeyObject,
  at: { readonly url: string | undefined; readonly file: string | null },
): string {
  const own = at.url ?? (at.file === null ? randomBytes(32) : keptSecret(`${at.file}.session`))
  return createHmac('sha256', stored).update('sessions of browsers').update(own).digest('hex')
}

/** Makes the file of a secret, or reads that of another process. Where neither can be done, the secret ends with the process. */
function keptSecret(path: string): Uint8Array {
  const made = randomBytes(32)
  try {
    if (!existsSync(path)) writeFileSync(path, made, { mode: 0o600, flag: 'wx' })
    const kept = readFileSync(path)
    return kept.length === made.length ? kept : made
  } catch {
    return made
  }
}
