import type { Static, TInteger, TObject, TProperties, TSchema, TUnsafe } from 'typebox'
import { Closed, Type } from '../schemas/type.ts'

/** Refuses a setting of the configuration file by its place; `loadConfig` adds the name of the file. */
export class SettingError extends Error {}

/**
 * Defines a group of settings. Every property has a default; its description follows an error about its value. `fixed` are the values of the
 * group that the configuration file cannot change.
 */
function defineSettings<P extends TProperties, F extends object = object>(properties: P, fixed: F = {} as F) {
  const defaults = Object.entries(properties).map(([name, schema]) => [name, (schema as { default?: unknown }).default])
  return {
    defaults: { ...(Object.fromEntries(defaults) as Static<TObject<P>>), ...fixed } as const,
    fixed: Object.keys(fixed),
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

/**
 * Resolves the settings of PostgreSQL; null without a URL: SQLite. `shown` is the URL without user, password and options. The URL may hold a password:
 * neither the configuration nor an error repeats it.
 */
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

const BODY_MS = 'a JSON body has five minutes to arrive.'
const FIXED_KEYS = Object.entries({ limits: LIMITS, retry: RETRY, postgres: POSTGRES }).flatMap(([group, { fixed }]) =>
  fixed.map((name) => [`${group}.${name}`, 'its default is fixed now; leave the key out.']),
)
const ONE_PRICE = 'write price: { input: 2, output: 10 }, and change the file when the price changes.'

/** Names each key of the configuration file that was removed (`limits.answer_chars`), with its replacement. A start with such a key fails. */
const REMOVED_KEYS: Readonly<Record<string, string>> = {
  blobs: 'all bodies are stored in the database.',
  'limits.grading_at_once': 'the delay of the event loop and the share of the heap bound the grades in work.',
  'limits.uploads_at_once': 'limits.held_bytes bounds the bodies that are read at once.',
  'limits.answer_chars': 'no limit replaces it; a page of steps ends after 4 Mi characters.',
  'limits.slow_reader_ms': 'a connection without any traffic is closed after an hour.',
  'limits.streams_at_once': '10,000 open connections bound the streams too.',
  'limits.statistics_at_once': 'statistics are computed one at a time; a request beyond the queue is answered 503.',
  'limits.slow_body_ms': BODY_MS,
  'limits.body_bytes_per_s': BODY_MS,
  ...Object.fromEntries(FIXED_KEYS),
  'budget.max_cost_usd_per_day': 'set VERIDICT_MAX_COST_USD_PER_DAY.',
  'access.mode': 'set VERIDICT_ACCESS.',
  'access.behind_tls': 'set VERIDICT_BEHIND_TLS.',
  'access.allowed_hosts': 'set VERIDICT_ALLOWED_HOSTS.',
  'workers.lease_seconds': 'ten seconds without a heartbeat give a chunk to another worker; leave the key out.',
  'judges.*.cache_control': 'Claude judges always set the cache breakpoint; leave the key out.',
  'judges.*.cache_ttl': 'the provider’s default holds; leave the key out.',
  'judges.*.service_tier': 'the tier of the account holds; leave the key out.',
  'judges.*.price.tiers': 'a call that another tier served is of unknown cost; leave the key out.',
  'judges.*.price.cache_write_long': 'leave the key out.',
  'judges.*.prices': ONE_PRICE,
  'judges.*.price.valid_from': ONE_PRICE,
  'judges.*.price.input_per_mtok': 'write input.',
  'judges.*.price.output_per_mtok': 'write output.',
  'judges.*.price.cache_read_per_mtok': 'write cache_read.',
  'judges.*.price.cache_write_per_mtok': 'write cache_write.',
}

/** Throws for a removed variable that is still set, with its replacement. An empty variable counts as absent. */
export function refuseRemovedVariables(env: NodeJS.ProcessEnv): void {
  for (const [name, replacement] of Object.entries(REMOVED_VARIABLES))
    if ((env[name] ?? '') !== '') throw new Error(`${name} was removed: ${replacement}`)
}

/** Lists the removed keys that a parsed configuration file still holds, each with its place and replacement. `*` in a key stands for any name. */
export function removedKeysIn(file: unknown): { readonly path: string; readonly message: string }[] {
  return Object.entries(REMOVED_KEYS).flatMap(([key, replacement]) =>
    placesOf(file, key.split('.')).map((path) => ({ path, message: `was removed: ${replacement}` })),
  )
}

function placesOf(value: unknown, [name, ...rest]: readonly string[], at = ''): string[] {
  if (name === undefined) return [at]
  if (typeof value !== 'object' || value === null) return []
  const names = name === '*' ? Object.keys(value) : Object.hasOwn(value, name) ? [name] : []
  return names.flatMap((member) => placesOf((value as Record<string, unknown>)[member], rest, `${at}/${member}`))
}
