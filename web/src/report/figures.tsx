import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { fileNameOf, saveSvg } from '../export/files.ts'
import { formatP, limitsOf, RateView, rateColumn, StatisticView, valueColumn } from '../numbers.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import type { Paired, PairedReport, Rate, Report, Statistic } from '../types.ts'
import { None, Section } from '../ui/parts.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { formatCount, measureWord, plural } from '../words.ts'
import { type AlignmentGroup, alignmentGroups, drawnGroups, groupName, groupsWithAll, RatedGroup } from './groups.tsx'
import { drawDifferences, drawScatter, type PlotElement, type ScatterPoint } from './plots.ts'

const WIDEST = 760
const NARROWEST = 280

interface PlotFigureProps {
  readonly id: string
  readonly title: string
  /** The drawn values, their denominators, and the values left out. */
  readonly caption: ComponentChildren
  /** Null: too few groups have the numbers, and a sentence takes the place of the plot. */
  readonly draw: ((width: number) => PlotElement) | null
  /** The same numbers as a table. */
  readonly children: ComponentChildren
}

/** A plot with its caption, a button that saves its picture, and its numbers in a table. */
export function PlotFigure({ id, title, caption, draw, children }: PlotFigureProps) {
  const box = useRef<HTMLDivElement>(null)
  const width = useWidth(box)
  useEffect(() => {
    if (draw !== null && width !== null) box.current?.replaceChildren(draw(width))
  }, [draw, width])
  return (
    <Section id={`${id}-title`} class="plot-section" title={title}>
      <figure class="plot" aria-labelledby={`${id}-title`}>
        <div ref={box} class="plot-box" data-plot={id} />
        {draw === null && <p>Nothing to draw: too few groups have these numbers. The table has what is known.</p>}
        <figcaption>{caption}</figcaption>
        {draw !== null && (
          <button type="button" data-export="no" onClick={() => saveSvg(fileNameOf('veridict', id), draw(WIDEST))}>
            Save this plot as SVG
          </button>
        )}
      </figure>
      {children}
    </Section>
  )
}

/** Measures the width of a plot; its text keeps its size at every width. */
function useWidth(box: { readonly current: HTMLElement | null }): number | null {
  const [width, setWidth] = useState<number | null>(null)
  useEffect(() => {
    const { current } = box
    if (current === null) return
    const watch = new ResizeObserver(([entry]) => {
      if (entry === undefined || entry.contentRect.width === 0) return
      setWidth(Math.round(Math.min(WIDEST, Math.max(NARROWEST, entry.contentRect.width))))
    })
    watch.observe(current)
    return () => watch.disconnect()
  }, [box])
  return width
}

/** A measure of both sides; R, C and T are no counts of pairs. */
interface Compared extends Pick<Paired, 'measure' | 'difference'> {
  readonly base: Rate | Statistic
  readonly head: Rate | Statistic
  readonly paired?: Paired
}

const ofPairs = (title: string, cell: (paired: Paired) => ComponentChildren): Column<Compared> => ({
  title,
  number: true,
  cell: ({ paired }) => (paired === undefined ? <None /> : cell(paired)),
})

const COLUMNS: readonly Column<Compared>[] = [
  { title: 'Measure', cell: ({ measure }) => measureWord(measure) },
  ofPairs(
    'Pairs',
    ({ pairs, unknown }) => `${formatCount(pairs)}${unknown > 0 ? `, ${formatCount(unknown)} unknown` : ''}`,
  ),
  { title: 'Base', cell: ({ base }) => <Side of={base} /> },
  { title: 'Head', cell: ({ head }) => <Side of={head} /> },
  valueColumn('Head minus base', 'points', ({ difference }) => difference),
  ofPairs('Base alone', ({ discordant }) => formatCount(discordant.base_only)),
  ofPairs('Head alone', ({ discordant }) => formatCount(discordant.head_only)),
  ofPairs('McNemar p', ({ mcnemar_p }) => (mcnemar_p === null ? 'no pairs differ' : formatP(mcnemar_p))),
]

const comparedOf = ({ measures, alignment }: PairedReport): readonly Compared[] => [
  ...measures.map((paired) => ({ ...paired, base: paired.base_rate, head: paired.head_rate, paired })),
  ...Object.entries(alignment ?? {}).map(([measure, sides]) => ({ measure, ...sides })),
]

/** The differences of the same tasks under two conditions. */
export function PairedFigure({ paired }: { readonly paired: PairedReport }) {
  const { measures, unpaired } = paired
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
      title={`Paired by ${paired.pair_by}`}
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
        items={comparedOf(paired)}
        keyOf={({ measure }) => measure}
        empty="No pairs."
      />
    </PlotFigure>
  )
}

const Side = ({ of }: { readonly of: Rate | Statistic }) =>
  'k' in of ? <RateView rate={of} /> : <StatisticView of={of} style="percent" />

export type Against = 'resolution' | 'appeared'
export const AGAINST_WORDS: Readonly<Record<Against, string>> = {
  resolution: 'resolution on Terminal-Bench',
  appeared: 'how often the text appeared',
}

const SCATTER_COLUMNS: readonly Column<AlignmentGroup>[] = [
  { title: 'Group', cell: (group) => <RatedGroup group={group} /> },
  rateColumn('Resolution', ({ resolution }) => resolution),
  rateColumn('C', ({ cue_utilization }) => cue_utilization),
  rateColumn('R by signals', ({ resistance_signals }) => resistance_signals),
  rateColumn('R by the judge', ({ resistance_judge }) => resistance_judge),
  valueColumn('Judge minus signals', 'points', ({ resistance_gap }) => resistance_gap),
  rateColumn('They differ', ({ resistance_disagrees }) => resistance_disagrees),
  valueColumn('T = C × R', 'percent', ({ alignment }) => alignment),
  rateColumn('Passed, trial by trial', ({ passed }) => passed),
  rateColumn('Cue declined', ({ cue_declined }) => cue_declined),
  rateColumn('Distractor declined', ({ distractor_declined }) => distractor_declined),
  rateColumn('Appeared', ({ appeared }) => appeared),
]

/** T against resolution, or against appearance of the text; the table has the groups that lack a number. */
export function ScatterFigure({ report, against }: { readonly report: Report; readonly against: Against }) {
  const groups = useMemo(() => alignmentGroups(drawnGroups(report)), [report])
  const points = useMemo(() => groups.flatMap((group) => pointOf(group, against) ?? []), [groups, against])
  const missing = groups.length - points.length
  const draw = useMemo(
    () => (points.length < 2 ? null : (width: number) => drawScatter(points, AGAINST_WORDS[against], width)),
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
        columns={SCATTER_COLUMNS}
        items={alignmentGroups(groupsWithAll(report))}
        keyOf={({ key }) => String(key)}
        empty="No trials."
      />
    </PlotFigure>
  )
}

function pointOf(group: AlignmentGroup, against: Against): ScatterPoint | null {
  const { value: x, ci95 } = group[against]
  const { value: y, ci95: own } = group.alignment
  return x === null || y === null
    ? null
    : { name: groupName(group.key), x, y, xLimits: limitsOf(ci95), yLimits: limitsOf(own) }
}
