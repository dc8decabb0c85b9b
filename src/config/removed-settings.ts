/** Names each environment variable that was removed, with its replacement. A start with such a variable fails. */
const REMOVED_VARIABLES: Readonly<Record<string, string>> = {
  VERIDICT_BLOBS: 'all bodies are stored in the database; leave it out.',

  VERIDICT_THREADS: 'one thread reads large bodies; unset it, and start more workers on PostgreSQL for more throughput',
}

const PRESSURE = 'limits.heap_share and limits.event_loop_delay_ms bound the grades in work.'
const HELD_BYTES = 'limits.held_bytes bounds the bodies that are read at once.'
const BODY_MS = 'limits.body_ms bounds the time in which a JSON body arrives.'

/** Names each key of the configuration file that was removed (`limits.answer_chars`), with its replacement. A start with such a key fails. */
const REMOVED_KEYS: Readonly<Record<string, string>> = {
  blobs: 'all bodies are stored in the database.',
  'limits.grading_at_once': PRESSURE,
  'limits.uploads_at_once': HELD_BYTES,
  'limits.answer_chars': 'no limit replaces it; a page of steps ends after 4 Mi characters.',
  'limits.slow_reader_ms': 'a connection without any traffic is closed after an hour.',
  'limits.streams_at_once': 'limits.connections bounds the streams too.',
  'limits.statistics_at_once': 'statistics are computed one at a time; a request beyond the queue is answered 503.',
  'limits.slow_body_ms': BODY_MS,
  'limits.body_bytes_per_s': BODY_MS,
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
  return names.flatMap((one) => placesOf((value as Record<string, unknown>)[one], rest, `${at}/${one}`))
}
