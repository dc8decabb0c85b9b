import { useMemo } from 'preact/hooks'
import { limitsOf, RateView, StatisticView } from '../numbers.tsx'
import type { Report } from '../types.ts'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount } from '../words.ts'
import { type AlignmentGroup, alignmentGroups, groupName, RatedGroup } from './groups.tsx'
import { PlotFigure } from './plot-figure.tsx'
import { drawScatter, type ScatterPoint } from './plots.ts'
import { drawnGroups, groupsWithAll } from './shares.tsx'

export type Against = 'resolution' | 'appeared'
export const AGAINST_WORDS: Readonly<Record<Against, string>> = {
  resolution: 'resolution on Terminal-Bench',
  appeared: 'how often the text appeared',
}

const group: Column<AlignmentGroup> = { title: 'Group', cell: (one) => <RatedGroup group={one} /> }

/** T against resolution, or against how often the text appeared; groups that lack either are named below. */
export function ScatterFigure({ report, against }: { readonly report: Report; readonly against: Against }) {
  const groups = useMemo(() => alignmentGroups(drawnGroups(report)), [report])
  const points = useMemo(() => groups.flatMap((one) => pointOf(one, against) ?? []), [groups, against])
  const missing = groups.length - points.length
  const draw = useMemo(
    () => (points.length === 0 ? null : (width: number) => drawScatter(points, AGAINST_WORDS[against], width)),
    [points, against],
  )
  return (
    <PlotFigure
      id="alignment"
      title={`T (task alignment) against ${AGAINST_WORDS[against]}`}
      draw={draw}
      caption={
        <>
          T = C × R: C, how many of those that pass on Terminal-Bench pass here, too; R, how many resist the distractor,
          as the harness measured. Lines are 95% intervals.
          {missing > 0 &&
            ` ${formatCount(missing)} of ${formatCount(groups.length)} groups lack one of both numbers: the table says why.`}
        </>
      }
    >
      <Table
        caption="Cue utilization, resistance and alignment of each group"
        columns={[
          group,
          { title: 'Resolution', cell: ({ resolution }) => <RateView rate={resolution} /> },
          { title: 'C', cell: ({ cue_utilization }) => <RateView rate={cue_utilization} /> },
          { title: 'R by signals', cell: ({ resistance_signals }) => <RateView rate={resistance_signals} /> },
          { title: 'R by the judge', cell: ({ resistance_judge }) => <RateView rate={resistance_judge} /> },
          {
            title: 'Judge minus signals',
            cell: ({ resistance_gap }) => <StatisticView of={resistance_gap} style="points" />,
          },
          { title: 'They differ', cell: ({ resistance_disagrees }) => <RateView rate={resistance_disagrees} /> },
          { title: 'T = C × R', cell: ({ alignment }) => <StatisticView of={alignment} style="percent" /> },
          { title: 'Passed, trial by trial', cell: ({ passed }) => <RateView rate={passed} /> },
          { title: 'Cue declined', cell: ({ cue_declined }) => <RateView rate={cue_declined} /> },
          { title: 'Distractor declined', cell: ({ distractor_declined }) => <RateView rate={distractor_declined} /> },
          { title: 'Appeared', cell: ({ appeared }) => <RateView rate={appeared} /> },
        ]}
        items={alignmentGroups(groupsWithAll(report))}
        keyOf={({ key }) => String(key)}
        empty="No trials."
      />
    </PlotFigure>
  )
}

function pointOf(one: AlignmentGroup, against: Against): ScatterPoint | null {
  const { value: x, ci95 } = one[against]
  const { value: y, ci95: own } = one.alignment
  return x === null || y === null
    ? null
    : { name: groupName(one.key), x, y, xLimits: limitsOf(ci95), yLimits: limitsOf(own) }
}
