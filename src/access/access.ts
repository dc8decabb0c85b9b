/** What a key may do. `admin` includes the others within its project; `operator` is for what concerns the whole process: `/metrics`. */
export const SCOPES = ['grade', 'read', 'review', 'admin', 'operator'] as const
export type Scope = (typeof SCOPES)[number]

/** Grades, batches and reviews of one project are in a store of its own: no other project can name them. */
export const DEFAULT_PROJECT = 'default'

const PROJECT_NAME = /^[a-z0-9][a-z0-9-]{0,39}$/

/** A project's name is also the name of its file: nothing else may ever be one. */
export const isProjectName = (name: string): boolean => PROJECT_NAME.test(name)

/** Who asks: a key that was checked, or, where no access control is on, no one in particular. */
export interface Caller {
  /** `key_…`; null where no key was asked for. */
  readonly key_id: string | null
  readonly name: string
  readonly project: string
  readonly scopes: ReadonlySet<Scope>
  /** Null: no limit. */
  readonly max_requests_per_minute: number | null
  /** Dollars that model calls made for this key may cost in a day of UTC; null: no limit. */
  readonly max_cost_usd_per_day: number | null
}

/** A signed-in browser: `secret` goes into its cookie and nowhere else. */
export interface Session {
  readonly secret: string
  readonly caller: Caller
  readonly expires_at: string
}

/** Keys and the sessions that were opened with them. Secrets are stored hashed and compared in constant time. */
export interface Access {
  /** Whether a request needs a key: configuration decides, and where it says nothing, whether loopback is listened on. */
  readonly required: boolean
  /** Who asks where no key is needed and none was sent. */
  readonly anybody: Caller
  /** The caller of a key as it was given out; null where it is unknown, malformed, expired or revoked. */
  authenticate(token: string): Promise<Caller | null>
  /** Null where the key is not good. */
  openSession(token: string): Promise<Session | null>
  /** Null where the session is unknown, over, or its key was revoked. */
  resumeSession(secret: string): Promise<Caller | null>
  closeSession(secret: string): Promise<void>
}

/** Every caller, where no access control is on. */
export const ANYBODY: Caller = {
  key_id: null,
  name: 'anybody',
  project: DEFAULT_PROJECT,
  scopes: new Set(SCOPES),
  max_requests_per_minute: null,
  max_cost_usd_per_day: null,
}
