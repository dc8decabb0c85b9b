import { queryOf, useLoad } from '../api.ts'
import { setQuery, usePlace } from '../location.ts'
import { rubricId } from '../rubrics.ts'
import { visibleString } from '../text/visible-text.ts'
import type { Batch, Comparison, List, RubricView } from '../types.ts'
import { type Choice, Choose, Empty, FIRST_COMMAND, LoadView } from '../ui/parts.tsx'
import { formatCount, formatTime, plural } from '../words.ts'
import { FlipList, FlipMatrix, readCell } from './flips.tsx'
import { AgreementTable, NoiseView, TestsTable } from './statistics.tsx'

/** Two batches over the same questions, label against label. */
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

/** What must be chosen before two batches are compared; null: nothing. */
function choiceOf(compared: readonly string[] | null, asked: string | null): Choice | 'waiting' | null {
  if (asked !== null) return null
  if (compared === null) return 'waiting'
  return compared.length > 1 ? { name: 'rubric', options: compared.map((value) => ({ value })) } : null
}

/** What is missing before two batches can be compared. */
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
  /** Whose labels are compared; null: it is not loaded. */
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <section class="scroll" tabIndex={0} aria-label="Items of each side">
        <table class="list">
          <caption class="unseen">Items of each side by how they ended</caption>
          <thead>
            <tr>
              {['Side', 'Items', 'Graded', 'Unverified', 'Failed', 'Cancelled'].map((title) => (
                <th key={title} scope="col" class={title === 'Side' ? undefined : 'number'}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[
              { name: 'Base', id: comparison.base, counts: base_counts },
              { name: 'Head', id: comparison.head, counts: head_counts },
            ].map(({ name, id, counts }) => (
              <tr key={name}>
                <th scope="row">
                  {name} <span class="aside">{id}</span>
                </th>
                {[counts.n, counts.graded, counts.unverified, counts.failed, counts.cancelled].map((count, index) => (
                  <td key={index} class="number">
                    {formatCount(count)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  )
}

interface ChooseProps {
  readonly batches: readonly Batch[]
  readonly base: string | null
  readonly head: string | null
}

function ChooseBatches({ batches, base, head }: ChooseProps) {
  const choose = (side: 'base' | 'head', id: string) => setQuery({ [side]: id, cell: null, rubric: null })
  return (
    <search class="filters wide" aria-label="Batches to compare">
      <div>
        <label htmlFor="base">Base</label>
        <select id="base" value={base ?? ''} onChange={(event) => choose('base', event.currentTarget.value)}>
          <option value="">what the head started from</option>
          <BatchOptions batches={batches} chosen={base} />
        </select>
      </div>
      <div>
        <label htmlFor="head">Head</label>
        <select id="head" value={head ?? ''} onChange={(event) => choose('head', event.currentTarget.value)}>
          <option value="">choose one</option>
          <BatchOptions batches={batches} chosen={head} />
        </select>
      </div>
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

interface RubricProps {
  readonly rubrics: readonly string[]
  readonly asked: string | null
}

function ChooseRubric({ rubrics, asked }: RubricProps) {
  return (
    <search class="filters" aria-label="Rubric to compare by">
      <div>
        <label htmlFor="rubric">Rubric</label>
        <select
          id="rubric"
          value={asked ?? ''}
          onChange={(event) => setQuery({ rubric: event.currentTarget.value, cell: null })}
        >
          <option value="">{rubrics.length > 1 ? 'choose one' : 'the only one'}</option>
          {[...new Set([...rubrics, ...(asked === null ? [] : [asked])])].map((id) => (
            <option key={id} value={id}>
              {visibleString(id)}
            </option>
          ))}
        </select>
      </div>
    </search>
  )
}

/** A batch that the address names may be older than what is listed. */
const BatchOptions = ({ batches, chosen }: { readonly batches: readonly Batch[]; readonly chosen: string | null }) => (
  <>
    {chosen !== null && !batches.some(({ id }) => id === chosen) && (
      <option value={chosen}>{visibleString(chosen)}</option>
    )}
    {batches.map(({ id, name, kind, created_at, counts }) => (
      <option key={id} value={id}>
        {visibleString(name ?? id)} · {kind}, {plural(counts.total, 'item')}, {formatTime(created_at)}
      </option>
    ))}
  </>
)

/** The ids of the rubrics that both batches ask by; without a base those of the head. Null: not known yet. */
export function useComparedRubrics(base: string | null, head: string | null): readonly string[] | null {
  const ofHead = useLoad('listBatchRubrics', ofBatch(head))
  const ofBase = useLoad('listBatchRubrics', ofBatch(base))
  if (head === null) return []
  // What cannot be told is told by the comparison itself.
  if (ofHead.state === 'failed' || ofBase.state === 'failed') return []
  if (ofHead.value === null || (base !== null && ofBase.value === null)) return null
  const own = idsOf(ofHead.value)
  const others = base === null || ofBase.value === null ? own : idsOf(ofBase.value)
  return own.filter((id) => others.includes(id))
}

const ofBatch = (id: string | null) => (id === null ? null : { path: { id } })
const idsOf = ({ items }: List<RubricView>): string[] => [...new Set(items.map(({ name }) => rubricId(name)))]
