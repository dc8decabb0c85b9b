import type { Scope } from './access.ts'

/** A stored key, with the digest of its secret. Times are ISO 8601, UTC. */
export interface KeyRecord {
  /** `key_…`; the part behind the prefix stands in the token. */
  readonly id: string
  readonly secret_sha256: Uint8Array
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly max_requests_per_minute: number | null
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
  addKey(key: KeyRecord): Promise<void>
  findKey(id: string): Promise<KeyRecord | null>
  /** Lists all keys, oldest first. */
  listKeys(): Promise<readonly KeyRecord[]>
  /** Revokes a key; the first time of revocation stays. Null for an unknown key. */
  revokeKey(id: string, at: string): Promise<KeyRecord | null>
  touchKey(id: string, at: string): Promise<void>
}
