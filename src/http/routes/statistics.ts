import type { StatisticName, Statistics } from '../../audit/agreement/statistics-process.ts'
import { StatisticsError, type StatisticsWorker } from '../../audit/agreement/statistics-worker.ts'
import { draining, HttpProblem } from '../problem.ts'

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
