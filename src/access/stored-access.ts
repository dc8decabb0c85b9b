import { type Access, ANYBODY, type Caller, type Session } from './access.ts'
import type { AccessStore, KeyRecord } from './access-store.ts'
import { stateOf } from './keys.ts'
import { digestSecret, isSecret, isSecretOf, makeSecret, parseToken } from './tokens.ts'

interface AccessDeps {
  readonly store: AccessStore
  readonly required: boolean
  /** The project of callers without a key, where none is needed. */
  readonly project: string
  readonly now: () => Date
}

/** How long a browser stays signed in. */
export const SESSION_MS = 12 * 3_600_000

/** `last_used_at` is written at most so often. */
const TOUCH_MS = 60_000

/**
 * Access over stored keys. Every check reads the key anew: what another process revoked is dead at the next request. Rejects only
 * where the store cannot be read.
 */
export function createAccess({ store, required, project, now }: AccessDeps): Access {
  const touch = createTouch(store)

  async function findGood(token: string): Promise<KeyRecord | null> {
    const parts = parseToken(token)
    if (parts === null) return null
    const record = await store.findKey(parts.id)
    if (!isSecretOf(parts.secret, record?.secret_sha256 ?? null) || record === null) return null
    return stateOf(record, now()) === 'good' ? record : null
  }

  function admit(record: KeyRecord): Caller {
    touch(record, now())
    return callerOf(record)
  }

  return {
    required,
    anybody: { ...ANYBODY, project },
    async authenticate(token) {
      const record = await findGood(token)
      return record === null ? null : admit(record)
    },
    async openSession(token): Promise<Session | null> {
      const record = await findGood(token)
      if (record === null) return null
      const at = now()
      const secret = makeSecret()
      const expires_at = endOf(record, at)
      await store.removeEnded(at.toISOString())
      await store.addSession({
        secret_sha256: digestSecret(secret),
        key_id: record.id,
        created_at: at.toISOString(),
        expires_at,
      })
      return { secret, caller: admit(record), expires_at }
    },
    async resumeSession(secret) {
      if (!isSecret(secret)) return null
      const session = await store.findSession(digestSecret(secret))
      if (session === null || session.expires_at <= now().toISOString()) return null
      const record = await store.findKey(session.key_id)
      return record !== null && stateOf(record, now()) === 'good' ? admit(record) : null
    },
    async closeSession(secret) {
      if (isSecret(secret)) await store.removeSession(digestSecret(secret))
    },
  }
}

/** Never longer than its key. */
function endOf({ expires_at }: KeyRecord, from: Date): string {
  const end = new Date(from.getTime() + SESSION_MS).toISOString()
  return expires_at !== null && expires_at < end ? expires_at : end
}

const callerOf = (record: KeyRecord): Caller => ({
  key_id: record.id,
  name: record.name,
  project: record.project,
  scopes: new Set(record.scopes),
  max_requests_per_minute: record.max_requests_per_minute,
  max_cost_usd_per_day: record.max_cost_usd_per_day,
})

/** Never waited for, and never an error of the request: that a key was used is told, not promised. */
function createTouch(store: AccessStore): (record: KeyRecord, at: Date) => void {
  // One entry a key that exists.
  const touched = new Map<string, number>()
  return ({ id, last_used_at }, at) => {
    const last = Math.max(touched.get(id) ?? 0, last_used_at === null ? 0 : Date.parse(last_used_at))
    if (at.getTime() - last < TOUCH_MS) return
    touched.set(id, at.getTime())
    store.touchKey(id, at.toISOString()).catch(() => undefined)
  }
}
