import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Rights of a key. `admin` includes the others; `operator` reads the figures of the whole process: `/metrics`. */
export const SCOPES = ['grade', 'read', 'review', 'admin', 'operator'] as const
export type Scope = (typeof SCOPES)[number]

/** A stored key, with the digest of its secret. Times are ISO 8601, UTC. */
export interface KeyRecord {
  /** `key_…`; the part behind the prefix stands in the token. */
  readonly id: string
  readonly secret_sha256: Uint8Array
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Null: no limit. */
  readonly max_requests_per_minute: number | null
  /** Dollars that model calls made for this key may cost in a day of UTC; null: no limit. */
  readonly max_cost_usd_per_day: number | null
  readonly created_at: string
  /** Null: the key never expires. */
  readonly expires_at: string | null
  readonly revoked_at: string | null
  /** Exact to a minute. */
  readonly last_used_at: string | null
}

/** Stores keys. A change by one process is read by every other process at its next request. */
export interface AccessStore {
  addKey(key: KeyRecord): Promise<unknown>
  findKey(id: string): Promise<KeyRecord | null>
  /** Lists all keys, oldest first. */
  listKeys(): Promise<readonly KeyRecord[]>
  /** Revokes a key; the first time of revocation stays. Null for an unknown key. */
  revokeKey(id: string, at: string): Promise<KeyRecord | null>
  touchKey(id: string, at: string): Promise<unknown>
}

type Limits = Pick<KeyRecord, 'max_requests_per_minute' | 'max_cost_usd_per_day'>

/** The properties of a new key; without scopes it has `USUAL_SCOPES`, without limits none. */
export type KeyPlan = Pick<KeyRecord, 'name'> &
  Partial<Pick<KeyRecord, 'scopes'> & Limits> & { readonly expires_at?: Date }

export type KeyView = Omit<KeyRecord, 'secret_sha256'> & { readonly state: KeyState }
type KeyState = 'good' | 'expired' | 'revoked'

export const USUAL_SCOPES: readonly Scope[] = ['grade', 'read', 'review']

const MOST_NAME_CHARS = 100

/** Finds the fault of a plan; null: a key can be made. */
export function findPlanFault(plan: KeyPlan, now: Date): string | null {
  if (plan.name.trim() === '' || plan.name.length > MOST_NAME_CHARS)
    return `a name has 1 to ${MOST_NAME_CHARS} characters`
  if (/\p{C}/u.test(plan.name)) return 'a name has no control characters'
  if (plan.scopes?.length === 0) return 'a key without a scope opens nothing'
  if (plan.expires_at !== undefined && !(plan.expires_at.getTime() > now.getTime()))
    return 'it would have ended already'
  return null
}

/** Makes a key, and shows its token for the only time. Throws a RangeError with the fault of a plan. */
export async function createKey(store: AccessStore, plan: KeyPlan, now: Date) {
  const fault = findPlanFault(plan, now)
  if (fault !== null) throw new RangeError(`no key was made: ${fault}`)
  const { id, secret, token } = makeToken()
  const { name, scopes = USUAL_SCOPES, max_requests_per_minute = null, max_cost_usd_per_day = null } = plan
  const record: KeyRecord = {
    ...{ id, secret_sha256: digestSecret(secret), name, scopes: [...new Set(scopes)] },
    ...{ max_requests_per_minute, max_cost_usd_per_day },
    created_at: now.toISOString(),
    expires_at: plan.expires_at?.toISOString() ?? null,
    revoked_at: null,
    last_used_at: null,
  }
  await store.addKey(record)
  return { key: viewKey(record, now), token }
}

export async function listKeys(store: AccessStore, now: Date): Promise<readonly KeyView[]> {
  return (await store.listKeys()).map((record) => viewKey(record, now))
}

/** Revokes a key, from the next request on in every process. Null for an unknown key. */
export async function revokeKey(store: AccessStore, id: string, now: Date): Promise<KeyView | null> {
  const record = await store.revokeKey(id, now.toISOString())
  return record === null ? null : viewKey(record, now)
}

function viewKey({ secret_sha256: _, ...shown }: KeyRecord, now: Date): KeyView {
  return { ...shown, state: stateOf(shown, now) }
}

export function stateOf({ revoked_at, expires_at }: Pick<KeyRecord, 'revoked_at' | 'expires_at'>, now: Date): KeyState {
  if (revoked_at !== null) return 'revoked'
  return expires_at !== null && expires_at <= now.toISOString() ? 'expired' : 'good'
}

/** The form of a token, which is shown once: `vk_<16 hex digits>_<43 characters of base64url>`. */
const TOKEN = /^vk_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/

const makeSecret = (): string => randomBytes(32).toString('base64url')

export function makeToken() {
  const mark = randomBytes(8).toString('hex')
  const secret = makeSecret()
  return { id: `key_${mark}`, secret, token: `vk_${mark}_${secret}` }
}

export function parseToken(token: string) {
  const [, mark, secret] = TOKEN.exec(token) ?? []
  return mark === undefined || secret === undefined ? null : { id: `key_${mark}`, secret }
}

/** Hashes the text of a secret, of which several stand for one value, by SHA-256: 256 random bits cannot be found by trying. */
export const digestSecret = (secret: string): Uint8Array => createHash('sha256').update(secret).digest()

/** Stands in for the digest of an unknown key, so that its check takes as long as that of a known key. */
const NOBODYS = digestSecret(makeSecret())

/** Compares a secret with a digest in constant time. No secret equals null, the digest of an unknown key. */
export function isSecretOf(secret: string, digest: Uint8Array | null): boolean {
  const same = timingSafeEqual(digestSecret(secret), digest ?? NOBODYS)
  return same && digest !== null
}
