import { type Access, ANYBODY, type Caller } from './access.ts'
import type { AccessStore, KeyRecord } from './access-store.ts'
import { stateOf } from './keys.ts'
import { isSecretOf, parseToken } from './tokens.ts'

interface AccessDeps {
  readonly store: AccessStore
  readonly required: boolean
  readonly session_secret: string
  readonly now: () => Date
}

/** The length of a session. */
export const SESSION_MS = 12 * 3_600_000

/** The shortest time between two writes of `last_used_at`. */
const TOUCH_MS = 60_000

/** Makes access over stored keys. Its calls reject only where the store cannot be read. */
export function createAccess({ store, required, session_secret, now }: AccessDeps): Access {
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
    session_secret,
    anybody: ANYBODY,
    async authenticate(token) {
      const record = await findGood(token)
      return record === null ? null : admit(record)
    },
    async openSession(token) {
      const record = await findGood(token)
      if (record === null) return null
      const expires_at = endOf(record, now())
      return { id: `${record.id}/${Date.parse(expires_at)}`, caller: admit(record), expires_at }
    },
    async resumeSession(id) {
      const [key = '', end = ''] = id.split('/')
      const left = Number(end) - now().getTime()
      if (!(left > 0 && left <= SESSION_MS)) return null
      const record = await store.findKey(key)
      return record !== null && stateOf(record, now()) === 'good' ? admit(record) : null
    },
  }
}

/** Ends a session with its key at the latest. */
function endOf({ expires_at }: KeyRecord, from: Date): string {
  const end = new Date(from.getTime() + SESSION_MS).toISOString()
  return expires_at !== null && expires_at < end ? expires_at : end
}

const callerOf = (record: KeyRecord): Caller => ({
  key_id: record.id,
  name: record.name,
  scopes: new Set(record.scopes),
  max_requests_per_minute: record.max_requests_per_minute,
  max_cost_usd_per_day: record.max_cost_usd_per_day,
})

/** Notes the use of a key. No request waits for the note or fails by it. */
function createTouch(store: AccessStore): (record: KeyRecord, at: Date) => void {
  const touched = new Map<string, number>()
  return ({ id, last_used_at }, at) => {
    const last = Math.max(touched.get(id) ?? 0, last_used_at === null ? 0 : Date.parse(last_used_at))
    if (at.getTime() - last < TOUCH_MS) return
    touched.set(id, at.getTime())
    store.touchKey(id, at.toISOString()).catch(() => undefined)
  }
}
