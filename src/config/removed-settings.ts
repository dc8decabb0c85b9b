import { LIMITS, POSTGRES, RETRY } from './settings.ts'

/** Names each environment variable that was removed, with its replacement. A start with such a variable fails. */
const REMOVED_VARIABLES: Readonly<Record<string, string>> = {
  VERIDICT_PROJECT: 'a service has one database; start a service with a database of its own for each project.',
  VERIDICT_BLOBS: 'all bodies are stored in the database; leave it out.',
  VERIDICT_THREADS: 'one thread reads large bodies; unset it, and start more workers on PostgreSQL for more throughput',
}

const PRESSURE = 'the delay of the event loop and the share of the heap bound the grades in work.'
const HELD_BYTES = 'limits.held_bytes bounds the bodies that are read at once.'
const BODY_MS = 'a JSON body has five minutes to arrive.'
const fixedKeys = (groups: Readonly<Record<string, { readonly fixed: readonly string[] }>>) =>
  Object.fromEntries(
    Object.entries(groups).flatMap(([group, { fixed }]) =>
      fixed.map((name) => [`${group}.${name}`, 'its default is fixed now; leave the key out.']),
    ),
  )
const ONE_PRICE = 'write price: { input: 2, output: 10 }, and change the file when the price changes.'

/** Names each key of the configuration file that was removed (`limits.answer_chars`), with its replacement. A start with such a key fails. */
const REMOVED_KEYS: Readonly<Record<string, string>> = {
  blobs: 'all bodies are stored in the database.',
  'limits.grading_at_once': PRESSURE,
  'limits.uploads_at_once': HELD_BYTES,
  'limits.answer_chars': 'no limit replaces it; a page of steps ends after 4 Mi characters.',
  'limits.slow_reader_ms': 'a connection without any traffic is closed after an hour.',
  'limits.streams_at_once': '10,000 open connections bound the streams too.',
  'limits.statistics_at_once': 'statistics are computed one at a time; a request beyond the queue is answered 503.',
  'limits.slow_body_ms': BODY_MS,
  'limits.body_bytes_per_s': BODY_MS,
  ...fixedKeys({ limits: LIMITS, retry: RETRY, postgres: POSTGRES }),
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
