import type { Scope } from './access.ts'

/** A key as it is stored: of its secret only the digest. Times are ISO 8601, UTC. */
export interface KeyRecord {
  /** `key_…`; the part behind it stands in the token. */
  readonly id: string
  readonly secret_sha256: Uint8Array
  readonly name: string
  readonly project: string
  readonly scopes: readonly Scope[]
  readonly max_requests_per_minute: number | null
  readonly max_cost_usd_per_day: number | null
  readonly created_at: string
  /** Null: it does not end by itself. */
  readonly expires_at: string | null
  readonly revoked_at: string | null
  /** Exact to a minute. */
  readonly last_used_at: string | null
}

/** A signed-in browser as it is stored. */
export interface SessionRecord {
  readonly secret_sha256: Uint8Array
  readonly key_id: string
  readonly created_at: string
  readonly expires_at: string
}

/** Keys and sessions. What one process writes every other one reads at its next request. */
export interface AccessStore {
  addKey(key: KeyRecord): Promise<void>
  findKey(id: string): Promise<KeyRecord | null>
  /** Oldest first. */
  listKeys(): Promise<readonly KeyRecord[]>
  /** A key that was revoked stays revoked since then. Null: there is no such key. */
  revokeKey(id: string, at: string): Promise<KeyRecord | null>
  touchKey(id: string, at: string): Promise<void>
  addSession(session: SessionRecord): Promise<void>
  findSession(secretSha256: Uint8Array): Promise<SessionRecord | null>
  removeSession(secretSha256: Uint8Array): Promise<void>
  /** Forgets the sessions that ended before. */
  removeEnded(before: string): Promise<void>
}
