import type { Outcome } from './recorder.ts'
import type { Act } from './traffic.ts'

/** Requests a second of each kind, sent on time whatever becomes of the ones before. */
export type Rates = Partial<Readonly<Record<Act, number>>>

export interface Phase {
  readonly name: string
  /** Of the whole run. */
  readonly share: number
  readonly rates: Rates
  readonly provider?: 'outage'
  /** Runs beside the rates, and the phase lasts until it has ended. */
  readonly batch?: true
}

const EVERYDAY: Rates = { hit: 20, miss: 4, lexical: 2, read: 4, page: 1, upload: 0.5 }

/** The shape of an hour. The first and the last are the same, so that what is left behind shows. */
export const PHASES: readonly Phase[] = [
  { name: 'calm', share: 0.12, rates: EVERYDAY },
  { name: 'busy', share: 0.14, rates: { hit: 80, miss: 25, lexical: 8, read: 10, page: 3, upload: 2, report: 0.2 } },
  { name: 'outage', share: 0.14, rates: EVERYDAY, provider: 'outage' },
  { name: 'recovery', share: 0.06, rates: EVERYDAY },
  { name: 'batch', share: 0.18, rates: { ...EVERYDAY, follow: 1 }, batch: true },
  { name: 'slow clients', share: 0.1, rates: { ...EVERYDAY, drip: 20, leave: 5 } },
  { name: 'pages', share: 0.07, rates: { ...EVERYDAY, page: 10, read: 20, report: 2 } },
  { name: 'large', share: 0.07, rates: { ...EVERYDAY, large: 0.3 } },
  { name: 'calm again', share: 0.12, rates: EVERYDAY },
]

/** What clients may see. Anything else is unexplained. */
export function isExplained({ kind, outcome, phase, ended }: Outcome): boolean {
  const judgeFailed = isJudgeFailure(outcome, phase) || isJudgeFailure(outcome, ended)
  if (kind === 'hit' || kind === 'read' || kind === 'page') return outcome === '200'
  if (outcome.startsWith('2')) return true
  if (outcome === '503 overloaded') return true
  if (kind === 'leave') return outcome === 'left' || judgeFailed
  if (kind === 'drip') return outcome === 'left' || outcome === '408'
  if (kind === 'follow') return outcome === 'nothing to follow'
  if (kind === 'report') return outcome.startsWith('400 several_graders')
  return kind === 'miss' && judgeFailed
}

const JUDGE_FAILURES = ['judge_unreachable', 'rate_limited', 'timeout']

/** Only of a provider that is out, or was until now. */
const isJudgeFailure = (outcome: string, phase: string): boolean =>
  (phase === 'outage' || phase === 'recovery') && JUDGE_FAILURES.some((code) => outcome.endsWith(` ${code}`))
