import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyBaseLogger } from 'fastify'
import type { Context } from '../http/context.ts'

/** Bounds the wait for work in flight; the next start marks the remaining judge calls as interrupted. */
const DRAIN_MS = 25_000

/** Bounds the wait for the stores after the drain: a stop ends within the 40 s of the manifests in `deploy/`. */
const CLOSE_MS = 8_000

interface Stoppable {
  readonly context: Pick<Context, 'close' | 'tracing'>
  readonly log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
  /** Stops new work; resolves when no work is in flight. */
  finish(): Promise<unknown>
}

/** Waits for the work in flight, up to the deadline, and closes the stores. */
export async function drain({ context, log, finish }: Stoppable): Promise<void> {
  log.info('stopping: waiting for what is in flight')
  if (!(await isInTime(finish(), DRAIN_MS))) log.warn('stopping: something was still in flight at the deadline')
  if (!(await isInTime(context.close(), CLOSE_MS)))
    log.warn('stopping: the database did not answer; connections that were held run out by themselves')
  await context.tracing?.close()
  log.info('stopped')
}

const isInTime = (work: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([work.then(() => true), delay(ms, false, { ref: false })])

/** Stops cleanly on SIGTERM or SIGINT, and at once on a second one. */
export function stopOnSignals(env: NodeJS.ProcessEnv, state: { draining: boolean }, stoppable: Stoppable): void {
  const isEcho = signalEcho(env)
  const stop = () => {
    if (isEcho()) return
    if (state.draining) process.exit(1)
    state.draining = true
    drain(stoppable).then(
      () => process.exit(0),
      (error: unknown) => {
        stoppable.log.error({ err: error }, 'could not stop cleanly')
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** Recognizes the copy of a Ctrl-C that npm or the launcher relays, which would count as a second Ctrl-C and end the stop at once. */
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
