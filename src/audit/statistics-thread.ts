import { parentPort } from 'node:worker_threads'
import { agreement } from '../domain/statistics/agreement.ts'
import { comparisonStatistics } from './comparison-statistics.ts'
import { alignmentReportOf } from './report.ts'

/** What the thread can compute: functions of the domain, pure and synchronous. */
export const STATISTICS = { agreement, alignmentReportOf, comparisonStatistics } as const
export type Statistics = typeof STATISTICS
export type StatisticName = keyof Statistics

export interface ThreadJob {
  readonly id: number
  readonly name: StatisticName
  readonly input: unknown
}
export type ThreadReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string }

parentPort?.on('message', ({ id, name, input }: ThreadJob) => {
  parentPort?.postMessage(compute(id, name, input))
})

function compute(id: number, name: StatisticName, input: unknown): ThreadReply {
  try {
    return { id, ok: true, value: (STATISTICS[name] as (given: unknown) => unknown)(input) }
  } catch (error) {
    return { id, ok: false, message: error instanceof Error ? error.message : 'unknown' }
  }
}
