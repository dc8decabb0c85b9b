import type { Rate, Statistic, UndefinedReason } from './types.ts'
import { None } from './ui/parts.tsx'
import { formatCount, REASON_WORDS } from './words.ts'

/** How numbers stand in tables, plots and exports: the same everywhere. */
export type NumberStyle = 'percent' | 'points' | 'coefficient'

const DIGITS = 3

export function formatNumber(value: number, style: NumberStyle): string {
  if (style === 'percent') return `${(100 * value).toFixed(1)}%`
  if (style === 'points') return `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(100 * value).toFixed(1)} pp`
  return value.toFixed(DIGITS).replace('-', '−')
}

export const formatInterval = ([low, high]: readonly [number, number], style: NumberStyle): string =>
  `${formatNumber(low, style)} to ${formatNumber(high, style)}`

/** Below a thousandth only that. */
export const formatP = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3))

export const formatReason = (reason: UndefinedReason | null): string =>
  reason === null ? 'not known' : REASON_WORDS[reason]

/** `[0.1, 0.4]` of the service as two numbers. */
export const limitsOf = (ci95: readonly number[] | null): readonly [number, number] | null => {
  const [low, high] = ci95 ?? []
  return low === undefined || high === undefined ? null : [low, high]
}

type Shown = Pick<Statistic, 'value' | 'ci95'> & { readonly reason?: Statistic['reason'] }

/** A value, its 95% interval below it, and in words why either is not there. */
export function StatisticView({ of, style }: { readonly of: Shown; readonly style: NumberStyle }) {
  const limits = limitsOf(of.ci95)
  if (of.value === null) return <None>{formatReason(of.reason ?? null)}</None>
  return (
    <>
      <span class="value">{formatNumber(of.value, style)}</span>{' '}
      <span class="interval">
        {limits !== null
          ? formatInterval(limits, style)
          : `no interval${of.reason === undefined || of.reason === null ? '' : `: ${formatReason(of.reason)}`}`}
      </span>
    </>
  )
}

/** A share with what it is a share of. */
export function RateView({ rate }: { readonly rate: Rate }) {
  return (
    <>
      <StatisticView of={rate} style="percent" />{' '}
      <span class="fraction">
        {formatCount(rate.k)}/{formatCount(rate.n)}
        {rate.unknown > 0 && `, ${formatCount(rate.unknown)} unknown`}
      </span>
    </>
  )
}
