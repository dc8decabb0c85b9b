import { Fragment, type JSX } from 'preact'
import type { ClaimFigure, Report, ReportGroup } from '../audit-types.ts'
import { RateView, StatisticView } from '../numbers/number-view.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import { None } from '../ui/none.tsx'
import { Table } from '../ui/table.tsx'
import { claimWords } from '../words.ts'
import { GroupKey } from './groups.tsx'
import { CorrectedShare, groupsWithAll } from './share-figure.tsx'

interface Row {
  readonly group: ReportGroup
  /** A value of the claim; null: its mean. */
  readonly value: string | null
  readonly claim: ClaimFigure
}

/** Each claim of the rubric: how often it has each value, or its mean, by group. */
export const ClaimsSection = ({ report }: { readonly report: Report }): JSX.Element | null => {
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

function Raw({ row: { claim, value } }: { readonly row: Row }): JSX.Element {
  const share = value === null ? undefined : claim.shares[value]
  if (share !== undefined) return <RateView rate={share} />
  return claim.mean === null ? <None /> : <StatisticView of={claim.mean} style="coefficient" />
}
