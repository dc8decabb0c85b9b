import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { StatisticsWorker } from '../../audit/statistics-worker.ts'
import type { Payer } from '../../db/attempts.ts'
import type { InFlight } from '../../grading/in-flight.ts'
import type { Context } from '../context.ts'
import type { Metrics } from '../plugins/metrics.ts'
import type { AnswerOnce, KnownBodies } from '../plugins/replay.ts'

/** The dependencies of routes. */
export interface RouteDeps {
  readonly context: Context
  readonly metrics: Metrics
  readonly knownBodies: KnownBodies
  readonly inFlight: InFlight
  readonly answerOnce: AnswerOnce
  readonly statistics: StatisticsWorker
  /** Streams end once the service drains. */
  readonly state: { readonly draining: boolean }
}

/** Gives handlers the types of their schemas. */
export const typedRoutes = (app: FastifyInstance) => app.withTypeProvider<TypeBoxTypeProvider>()
export type Routes = ReturnType<typeof typedRoutes>

/** Names the payer of a request; null: a caller without a key. */
export const payerOf = ({ caller: { key_id, max_cost_usd_per_day } }: FastifyRequest): Payer | null =>
  key_id === null ? null : { key_id, max_cost_usd_per_day }
