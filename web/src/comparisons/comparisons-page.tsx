import { type Answer, queryOf, useLoad } from '../api.ts'
import { setQuery, usePlace } from '../location.ts'
import { rubricId } from '../rubrics.ts'
import type { Batch, Comparison } from '../types.ts'
import { Named, Select } from '../ui/filters.tsx'
import { type Choice, Choose, Empty, FIRST_COMMAND, LoadView } from '../ui/parts.tsx'
import { type Column, countColumn, Table } from '../ui/table.tsx'
import { formatCount, formatTime, plural } from '../words.ts'
import { FlipList, FlipMatrix, readCell } from './flips.tsx'
import { AgreementTable, NoiseView, TestsTable } from './statistics.tsx'

/** The comparison of two batches over the same questions, label against label. */
export function ComparisonsPage() {
  const { query } = usePlace()
  const [base, head] = [query.get('base'), query.get('head')]
  const compared = useComparedRubrics(base, head)
  const asked = query.get('rubric')
  const rubric = asked ?? (compared?.length === 1 ? (compared[0] ?? null) : null)
  const choice = choiceOf(compared, asked)
  const ready = head !== null && choice === null
  const load = useLoad(
    'compareBatches',
    ready ? { query: queryOf<'compareBatches'>({ base, head, rubric: asked, limit: 1 }) } : null,
  )
  const batches = useLoad('listBatches', { query: { limit: 200 } })
  return (
    <>
      <h1>Comparisons</h1>
      <LoadView load={batches} what="the batches">
        {({ items }) => (
          <>
            <ChooseBatches batches={items} base={base} head={head} />
            {(asked !== null || (compared?.length ?? 0) > 1) && <ChooseRubric rubrics={compared ?? []} asked={asked} />}
            {head === null && <NothingToCompare batches={items} />}
          </>
        )}
      </LoadView>
      {choice !== null && choice !== 'waiting' && (
        <Choose choice={choice} why="What different rubrics ask is never compared." />
      )}
      {(ready || choice === 'waiting') && (
        <LoadView load={load} what="the comparison">
          {(comparison) => <ComparisonView comparison={comparison} query={query} rubric={rubric} />}
        </LoadView>
      )}
    </>
  )
}

/** Makes the choice of a rubric that a comparison needs; null: none is needed. */
function choiceOf(compared: readonly string[] | null, asked: string | null): Choice | 'waiting' | null {
  if (asked !== null) return null
  if (compared === null) return 'waiting'
  return compared.length > 1 ? { name: 'rubric', options: compared.map((value) => ({ value })) } : null
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
  const cell = readCell(query.get('cell'))
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
      <CountsView comparison={comparison} />
      <FlipMatrix comparison={comparison} query={query} rubric={rubric} />
      {cell !== null && <FlipList query={query} cell={cell} rubric={rubric} />}
      {agreement && <AgreementTable agreement={agreement} />}
      {tests && <TestsTable tests={tests} rubric={rubric} given={comparison.matrix.labels} />}
      {repeat_noise && <NoiseView noise={repeat_noise} flipped={comparison.flipped} />}
    </>
  )
}

function CountsView({ comparison }: { readonly comparison: Comparison }) {
  const { pairs, same, flipped, unpaired, base_counts, head_counts } = comparison
  return (
    <>
      <p class="counts" role="status">
        <strong>
          {formatCount(flipped)} of {plural(pairs, 'pair')} flipped
        </strong>
        <span>{formatCount(same)} the same</span>
        <span>
          not paired: {formatCount(unpaired.base_only)} in the base alone, {formatCount(unpaired.head_only)} in the head
          alone, {formatCount(unpaired.without_label)} without a label on a side
        </span>
        {unpaired.other_truth > 0 && (
          <span class="objection">
            {plural(unpaired.other_truth, 'run')} in both, with another ground truth: not paired
          </span>
        )}
        {unpaired.other_rubric > 0 && (
          <span class="objection">
            {plural(unpaired.other_rubric, 'run')} in both, by another rubric: never compared
          </span>
        )}
      </p>
      <Table
        caption="Items of each side by how they ended"
        columns={SIDE_COLUMNS}
        items={[
          { name: 'Base', id: comparison.base, counts: base_counts },
          { name: 'Head', id: comparison.head, counts: head_counts },
        ]}
        keyOf={({ name }) => name}
        empty="No items."
      />
    </>
  )
}

interface SideCounts {
  readonly name: string
  readonly id: string
  readonly counts: Comparison['base_counts']
}

const SIDE_COLUMNS: readonly Column<SideCounts>[] = [
  {
    title: 'Side',
    cell: ({ name, id }) => (
      <>
        {name} <span class="aside">{id}</span>
      </>
    ),
  },
  countColumn('Items', ({ counts }) => counts.n),
  countColumn('Graded', ({ counts }) => counts.graded),
  countColumn('Unverified', ({ counts }) => counts.unverified),
  countColumn('Failed', ({ counts }) => counts.failed),
  countColumn('Cancelled', ({ counts }) => counts.cancelled),
]

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

function ChooseRubric({ rubrics, asked }: { readonly rubrics: readonly string[]; readonly asked: string | null }) {
  return (
    <search class="filters" aria-label="Rubric to compare by">
      <Named id="rubric" title="Rubric">
        <Select
          id="rubric"
          value={asked ?? ''}
          options={[
            ['', rubrics.length > 1 ? 'choose one' : 'the only one'],
            ...rubrics.map((id) => [id, id] as const),
          ]}
          onChoose={(rubric) => setQuery({ rubric, cell: null })}
        />
      </Named>
    </search>
  )
}

/** Lists the rubrics of both batches by id; without a base the rubrics of the head. Null: not loaded yet. */
function useComparedRubrics(base: string | null, head: string | null): readonly string[] | null {
  const ofHead = useLoad('listBatchRubrics', ofBatch(head))
  const ofBase = useLoad('listBatchRubrics', ofBatch(base))
  if (head === null) return []
  // The comparison reports the failure.
  if (ofHead.state === 'failed' || ofBase.state === 'failed') return []
  if (ofHead.value === null || (base !== null && ofBase.value === null)) return null
  const own = idsOf(ofHead.value)
  const others = base === null || ofBase.value === null ? own : idsOf(ofBase.value)
  return own.filter((id) => others.includes(id))
}

const ofBatch = (id: string | null) => (id === null ? null : { path: { id } })
const idsOf = ({ items }: Answer<'listBatchRubrics'>): string[] => [...new Set(items.map(({ name }) => rubricId(name)))]
