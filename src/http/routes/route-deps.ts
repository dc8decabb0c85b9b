import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { StatisticsWorker } from '../../audit/agreement/statistics-worker.ts'
import type { AnswerOnce } from '../body/idempotency.ts'
import type { KnownBodies } from '../body/known-bodies.ts'
import type { Context } from '../context.ts'
import type { InFlight } from '../guard/in-flight.ts'
import type { Metrics } from '../metrics.ts'

/** What routes are given; each takes what it needs. */
export interface RouteDeps {
  readonly context: Context
  readonly metrics: Metrics
  readonly knownBodies: KnownBodies
  readonly inFlight: InFlight
  readonly answerOnce: AnswerOnce
  readonly statistics: StatisticsWorker
  /** `draining` is set once a stop was asked for: then streams end. */
  readonly state: { readonly draining: boolean }
}

/** The application as routes are added to it: what a handler is given has the types of its schema. */
export const typedRoutes = (app: FastifyInstance) => app.withTypeProvider<TypeBoxTypeProvider>()
export type Routes = ReturnType<typeof typedRoutes>
