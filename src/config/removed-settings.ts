/** Names each environment variable that was removed, with its replacement. A start with such a variable fails. */
const REMOVED_VARIABLES: Readonly<Record<string, string>> = {}

/** Names each key of the configuration file that was removed (`limits.answer_chars`), with its replacement. A start with such a key fails. */
const REMOVED_KEYS: Readonly<Record<string, string>> = {}

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
