import { Fragment } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { RateView, StatisticView } from '../numbers.tsx'
import { lookOf, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { ClaimFigure, Report, ReportGroup } from '../types.ts'
import { LabelBadge, None } from '../ui/parts.tsx'
import { Table } from '../ui/table.tsx'
import { claimWords, estimatorWord, groupingWord, plural } from '../words.ts'
import { CountsTable, GroupKey, hasAlignment, RatedGroup } from './groups.tsx'
import { PlotFigure } from './plot-figure.tsx'
import { drawShares } from './plots.ts'

/** All trials together first, then the groups, where there is more than one. */
export const groupsWithAll = ({ overall, groups }: Report): readonly ReportGroup[] =>
  overall === null || groups.length === 1 ? groups : [...groups, { ...overall, key: 'all trials' }]

/** What is drawn: the groups, or all trials where nothing groups them. */
export const drawnGroups = (report: Report): readonly ReportGroup[] =>
  report.groups.length === 0 ? groupsWithAll(report) : report.groups

/** The shares of every group, raw and corrected, with everything that has no label counted beside them. */
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
      title={`${hasAlignment(report) ? 'Behaviour' : 'Outcome'} by ${groupingWord(group_by)}`}
      draw={draw}
      caption={
        <>
          Shares of graded trials as the judge labelled them. {plural(without, 'trial')} without a label (unverified,
          failed or cancelled) {without === 1 ? 'is' : 'are'} in no bar.
        </>
      }
    >
      <CountsTable groups={groupsWithAll(report)} />
      <SharesTable groups={groupsWithAll(report)} report={report} />
    </PlotFigure>
  )
}

interface SharesProps {
  readonly groups: readonly ReportGroup[]
  readonly report: Pick<Report, 'labels' | 'rubric'>
}

/** Raw and corrected side by side; where no correction is honest, why. */
function SharesTable({ groups, report: { labels, rubric } }: SharesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll" tabIndex={0} aria-label="Shares">
      <table class="list numbers">
        <caption>Shares of the labels: raw from the judge, and corrected by human reviews</caption>
        <thead>
          <tr>
            <th scope="col">Group</th>
            <th scope="col">Label</th>
            <th scope="col">Raw, 95% interval</th>
            <th scope="col">Corrected, 95% interval</th>
            <th scope="col">Correction</th>
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={String(group.key)}>
            {labels.map((label, index) => (
              <tr key={label}>
                {index === 0 && (
                  <th scope="rowgroup" rowspan={labels.length}>
                    <RatedGroup group={group} />
                  </th>
                )}
                <td>
                  <LabelBadge label={label} rubric={rubric} given={labels} />
                </td>
                <td>{group.shares[label] && <RateView rate={group.shares[label]} />}</td>
                <td>
                  <CorrectedShare corrected={group.corrected} name={label} />
                </td>
                {index === 0 && (
                  <td rowspan={labels.length}>
                    <Correction group={group} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </section>
  )
}

/** One share of many; the interval stands alone, since why there is none is said of all. */
export const CorrectedShare = ({
  corrected,
  name,
}: {
  readonly corrected: ReportGroup['corrected']
  readonly name: string
}) => {
  const share = corrected.shares[name]
  return corrected.estimator === null || share === undefined ? (
    <None>not corrected</None>
  ) : (
    <StatisticView of={share} style="percent" />
  )
}

function Correction({ group }: { readonly group: ReportGroup }) {
  const { estimator, reason, design, n_reviews, reviews_to_halve, warnings } = group.corrected
  return (
    <>
      {estimator === null ? 'none: ' : `${estimatorWord(estimator)}: `}
      <HostileText text={reason} />{' '}
      <span class="fraction">
        {plural(n_reviews, 'review')}
        {design !== null && `, ${design}`}
        {estimator !== null && `; ${halvingWords(reviews_to_halve)}`}
      </span>
      {warnings.map((warning) => (
        <p key={warning} class="aside">
          {warning}
        </p>
      ))}
    </>
  )
}

const halvingWords = (reviews: number | null): string =>
  reviews === null
    ? 'reviewing all of these trials would not halve the widest interval: that takes more tasks'
    : `about ${plural(reviews, 'more review')} would halve the widest interval`

interface Row {
  readonly group: ReportGroup
  /** A value of the claim; null: its mean. */
  readonly value: string | null
  readonly claim: ClaimFigure
}

/** Each claim of the rubric: how often it has each value, or its mean, by group. */
export const ClaimsSection = ({ report }: { readonly report: Report }) => {
  const groups = groupsWithAll(report)
  const ids = [...new Set(groups.flatMap(({ claims }) => Object.keys(claims)))]
  if (ids.length === 0) return null
  return (
    <section aria-labelledby="claims-title">
      <h2 id="claims-title">Claims</h2>
      {ids.map((id) => (
        <Fragment key={id}>
          <h3>
            <HostileText text={claimWords(id)} />
          </h3>
          <Table
            caption={`Values of ${id}`}
            columns={[
              { title: 'Group', cell: ({ group }) => <GroupKey name={group.key} /> },
              { title: 'Value', cell: ({ value }) => (value === null ? 'mean' : <HostileText text={value} />) },
              { title: 'Raw, 95% interval', cell: (row) => <Raw row={row} /> },
              {
                title: 'Corrected, 95% interval',
                cell: ({ claim: { corrected }, value }) =>
                  corrected === null || value === null ? (
                    <None />
                  ) : (
                    <CorrectedShare corrected={corrected} name={value} />
                  ),
              },
            ]}
            items={groups.flatMap((group) => rowsOf(group, id))}
            keyOf={({ group, value }) => JSON.stringify([group.key, value])}
            empty="No trials."
          />
        </Fragment>
      ))}
    </section>
  )
}

function rowsOf(group: ReportGroup, id: string): Row[] {
  const claim = group.claims[id]
  if (claim === undefined) return []
  const shares = Object.keys(claim.shares).map((value): Row => ({ group, value, claim }))
  return claim.mean === null ? shares : [{ group, value: null, claim }, ...shares]
}

function Raw({ row: { claim, value } }: { readonly row: Row }) {
  const share = value === null ? undefined : claim.shares[value]
  if (share !== undefined) return <RateView rate={share} />
  return claim.mean === null ? <None /> : <StatisticView of={claim.mean} style="coefficient" />
}
