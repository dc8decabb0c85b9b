/**
 * Whether a signal is the one before it again. A terminal gives Ctrl-C to every process of the command: to this one, and to the npm or the
 * launcher that started it, which gives it on. Taken for a second Ctrl-C, it would end a clean stop at once.
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

/** The scripts of package.json that run a service or a command. */
const RELAYING: readonly string[] = ['start', 'veridict']

/** A person is slower, and npm faster, even on a busy machine. */
const ECHO_MS = 400
