import { useMemo } from 'preact/hooks'
import { formatP, limitsOf, RateView, StatisticView } from '../numbers.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import type { Paired, PairedReport, Rate, Statistic } from '../types.ts'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount, measureWord, PAIRING_WORDS, plural } from '../words.ts'
import { PlotFigure } from './plot-figure.tsx'
import { drawDifferences } from './plots.ts'

const COLUMNS: readonly Column<Paired>[] = [
  { title: 'Measure', cell: ({ measure }) => measureWord(measure) },
  {
    title: 'Pairs',
    cell: ({ pairs, unknown }) => `${formatCount(pairs)}${unknown > 0 ? `, ${formatCount(unknown)} unknown` : ''}`,
  },
  { title: 'Base', cell: ({ base_rate }) => <RateView rate={base_rate} /> },
  { title: 'Head', cell: ({ head_rate }) => <RateView rate={head_rate} /> },
  { title: 'Head minus base', cell: ({ difference }) => <StatisticView of={difference} style="points" /> },
  { title: 'Base alone', number: true, cell: ({ discordant }) => formatCount(discordant.base_only) },
  { title: 'Head alone', number: true, cell: ({ discordant }) => formatCount(discordant.head_only) },
  {
    title: 'McNemar p',
    number: true,
    cell: ({ mcnemar_p }) => (mcnemar_p === null ? 'no pairs differ' : formatP(mcnemar_p)),
  },
]

/** The same tasks under two conditions. */
export function PairedFigure({ paired }: { readonly paired: PairedReport }) {
  const { measures, unpaired, alignment } = paired
  const draw = useMemo(() => {
    const names = measures.map(({ measure, pairs }) => `${measureWord(measure)} (n=${formatCount(pairs)} pairs)`)
    const dots = measures.flatMap(({ difference }, index) =>
      difference.value === null
        ? []
        : [{ name: names[index] ?? '', value: difference.value, limits: limitsOf(difference.ci95) }],
    )
    return dots.length === 0 ? null : (width: number) => drawDifferences(names, dots, width)
  }, [measures])
  return (
    <PlotFigure
      id="paired"
      title={`Paired by ${PAIRING_WORDS[paired.pair_by]}`}
      draw={draw}
      caption={
        <>
          <HostileText text={paired.head} /> minus <HostileText text={paired.base} />, {plural(paired.pairs, 'pair')},
          with 95% intervals by resampling tasks. Not paired: {formatCount(unpaired.base_only)} of the base,{' '}
          {formatCount(unpaired.head_only)} of the head, {formatCount(unpaired.ambiguous)} ambiguous,{' '}
          {formatCount(unpaired.without_task)} without a task.
        </>
      }
    >
      <Table
        caption="Paired differences"
        columns={COLUMNS}
        items={measures}
        keyOf={({ measure }) => measure}
        empty="No pairs."
      />
      {alignment !== null && (
        <Table
          caption="R, C and T of both sides"
          columns={[
            { title: 'Measure', cell: ([name]) => measureWord(name) },
            { title: 'Base', cell: ([, { base }]) => <Side of={base} /> },
            { title: 'Head', cell: ([, { head }]) => <Side of={head} /> },
            {
              title: 'Head minus base',
              cell: ([, { difference }]) => <StatisticView of={difference} style="points" />,
            },
          ]}
          items={Object.entries(alignment)}
          keyOf={([name]) => name}
          empty="No pairs."
        />
      )}
    </PlotFigure>
  )
}

const Side = ({ of }: { readonly of: Rate | Statistic }) =>
  'k' in of ? <RateView rate={of} /> : <StatisticView of={of} style="percent" />
