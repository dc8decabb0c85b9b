import type { EvidenceAgreement } from '../types.ts'
import { Section } from '../ui/parts.tsx'
import { type Column, countColumn, nameColumn, Table } from '../ui/table.tsx'

type Pair = EvidenceAgreement[number]

const COLUMNS: readonly Column<Pair>[] = [
  nameColumn('Judges', ({ raters }) => [...new Set(raters)].join(' and ')),
  countColumn('Same label, overlapping quotes', ({ overlapping }) => overlapping),
  countColumn('Same label, other quotes', ({ disjoint }) => disjoint),
  countColumn('Same label, no quote needed', ({ unquoted }) => unquoted),
  countColumn('Other label', ({ other_label }) => other_label),
  countColumn('Not known', ({ unknown }) => unknown),
]

/** Pairs of answers by label and quotes: judges may agree on a label and not on its evidence. */
export const EvidencePairs = ({ pairs = [] }: { readonly pairs: EvidenceAgreement | undefined }) =>
  pairs.length === 0 ? null : (
    <Section id="evidence-pairs" title="Agreement on evidence">
      <Table
        caption="Pairs of answers by label and quotes"
        columns={COLUMNS}
        items={pairs}
        keyOf={({ raters }) => raters.join('\n')}
        empty="No pairs."
      />
    </Section>
  )
