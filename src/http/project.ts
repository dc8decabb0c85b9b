import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Payer } from '../ports/ledger-ports.ts'
import type { Context, Project } from './context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the caller’s key opens. A route takes everything that is stored from here, and from nowhere else. */
    project: Project
  }
}

/** To be installed behind what sets `request.caller`, and before what looks at a body. */
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

/** Who pays for what the request asks; null: no key in particular. */
export const payerOf = ({ caller: { key_id, max_cost_usd_per_day } }: FastifyRequest): Payer | null =>
  key_id === null ? null : { key_id, max_cost_usd_per_day }

/** Something that each project has one of, made when it is first needed. */
export function perProject<T>(make: (project: Project) => T): (project: Project) => T {
  const made = new WeakMap<Project, T>()
  return (project) => {
    const one = made.get(project) ?? make(project)
    made.set(project, one)
    return one
  }
}
