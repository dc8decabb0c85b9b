import { agreement } from '../../domain/statistics/agreement/agreement.ts'
import { comparisonStatistics } from '../comparison/comparison-statistics.ts'
import { reportOf } from '../report/report.ts'

/** What the process can compute: functions of the domain, pure and synchronous. */
const STATISTICS = { agreement, comparisonStatistics, reportOf } as const
export type Statistics = typeof STATISTICS
export type StatisticName = keyof Statistics

export interface Job {
  readonly id: number
  readonly name: StatisticName
  readonly input: unknown
}
export type JobReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string }

process.on('message', ({ id, name, input }: Job) => {
  process.send?.(compute(id, name, input))
})
// Ctrl-C goes to all processes of a terminal: the service decides when this one ends, or ends itself.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())

function compute(id: number, name: StatisticName, input: unknown): JobReply {
  try {
    return { id, ok: true, value: (STATISTICS[name] as (given: unknown) => unknown)(input) }
  } catch (error) {
    return { id, ok: false, message: error instanceof Error ? error.message : 'unknown' }
  }
}
