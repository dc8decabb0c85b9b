import { Fragment } from 'preact'
import { useContext, useMemo } from 'preact/hooks'
import { RateView, StatisticView } from '../numbers.tsx'
import { lookOf, Rubrics } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { ClaimFigure, Report, ReportGroup } from '../types.ts'
import { LabelBadge, None, Notes, Section } from '../ui/parts.tsx'
import { Scroll, Table } from '../ui/table.tsx'
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
      <SharesTable groups={groupsWithAll(report)} report={report} />
    </PlotFigure>
  )
}

interface SharesProps {
  readonly groups: readonly ReportGroup[]
  readonly report: Pick<Report, 'labels' | 'rubric'>
}

/** The raw shares beside the corrected shares, or the reason for no correction. */
function SharesTable({ groups, report: { labels, rubric } }: SharesProps) {
  return (
    <Scroll label="Shares">
      <table class="list numbers">
        <caption>Shares of the labels: raw from the judge, and corrected by human reviews</caption>
        <thead>
          <tr>
            {['Group', 'Label', 'Raw, 95% interval', 'Corrected, 95% interval', 'Correction'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
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
    </Scroll>
  )
}

/** The corrected share of a label; the reason for no correction stands once for all labels. */
function CorrectedShare({ corrected, name }: { readonly corrected: ReportGroup['corrected']; readonly name: string }) {
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

interface Row {
  readonly group: ReportGroup
  /** A value of the claim; null: the mean. */
  readonly value: string | null
  readonly claim: ClaimFigure
}

/** The values of each claim of the rubric, with shares, or the mean, by group. */
export const ClaimsSection = ({ report }: { readonly report: Report }) => {
  const groups = groupsWithAll(report)
  const ids = [...new Set(groups.flatMap(({ claims }) => Object.keys(claims)))]
  if (ids.length === 0) return null
  return (
    <Section id="claims-title" title="Claims">
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
    </Section>
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
