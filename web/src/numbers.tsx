import { REASON_WORDS } from '../../src/schemas/words.ts'
import type { Rate, Statistic, UndefinedReason } from './types.ts'
import { None } from './ui/parts.tsx'
import type { Column } from './ui/table.tsx'
import { formatCount } from './words.ts'

/** The styles of numbers in tables, plots and exports. */
export type NumberStyle = 'percent' | 'points' | 'coefficient'

export function formatNumber(value: number, style: NumberStyle): string {
  if (style === 'percent') return `${(100 * value).toFixed(1)}%`
  if (style === 'points') return `${value > 0 ? '+' : value < 0 ? '−' : ''}${Math.abs(100 * value).toFixed(1)} pp`
  return value.toFixed(3).replace('-', '−')
}

const formatInterval = ([low, high]: readonly [number, number], style: NumberStyle): string =>
  `${formatNumber(low, style)} to ${formatNumber(high, style)}`

/** Writes a p-value; every value below a thousandth alike. */
export const formatP = (p: number): string => (p < 0.001 ? '< 0.001' : p.toFixed(3))

export const formatReason = (reason: UndefinedReason | null): string =>
  reason === null ? 'not known' : REASON_WORDS[reason]

/** Reads an interval of the service: `[0.1, 0.4]`. */
export const limitsOf = (ci95: readonly number[] | null): readonly [number, number] | null => {
  const [low, high] = ci95 ?? []
  return low === undefined || high === undefined ? null : [low, high]
}

type Shown = Pick<Statistic, 'value' | 'ci95'> & { readonly reason?: Statistic['reason'] }

/** A value with its 95% interval, or the reason for a missing value or interval. */
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

/** A share with its fraction. */
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

/** Makes a column of shares. */
export const rateColumn = <T,>(title: string, of: (item: T) => Rate): Column<T> => ({
  title,
  cell: (item) => <RateView rate={of(item)} />,
})

/** Makes a column of values with intervals. */
export const valueColumn = <T,>(title: string, style: NumberStyle, of: (item: T) => Shown): Column<T> => ({
  title,
  cell: (item) => <StatisticView of={of(item)} style={style} />,
})
