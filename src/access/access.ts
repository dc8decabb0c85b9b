/** Rights of a key. `admin` includes the others; `operator` reads the figures of the whole process: `/metrics`. */
export const SCOPES = ['grade', 'read', 'review', 'admin', 'operator'] as const
export type Scope = (typeof SCOPES)[number]

/** The caller of a request: a checked key, or anybody where access control is off. */
export interface Caller {
  /** `key_…`; null where no key was asked for. */
  readonly key_id: string | null
  readonly name: string
  readonly scopes: ReadonlySet<Scope>
  /** Null: no limit. */
  readonly max_requests_per_minute: number | null
  /** Dollars that model calls made for this key may cost in a day of UTC; null: no limit. */
  readonly max_cost_usd_per_day: number | null
}

/** The session of a signed-in browser. The id names the key and the end, and counts only with the signature of its cookie. */
interface Session {
  readonly id: string
  readonly caller: Caller
  readonly expires_at: string
}

/** Checks keys, and sessions that were opened with keys. Every check reads the key anew, so that a revoked key ends its sessions. */
export interface Access {
  /** Whether a request needs a key: configuration decides; by default, only a service on loopback needs none. */
  readonly required: boolean
  /** The caller of a request without a key, where none is needed. */
  readonly anybody: Caller
  /** Signs the cookies of sessions; the same in every process of a database. */
  readonly session_secret: string
  /** Finds the caller of a key as it was given out; null for an unknown, malformed, expired or revoked key. */
  authenticate(token: string): Promise<Caller | null>
  /** Opens a session; null for a key that is not good. */
  openSession(token: string): Promise<Session | null>
  /** Finds the caller of a session whose signature was checked; null after its end or without a good key. */
  resumeSession(id: string): Promise<Caller | null>
}

/** The caller of every request where access control is off. */
export const ANYBODY: Caller = {
  key_id: null,
  name: 'anybody',
  scopes: new Set(SCOPES),
  max_requests_per_minute: null,
  max_cost_usd_per_day: null,
}
