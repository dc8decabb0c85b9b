import type { FastifyInstance } from 'fastify'
import { draining, sendProblem } from '../problem.ts'

const PROBES: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

/** Refuses new requests while the service drains, but for probes, and ends the connection of every answer. */
export function installDrain(app: FastifyInstance, state: { readonly draining: boolean }): void {
  app.addHook('onRequest', (request, reply, done) => {
    if (!state.draining || PROBES.includes(request.routeOptions.url)) return done()
    sendProblem(reply, draining())
  })
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (state.draining) reply.header('connection', 'close')
    done()
  })
}

export type InFlight = ReturnType<typeof createInFlight>

/** Tracks work that goes on without its client: a call of a judge is paid for, so a stop waits until its result is stored. */
export function createInFlight() {
  const running = new Set<Promise<unknown>>()
  return {
    track<T>(work: Promise<T>): Promise<T> {
      running.add(work)
      void work.catch(() => undefined).then(() => running.delete(work))
      return work
    },
    /** Resolves once no work is in flight. */
    async settled(): Promise<void> {
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}
