import type { JSX } from 'preact'
import type { Vote } from '../api-types.ts'
import { Outcome } from '../ui/badges.tsx'
import { None } from '../ui/none.tsx'
import { type Column, Table } from '../ui/table.tsx'

const COLUMNS: readonly Column<Vote>[] = [
  { title: 'Sample', number: true, cell: ({ sample }) => sample },
  { title: 'Outcome', cell: (vote) => <Outcome grade={vote} /> },
  { title: 'Confidence', cell: ({ confidence }) => confidence ?? <None /> },
  { title: 'Failure', cell: ({ failure }) => failure?.replaceAll('_', ' ') ?? <None /> },
]

/** What every sample said; nothing where there was only one. */
export function Votes({ votes }: { readonly votes: readonly Vote[] }): JSX.Element | null {
  if (votes.length === 0) return null
  return (
    <section aria-labelledby="votes">
      <h2 id="votes">Votes</h2>
      <Table
        caption="Votes of the samples"
        columns={COLUMNS}
        items={votes}
        keyOf={({ sample }) => String(sample)}
        empty="There was one sample."
      />
    </section>
  )
}
