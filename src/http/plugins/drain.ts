import type { FastifyInstance } from 'fastify'
import { draining } from '../../schemas/problem.ts'
import { sendProblem } from '../problem.ts'

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
