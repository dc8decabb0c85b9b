import { agreement } from '../domain/statistics/agreement.ts'
import { comparisonStatistics } from './comparison-statistics.ts'
import { report } from './report/report.ts'

/** The functions that the process computes: pure and synchronous. */
const STATISTICS = { agreement, comparisonStatistics, report } as const
export type Statistics = typeof STATISTICS
export type StatisticName = keyof Statistics

export type JobReply = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly message: string }

process.on('message', ({ name, input }: { readonly name: StatisticName; readonly input: unknown }) => {
  process.send?.(compute(name, input))
})
// Ctrl-C goes to all processes of a terminal: the service decides when this process ends.
process.on('SIGINT', () => undefined)
process.on('disconnect', () => process.exit())

function compute(name: StatisticName, input: unknown): JobReply {
  try {
    return { ok: true, value: (STATISTICS[name] as (given: unknown) => unknown)(input) }
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : 'unknown' }
  }
}
