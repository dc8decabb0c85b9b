import type { JSX } from 'preact'
import type { JudgeEvidence, Rate } from '../audit-types.ts'
import { RateView } from '../numbers/number-view.tsx'
import { Table } from '../ui/table.tsx'
import { labelWords } from '../words.ts'

/** What became of the evidence of each judge. */
export const EvidenceSection = ({ evidence }: { readonly evidence: readonly JudgeEvidence[] }): JSX.Element => (
  <>
    {evidence.map(({ judge, grades, citations }) => (
      <Table
        key={judge}
        caption={`Evidence of ${judge}`}
        columns={[
          { title: 'Of', cell: ([of]) => of },
          { title: 'Status', cell: ([, status]) => labelWords(status) },
          { title: 'Share, 95% interval', cell: ([, , rate]) => <RateView rate={rate} /> },
        ]}
        items={[...rowsOf('grades', grades), ...rowsOf('citations', citations)]}
        keyOf={([of, status]) => `${of} ${status}`}
        empty="No grades."
      />
    ))}
  </>
)

const rowsOf = (of: string, rates: Readonly<Record<string, Rate>>) =>
  Object.entries(rates).map(([status, rate]) => [of, status, rate] as const)
