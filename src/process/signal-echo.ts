/**
 * Recognizes a relayed copy of the signal before. A terminal sends Ctrl-C to each process of a command; npm and the launcher relay theirs, and
 * a relayed copy counted as a second Ctrl-C would end a clean stop at once.
 */
export function signalEcho(env: NodeJS.ProcessEnv): () => boolean {
  const isRelayed = RELAYING.includes(env['npm_lifecycle_event'] ?? '') || (env['VERIDICT_LAUNCHER'] ?? '') !== ''
  let first: number | null = null
  return () => {
    const now = performance.now()
    first ??= now
    return isRelayed && now > first && now - first < ECHO_MS
  }
}

/** Scripts of package.json that relay signals. */
const RELAYING: readonly string[] = ['start', 'veridict']

/** Time within which a copy arrives; a person is slower. */
const ECHO_MS = 400
