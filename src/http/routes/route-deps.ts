import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { StatisticName, Statistics } from '../../audit/agreement/statistics-process.ts'
import { StatisticsError, type StatisticsWorker } from '../../audit/agreement/statistics-worker.ts'
import type { Payer } from '../../db/attempts.ts'
import type { Context } from '../context.ts'
import type { InFlight } from '../plugins/drain.ts'
import type { Metrics } from '../plugins/metrics.ts'
import type { AnswerOnce, KnownBodies } from '../plugins/replay.ts'
import { draining, HttpProblem } from '../problem.ts'

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

/** Computes a statistic of its input. */
export type Compute = <Name extends StatisticName>(
  name: Name,
  input: Parameters<Statistics[Name]>[0],
) => Promise<ReturnType<Statistics[Name]>>

/** Computes statistics in their process. Throws a problem that says whether to come again. */
export const computeApart =
  (worker: StatisticsWorker): Compute =>
  (name, input) =>
    worker.run(name, input).catch((error: unknown) => {
      throw toProblem(error)
    })

function toProblem(error: unknown): unknown {
  if (!(error instanceof StatisticsError) || error.code === 'crashed') return error
  if (error.code === 'stopped') return draining()
  return new HttpProblem(503, 'busy', 'too many statistics are being computed', { headers: { 'retry-after': '5' } })
}

/** Names the payer of a request; null: a caller without a key. */
export const payerOf = ({ caller: { key_id, max_cost_usd_per_day } }: FastifyRequest): Payer | null =>
  key_id === null ? null : { key_id, max_cost_usd_per_day }
