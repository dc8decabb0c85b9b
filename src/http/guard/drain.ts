import type { FastifyInstance } from 'fastify'
import { draining, sendProblem } from '../problem.ts'

const PROBES: readonly (string | undefined)[] = ['/healthz', '/readyz', '/metrics']

/** Once a stop was asked for: what is in flight is finished, nothing new is begun, and every answer ends its connection. */
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
