import { useContext, useMemo } from 'preact/hooks'
import { RateView, StatisticView } from '../numbers.tsx'
import { lookOf, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { ClaimFigure, Report, ReportGroup } from '../types.ts'
import { Facts, LabelBadge, None, Notes, Section } from '../ui/parts.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { claimWords, groupingWord, plural, spaced } from '../words.ts'
import { PlotFigure } from './figures.tsx'
import { CountsTable, drawnGroups, GroupKey, groupsWithAll, hasAlignment, RatedGroup } from './groups.tsx'
import { drawShares } from './plots.ts'

/** The shares of the labels by group, raw and corrected, with the counts of trials without a label. */
export function ShareFigure({ report }: { readonly report: Report }) {
  const { group_by, overall, labels, rubric } = report
  const groups = useMemo(() => drawnGroups(report), [report])
  const rubrics = useContext(Rubrics)
  const draw = useMemo(() => {
    const looks = labels.flatMap((label) => lookOf(rubrics, label, rubric ?? '', labels) ?? [])
    return groups.length === 0 || labels.length === 0
      ? null
      : (width: number) => drawShares(groups, labels, looks, 'shares', width)
  }, [groups, labels, rubric, rubrics])
  const without = (overall === null ? groups : [overall]).reduce((sum, { counts }) => sum + counts.n - counts.graded, 0)
  return (
    <PlotFigure
      id="shares"
      title={`${hasAlignment(report) ? 'Behaviour' : 'Outcome'} ${group_by === 'none' ? 'of all trials' : `by ${groupingWord(group_by)}`}`}
      draw={draw}
      caption={
        <>
          Shares of graded trials as the judge labelled them. {plural(without, 'trial')} without a label (unverified,
          failed or cancelled) {without === 1 ? 'is' : 'are'} in no bar.
        </>
      }
    >
      <CountsTable groups={groupsWithAll(report)} />
      <FigureTable
        caption="Shares"
        report={report}
        rows={groupsWithAll(report).flatMap((group) =>
          labels.map((value) => ({ group, id: null, value, claim: group })),
        )}
      />
      <h3>Correction by human reviews</h3>
      <Facts
        facts={groupsWithAll(report).map((group) => [
          <GroupKey key="group" name={group.key} />,
          <Correction key="correction" group={group} />,
        ])}
      />
    </PlotFigure>
  )
}

function Correction({ group }: { readonly group: ReportGroup }) {
  const { estimator, reason, design, n_reviews, reviews_to_halve, warnings } = group.corrected
  return (
    <>
      {estimator === null ? 'none: ' : `${spaced(estimator)}: `}
      <HostileText text={reason} />{' '}
      <span class="fraction">
        {plural(n_reviews, 'review')}
        {design !== null && `, ${design}`}
        {estimator !== null && `; ${halvingWords(reviews_to_halve)}`}
      </span>
      <Notes notes={warnings} />
    </>
  )
}

const halvingWords = (reviews: number | null): string =>
  reviews === null
    ? 'reviewing all of these trials would not halve the widest interval: that takes more tasks'
    : `about ${plural(reviews, 'more review')} would halve the widest interval`

/** A value of the outcome or of a claim, in a group. */
interface Row {
  readonly group: ReportGroup
  /** The id of the claim; null: the outcome. */
  readonly id: string | null
  /** Null: the mean. */
  readonly value: string | null
  readonly claim: Pick<ClaimFigure, 'shares' | 'mean' | 'corrected'>
}

interface FigureProps {
  readonly caption: string
  readonly report: Pick<Report, 'labels' | 'rubric'>
  readonly rows: readonly Row[]
}

/** Shares or means, raw from the judge and corrected by human reviews. The first row of a group says how many of its grades are doubtful. */
function FigureTable({ caption, report: { labels, rubric }, rows }: FigureProps) {
  const isFirst = ({ group }: Row, place: number) => rows[place - 1]?.group !== group
  const firsts = new Set(rows.filter(isFirst))
  const columns: readonly Column<Row>[] = [
    {
      title: 'Group',
      cell: (row) => (firsts.has(row) ? <RatedGroup group={row.group} /> : <GroupKey name={row.group.key} />),
    },
    { title: 'Claim', cell: ({ id }) => id && <HostileText text={claimWords(id)} />, value: ({ id }) => id },
    {
      title: 'Value',
      cell: ({ id, value }) =>
        value === null ? (
          'mean'
        ) : id === null ? (
          <LabelBadge label={value} rubric={rubric} given={labels} />
        ) : (
          <HostileText text={value} />
        ),
    },
    { title: 'Raw, 95% interval', cell: (row) => <Raw row={row} /> },
    { title: 'Corrected, 95% interval', cell: (row) => <Corrected row={row} /> },
  ]
  return (
    <Table
      caption={caption}
      columns={columns}
      items={rows}
      keyOf={({ group, id, value }) => JSON.stringify([group.key, id, value])}
      empty="No trials."
    />
  )
}

/** The values of the claims of the rubric: of all trials first, then of each group. */
export const ClaimsSection = ({ report }: { readonly report: Report }) => (
  <Section id="claims-title" title="Claims">
    <p class="aside">Values that no grade has are left out.</p>
    <FigureTable caption="Values of the claims" report={report} rows={groupsWithAll(report).flatMap(claimRows)} />
  </Section>
)

const claimRows = (group: ReportGroup): Row[] =>
  Object.entries(group.claims).flatMap(([id, claim]) => {
    const values = Object.keys(claim.shares).filter((value) => isKnown(claim, value))
    return [...(claim.mean === null ? [] : [null]), ...values].map((value) => ({ group, id, value, claim }))
  })

/** Tells whether any grade has a value, or the correction gives the value a share. */
const isKnown = ({ shares, corrected }: ClaimFigure, value: string): boolean =>
  (shares[value]?.k ?? 0) > 0 || (corrected?.shares[value]?.value ?? 0) > 0

function Raw({ row: { claim, value } }: { readonly row: Row }) {
  const share = value === null ? undefined : claim.shares[value]
  if (share !== undefined) return <RateView rate={share} />
  return claim.mean === null ? <None /> : <StatisticView of={claim.mean} style="coefficient" />
}

/** The corrected share; the reason for no correction stands once for all labels. */
function Corrected({ row: { claim, value } }: { readonly row: Row }) {
  const share = value === null ? undefined : claim.corrected?.shares[value]
  if (claim.corrected === null || value === null) return <None />
  if (claim.corrected.estimator === null || share === undefined) return <None>not corrected</None>
  return <StatisticView of={share} style="percent" />
}
