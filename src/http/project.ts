import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Payer } from '../ports/ledger-ports.ts'
import type { Context, Project } from './context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The project of the caller’s key. Routes read stored data from here alone. */
    project: Project
  }
}

/** Opens the project of each request, after its caller is known and before its body is read. */
export function installProjects(http: FastifyInstance, context: Context): void {
  http.decorateRequest('project')
  const { main } = context
  http.addHook('onRequest', (request, _reply, done) => {
    const { project } = request.caller
    if (project === main.name) {
      request.project = main
      return done()
    }
    context.project(project).then((opened) => {
      request.project = opened
      done()
    }, done)
  })
}

/** Names the payer of a request; null: a caller without a key. */
export const payerOf = ({ caller: { key_id, max_cost_usd_per_day } }: FastifyRequest): Payer | null =>
  key_id === null ? null : { key_id, max_cost_usd_per_day }

/** Makes a thing once for each project, at its first use. */
export function perProject<T>(make: (project: Project) => T): (project: Project) => T {
  const made = new WeakMap<Project, T>()
  return (project) => {
    const one = made.get(project) ?? make(project)
    made.set(project, one)
    return one
  }
}
