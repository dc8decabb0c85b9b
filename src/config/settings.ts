import type { Static, TInteger, TObject, TProperties, TSchema, TUnsafe } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'

/** Refuses a setting of the configuration file by its place; `loadConfig` adds the name of the file. */
export class SettingError extends Error {}

/** Defines a group of settings with defaults. Descriptions follow errors; the configuration file cannot change `fixed` values. */
function defineSettings<P extends TProperties, F extends object = object>(properties: P, fixed: F = {} as F) {
  const defaults = Object.entries(properties).map(([name, schema]) => [name, (schema as { default?: unknown }).default])
  return {
    defaults: { ...(Object.fromEntries(defaults) as Static<TObject<P>>), ...fixed } as const,
    /** The same settings in the configuration file, all optional. */
    file: Type.Partial(Closed(properties), { additionalProperties: false }),
  }
}

const whole = (
  value: number,
  description: string,
  bounds: { readonly minimum?: number; readonly maximum?: number } = {},
): TInteger => Type.Integer({ minimum: 1, ...bounds, default: value, description })

/** Allows null beside the values of a schema. One schema, since the error of a union names the faults of every member. */
export const nullable = <S extends TSchema & { readonly type: string }>(schema: S): TUnsafe<Static<S> | null> =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: [schema.type, 'null'] })

const MIB = 1024 * 1024

/** Limits of one request, and of the work of one process; a request beyond the latter is answered 503 `overloaded`, with `Retry-After`. */
export const LIMITS = defineSettings(
  {
    body_bytes: whole(32 * MIB, 'bytes of a body, or of a line of NDJSON; 413 above'),
    max_steps: whole(20_000, 'steps of a trajectory'),
    held_bytes: whole(
      256 * MIB,
      'bytes of bodies that are read and parsed at once; a quarter is kept for bodies below 1 MB, larger ones wait for room up to five seconds',
    ),
  },
  {
    /** Nesting of a request. */
    depth: 64,
    /** Characters of a part of a step. */
    max_part_chars: 8_000_000,
    /** Open connections; a connection beyond them is closed at once. */
    connections: 10_000,
    /** Mean delay of the event loop above which for three seconds no new grade begins. */
    event_loop_delay_ms: 1000,
    /** Share of the heap’s limit above which no new grade begins. */
    heap_share: 0.85,
    /** Time for the headers of a request, and for the first byte of a new connection. */
    headers_ms: 20_000,
    /** Time for a JSON body, or for the rest of a refused body. */
    body_ms: 300_000,
  },
)
export type Limits = typeof LIMITS.defaults

export const RETRY = defineSettings(
  {
    max_attempts: whole(4, 'calls for one question, the first included'),
    deadline_ms: whole(180_000, 'milliseconds of one sample with all its retries and repairs'),
    call_timeout_ms: whole(120_000, 'milliseconds of one call'),
  },
  {
    /** Full jitter over this × 2ⁿ between two calls. */
    base_delay_ms: 500,
    max_delay_ms: 20_000,
    /** A longer Retry-After fails the request and is passed on. */
    max_retry_after_ms: 60_000,
  },
)

export const BATCHES = defineSettings({
  most_items: whole(100_000, 'items of one batch'),
  poll_seconds: whole(60, 'seconds between two looks at a provider’s batch'),
})

const BOUNDS = { maximum: 10_000 }

export const CONCURRENCY = defineSettings({
  initial: whole(64, 'calls of one judge at once, to begin with', BOUNDS),
  min: whole(1, 'calls of one judge at once at the least', BOUNDS),
  max: whole(256, 'calls of one judge at once at the most', BOUNDS),
})
export type Concurrency = typeof CONCURRENCY.defaults

/** Resolves the calls of a judge at once; a missing `initial` is moved between `min` and `max`. Throws with the place of a contradiction. */
export function resolveConcurrency(
  given: Partial<Concurrency> | undefined,
  otherwise: Concurrency,
  place: string,
): Concurrency {
  const { min, max } = { ...otherwise, ...given }
  if (min > max) throw new SettingError(`${place}: min ${min} is over max ${max}`)
  const initial = given?.initial ?? Math.min(max, Math.max(min, otherwise.initial))
  if (initial < min || initial > max)
    throw new SettingError(`${place}/initial: ${initial} is not between min ${min} and max ${max}`)
  return { initial, min, max }
}

/** The longest timer of the server, in milliseconds. */
const FITS = { maximum: 2_147_483_647 }

export const POSTGRES = defineSettings(
  {
    max_connections: whole(10, 'connections of each process', { maximum: 1000 }),
    statement_timeout_ms: whole(30_000, 'milliseconds of one statement', FITS),
  },
  {
    /** Time to connect, and to wait for a free connection. */
    connect_timeout_ms: 10_000,
    /** Time that a transaction may be idle: a worker that is cut off may hold the row of a judge, for which all others wait. */
    idle_transaction_timeout_ms: 10_000,
  },
)

export const DATABASE_URL = 'VERIDICT_DATABASE_URL'

/** Resolves the settings of PostgreSQL; null: SQLite. `shown`, the configuration and errors are without the password of the URL. */
export function resolvePostgres(url: string | undefined, file: Static<typeof POSTGRES.file> = {}) {
  if (url === undefined) return null
  const refusal = (fault: string) =>
    new Error(`${DATABASE_URL} ${fault}; it looks like postgres://user:password@host:5432/database?sslmode=verify-full`)
  if (!URL.canParse(url)) throw refusal('is not a URL')
  const { protocol, hostname, port, pathname, searchParams } = new URL(url)
  if (!/^postgres(?:ql)?:$/.test(protocol)) throw refusal(`must begin with postgres:// and not with ${protocol}`)
  if (pathname.length < 2) throw refusal('names no database')
  if (hostname === '' && !searchParams.has('host')) throw refusal('names no host')
  const place = hostname === '' ? (searchParams.get('host') ?? '') : `${hostname}${port === '' ? '' : `:${port}`}`
  return { ...POSTGRES.defaults, ...file, shown: `postgres://${place}${pathname}` }
}

/** Names each environment variable that was removed, with its replacement. A start with such a variable fails. */
const REMOVED_VARIABLES: Readonly<Record<string, string>> = {
  VERIDICT_PROJECT: 'a service has one database; start a service with a database of its own for each project.',
  VERIDICT_BLOBS: 'all bodies are stored in the database; leave it out.',
  VERIDICT_THREADS: 'one thread reads large bodies; unset it, and start more workers on PostgreSQL for more throughput',
}

/** Throws for a removed variable that is still set, with its replacement. An empty variable counts as absent. */
export function refuseRemovedVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, replacement] of Object.entries(REMOVED_VARIABLES))
    if ((env[name] ?? '') !== '') throw new Error(`${name} was removed: ${replacement}`)
}
