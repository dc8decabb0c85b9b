import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { StatisticName, Statistics } from '../../audit/agreement/statistics-process.ts'
import { StatisticsError, type StatisticsWorker } from '../../audit/agreement/statistics-worker.ts'
import type { AnswerOnce } from '../body/idempotency.ts'
import type { KnownBodies } from '../body/known-bodies.ts'
import type { Context } from '../context.ts'
import type { InFlight } from '../guard/drain.ts'
import type { Metrics } from '../metrics.ts'
import { draining, HttpProblem } from '../problem.ts'

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

/** Computes in the worker; what keeps it from doing so becomes a problem that says whether to come again. */
export const computeApart = <Name extends StatisticName>(
  worker: StatisticsWorker,
  name: Name,
  input: Parameters<Statistics[Name]>[0],
): Promise<ReturnType<Statistics[Name]>> =>
  worker.run(name, input).catch((error: unknown) => {
    throw toProblem(error)
  })

function toProblem(error: unknown): unknown {
  if (!(error instanceof StatisticsError) || error.code === 'crashed') return error
  if (error.code === 'stopped') return draining()
  return new HttpProblem(503, 'busy', 'too many statistics are being computed', { headers: { 'retry-after': '5' } })
}
