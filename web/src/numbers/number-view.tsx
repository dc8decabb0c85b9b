import type { JSX } from 'preact'
import type { Rate, Statistic } from '../audit-types.ts'
import { None } from '../ui/none.tsx'
import { formatCount } from '../words.ts'
import { formatInterval, formatNumber, formatReason, limitsOf, type NumberStyle } from './format-number.ts'

type Shown = Pick<Statistic, 'value' | 'ci95'> & { readonly reason?: Statistic['reason'] }

/** A value, its 95% interval below it, and in words why either is not there. */
export function StatisticView({ of, style }: { readonly of: Shown; readonly style: NumberStyle }): JSX.Element {
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
export function RateView({ rate }: { readonly rate: Rate }): JSX.Element {
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
