import type { Scope } from './access.ts'
import type { AccessStore, KeyRecord } from './access-store.ts'
import { digestSecret, makeToken } from './tokens.ts'

/** The properties of a new key. */
export interface KeyPlan {
  readonly name: string
  /** Absent: `USUAL_SCOPES`. */
  readonly scopes?: readonly Scope[]
  readonly expires_at?: Date
  readonly max_requests_per_minute?: number
  readonly max_cost_usd_per_day?: number
}

/** A key without its secret. */
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

/** Makes a key, and shows its token for the only time. Throws a RangeError for a plan with a fault (`findPlanFault`). */
export async function createKey(
  store: AccessStore,
  plan: KeyPlan,
  now: Date,
): Promise<{ readonly key: KeyView; readonly token: string }> {
  const fault = findPlanFault(plan, now)
  if (fault !== null) throw new RangeError(fault)
  const { id, secret, token } = makeToken()
  const record: KeyRecord = {
    id,
    secret_sha256: digestSecret(secret),
    name: plan.name,
    scopes: [...new Set(plan.scopes ?? USUAL_SCOPES)],
    max_requests_per_minute: plan.max_requests_per_minute ?? null,
    max_cost_usd_per_day: plan.max_cost_usd_per_day ?? null,
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
