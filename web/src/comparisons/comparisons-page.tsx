import { type Answer, queryOf, useLoad } from '../api.ts'
import { readPlace, setQuery, usePlace } from '../location.ts'
import { onlyRubric, rubricId } from '../rubrics.ts'
import { HostileText } from '../text/hostile-text.tsx'
import type { Batch, Comparison, Difference } from '../types.ts'
import { Filters, Named, Select } from '../ui/filters.tsx'
import { Empty, FIRST_COMMAND, LoadView } from '../ui/parts.tsx'
import { countWords, formatCount, formatTime, optionsOf, plural } from '../words.ts'
import { FlipMatrix, FlipTable, readCell } from './flips.tsx'
import { AgreementTable, EvidencePairs, NoiseView, TestsTable } from './statistics.tsx'

/** The comparison of two batches over the same questions, label against label. */
export function ComparisonsPage() {
  const { query } = usePlace()
  const [base, head] = [query.get('base'), query.get('head')]
  const asked = query.get('rubric')
  const own = useLoad('listBatchRubrics', head === null ? null : { path: { id: head } })
  const rubric = asked ?? onlyRubric((own.value?.items ?? []).map(({ name }) => name))
  const across = query.get('across') === 'true'
  const compared = queryOf<'compareBatches'>({ base, head, rubric: asked, across, limit: 1 })
  const load = useLoad('compareBatches', head === null ? null : { query: compared })
  const batches = useLoad('listBatches', { query: { limit: 200 } })
  return (
    <>
      <h1>Comparisons</h1>
      <LoadView load={batches} what="the batches">
        {({ items }) => (
          <>
            <ChooseBatches batches={items} base={base} head={head} />
            {head === null && <NothingToCompare batches={items} />}
          </>
        )}
      </LoadView>
      {(asked !== null || (rubric === null && own.value !== null)) && (
        <Filters filters={[{ ...RUBRIC, options: optionsOf(idsOf(own.value)) }]} query={query} />
      )}
      {head !== null && (
        <LoadView load={load} what="the comparison">
          {(comparison) => <ComparisonView comparison={comparison} query={query} rubric={rubric} />}
        </LoadView>
      )}
    </>
  )
}

/** Says which batch a comparison lacks. */
function NothingToCompare({ batches }: { readonly batches: readonly Batch[] }) {
  const [first, second] = batches
  if (first === undefined) return <Empty command={FIRST_COMMAND}>There is no batch yet; a comparison takes two.</Empty>
  if (second === undefined)
    return (
      <Empty command={`regrade --batch ${first.id} --judge JUDGE`}>
        There is one batch; a comparison takes two. This grades the same trials again, with another judge:
      </Empty>
    )
  return <Empty>Choose a head; of a re-grade the base may stay open: then it is what it started from.</Empty>
}

interface ComparisonProps {
  readonly comparison: Comparison
  readonly query: URLSearchParams
  /** The rubric of the labels; null: not loaded yet. */
  readonly rubric: string | null
}

function ComparisonView({ comparison, query, rubric }: ComparisonProps) {
  const { agreement, tests, repeat_noise, unpaired } = comparison
  const cell = readCell(query.get('cell'), comparison.matrix.labels)
  if (comparison.pairs === 0)
    return (
      <>
        <CountsView comparison={comparison} />
        <Empty>
          There is no pair to compare
          {unpaired.other_rubric > 0 && ': base and head were graded by different rubrics, which are never compared'}.
        </Empty>
      </>
    )
  return (
    <>
      <Differences differs={comparison.differs ?? []} />
      <CountsView comparison={comparison} />
      <FlipMatrix comparison={comparison} query={query} rubric={rubric} />
      <FlipTable query={query} cell={cell} />
      <EvidencePairs pairs={comparison.evidence_agreement} />
      {agreement && <AgreementTable agreement={agreement} />}
      {tests && <TestsTable tests={tests} rubric={rubric} given={comparison.matrix.labels} />}
      {repeat_noise && <NoiseView noise={repeat_noise} flipped={comparison.flipped} />}
    </>
  )
}

/** Says first in what else than their answers the sides differ: tests across such differences are made when asked for. */
function Differences({ differs }: { readonly differs: readonly Difference[] }) {
  if (differs.length === 0) return null
  const words = differs.map(({ what, n, base, head }) => {
    const sides = base.length + head.length > 0 ? `: ${base.join(', ')} → ${head.join(', ')}` : ''
    return `${what} (${formatCount(n)})${sides}`
  })
  return (
    <p class="trouble">
      <strong>The sides differ in more than their answers.</strong> <HostileText text={words.join('; ')} />.{' '}
      {differs.some(({ blocks_tests }) => blocks_tests) && (
        <button type="button" onClick={() => setQuery({ across: readPlace().query.has('across') ? null : 'true' })}>
          {readPlace().query.has('across') ? 'Leave the tests out' : 'Test across them'}
        </button>
      )}
    </p>
  )
}

function CountsView({ comparison }: { readonly comparison: Comparison }) {
  const { pairs, same, flipped, unpaired, base_counts, head_counts } = comparison
  const alone = [
    [unpaired.base_only, 'in the base alone'],
    [unpaired.head_only, 'in the head alone'],
    [unpaired.without_label, 'without a label on a side'],
    [unpaired.other_truth, 'in both with another ground truth'],
    [unpaired.other_rubric, 'in both by another rubric, which are never compared'],
  ] as const
  const unpairedWords = alone.flatMap(([count, where]) => (count > 0 ? `${formatCount(count)} ${where}` : []))
  return (
    <p class="counts" role="status">
      <strong>
        {formatCount(flipped)} of {plural(pairs, 'pair')} flipped
      </strong>
      <span>{formatCount(same)} the same</span>
      <span>Base: {endWords(base_counts)}</span>
      <span>Head: {endWords(head_counts)}</span>
      {unpairedWords.length > 0 && <span class="objection">not paired: {unpairedWords.join(', ')}</span>}
    </p>
  )
}

const endWords = ({ graded, unverified, failed, cancelled }: Comparison['base_counts']): string =>
  countWords({ graded, unverified, failed, cancelled }) || 'no items'

interface ChooseProps {
  readonly batches: readonly Batch[]
  readonly base: string | null
  readonly head: string | null
}

function ChooseBatches({ batches, base, head }: ChooseProps) {
  const choose = (side: 'base' | 'head') => (id: string) => setQuery({ [side]: id, cell: null, rubric: null })
  const options = batches.map(
    ({ id, name, kind, created_at, counts }) =>
      [id, `${name ?? id} · ${kind}, ${plural(counts.total, 'item')}, ${formatTime(created_at)}`] as const,
  )
  return (
    <search class="filters wide" aria-label="Batches to compare">
      <Named id="base" title="Base">
        <Select
          id="base"
          value={base ?? ''}
          options={[['', 'what the head started from'], ...options]}
          onChoose={choose('base')}
        />
      </Named>
      <Named id="head" title="Head">
        <Select id="head" value={head ?? ''} options={[['', 'choose one'], ...options]} onChoose={choose('head')} />
      </Named>
      <button
        type="button"
        disabled={base === null || head === null}
        onClick={() => setQuery({ base: head, head: base, cell: null })}
      >
        Swap
      </button>
    </search>
  )
}

const RUBRIC = { name: 'rubric', title: 'Rubric', none: 'choose one' }

/** Lists the ids of the rubrics of a batch. */
const idsOf = (rubrics: Answer<'listBatchRubrics'> | null): readonly string[] => [
  ...new Set((rubrics?.items ?? []).map(({ name }) => rubricId(name))),
]
