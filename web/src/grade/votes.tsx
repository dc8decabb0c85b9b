import type { JSX } from 'preact'
import type { Grade, Vote } from '../api-types.ts'
import { Outcome } from '../ui/badges.tsx'
import { None } from '../ui/none.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { confidenceWord } from '../words.ts'

const columnsOf = (rubric: string): readonly Column<Vote>[] => [
  { title: 'Sample', number: true, cell: ({ sample }) => sample + 1 },
  { title: 'Outcome', cell: (vote) => <Outcome grade={vote} rubric={rubric} /> },
  { title: 'Confidence', cell: ({ label, confidence }) => confidenceWord(label, confidence) ?? <None /> },
  { title: 'Failure', cell: ({ failure }) => failure?.replaceAll('_', ' ') ?? <None /> },
]

/** What every sample said; nothing where there was only one. */
export function Votes({ grade: { votes, receipt } }: { readonly grade: Grade }): JSX.Element | null {
  if (votes.length === 0) return null
  return (
    <section aria-labelledby="votes">
      <h2 id="votes">Votes</h2>
      <Table
        caption="Votes of the samples"
        columns={columnsOf(receipt.rubric)}
        items={votes}
        keyOf={({ sample }) => String(sample)}
        empty="There was one sample."
      />
    </section>
  )
}
