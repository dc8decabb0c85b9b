import { useMemo } from 'preact/hooks'
import { queryOf, useAll } from '../api.ts'
import { reasonsOf, Why } from '../batches/results.tsx'
import { itemName, useEndedItems } from '../batches/use-batch.tsx'
import { trialName } from '../grades/columns.tsx'
import type { BatchResult, Comparison, Flip, Label } from '../types.ts'
import { hrefOfGrade, LabelBadge, LoadView, Outcome, Section } from '../ui/parts.tsx'
import { type Column, nameColumn, Scroll, Table } from '../ui/table.tsx'
import { confidenceWord, formatCount, plural, spaced } from '../words.ts'

export interface Cell {
  readonly base: Label
  readonly head: Label
}

/** Reads a cell: `aligned.ignored` → base aligned, head ignored; a pair with the same label on both sides is no flip. */
export function readCell(text: string | null, labels: readonly Label[]): Cell | null {
  const [base = '', head = ''] = (text ?? '').split('.')
  return labels.includes(base) && labels.includes(head) && base !== head ? { base, head } : null
}

interface MatrixProps {
  readonly comparison: Comparison
  readonly query: URLSearchParams
  readonly rubric: string | null
}

/** The labels of the base down, the labels of the head across; each cell of flips opens them. The shading repeats the numbers. */
export function FlipMatrix({ comparison, query, rubric }: MatrixProps) {
  const { labels, counts } = comparison.matrix
  const most = (same: boolean) => Math.max(1, ...counts.flatMap((row, r) => row.filter((_, c) => (c === r) === same)))
  const cell = readCell(query.get('cell'), labels)
  return (
    <Section id="matrix-title" title="Labels of the base against labels of the head">
      <Scroll label="Flip matrix" class="matrix-scroll">
        <table class="matrix">
          <caption>
            Rows: label in the base. Columns: label in the head. A number off the diagonal opens its flips.
          </caption>
          <thead>
            <tr>
              <th scope="col">Base ↓ Head →</th>
              {labels.map((label) => (
                <th key={label} scope="col">
                  <LabelBadge label={label} rubric={rubric} given={labels} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {labels.map((label, r) => (
              <tr key={label}>
                <th scope="row">
                  <LabelBadge label={label} rubric={rubric} given={labels} />
                </th>
                {labels.map((other, c) => {
                  const count = counts[r]?.[c] ?? 0
                  const open = cell?.base === label && cell.head === other
                  return (
                    <td
                      key={other}
                      class={r === c ? 'same' : 'flip'}
                      data-open={open}
                      style={{ '--share': String(Math.sqrt(count / most(r === c))) }}
                    >
                      <CellView count={count} base={label} head={other} open={open} query={query} />
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Section>
  )
}

interface CellProps extends Cell {
  readonly count: number
  readonly open: boolean
  readonly query: URLSearchParams
}

function CellView({ count, base, head, open, query }: CellProps) {
  if (base === head || count === 0) return <>{formatCount(count)}</>
  const next = new URLSearchParams(query)
  if (open) next.delete('cell')
  else next.set('cell', `${base}.${head}`)
  const what = `${formatCount(count)} from ${spaced(base)} to ${spaced(head)}`
  return (
    <a href={`/audit/comparisons?${next}`} aria-label={`${what}, ${open ? 'shown below: close' : 'show them'}`}>
      {formatCount(count)}
    </a>
  )
}

const MOST = 5000

interface FlipTableProps {
  readonly query: URLSearchParams
  /** Null: the flips of all cells. */
  readonly cell: Cell | null
}

/** The flips of a cell or of all cells, one row a trial, with the answers of base and head side by side. */
export function FlipTable({ query, cell }: FlipTableProps) {
  const [base, head, rubric] = [query.get('base'), query.get('head'), query.get('rubric')]
  const load = useAll('compareBatches', queryOf<'compareBatches'>({ base, head, rubric, statistics: false }), MOST)
  const items = [useEndedItems(base), useEndedItems(head)]
  const results = useMemo(
    () => new Map(items.flatMap((all) => all ?? []).map((item) => [item.grade_id ?? '', item] as const)),
    items,
  )
  const title = cell === null ? 'Flips, trial by trial' : `From ${spaced(cell.base)} to ${spaced(cell.head)}`
  return (
    <Section id="flips" title={title}>
      <LoadView load={load} what="the flips">
        {({ items: flips, cut }) => {
          const shown = flips.filter(
            (flip) => cell === null || (flip.base.label === cell.base && flip.head.label === cell.head),
          )
          return (
            <>
              <p class="aside" role="status">
                {plural(shown.length, 'pair')}
                {cut && `, among the first ${formatCount(MOST)} flips`}
              </p>
              <Table
                caption="Flips"
                columns={columnsOf(shown, results)}
                items={shown}
                keyOf={(flip) => `${flip.trajectory}/${flip.ground_truth}`}
                hrefOf={({ head: { grade_id } }) => hrefOfGrade(grade_id)}
                empty="No label flipped."
              />
            </>
          )
        }}
      </LoadView>
    </Section>
  )
}

type Side = Flip['base']
type Results = ReadonlyMap<string, BatchResult>

function columnsOf(flips: readonly Flip[], results: Results): readonly Column<Flip>[] {
  const nameOf = ({ base, head, trial, trajectory }: Flip): string => {
    const item = results.get(base.grade_id) ?? results.get(head.grade_id)
    return trialName(item?.metadata ?? { trial: trial ?? '' }, trajectory, item && itemName(item))
  }
  const side = (title: string, of: (flip: Flip) => Side): Column<Flip> => {
    const judges = new Set(flips.map((flip) => of(flip).receipt.judge))
    const [judge = ''] = judges
    return {
      title: judges.size === 1 ? `${title}: ${judge}` : title,
      cell: (flip) => <SideView side={of(flip)} result={results.get(of(flip).grade_id)} />,
    }
  }
  return [
    nameColumn('Trial', nameOf),
    nameColumn('Task', ({ task }) => task),
    side('Base', ({ base }) => base),
    side('Head', ({ head }) => head),
  ]
}

/** The answer of a side, with its confidence and every doubt about it. */
const SideView = ({ side, result }: { readonly side: Side; readonly result: BatchResult | undefined }) => (
  <>
    <a href={hrefOfGrade(side.grade_id)}>
      <Outcome grade={side} rubric={side.receipt.rubric} />
    </a>{' '}
    <span class="aside">{result?.grade && confidenceWord(side.label, result.grade.confidence.reported)}</span>
    {result && <Why reasons={reasonsOf(result)} />}
  </>
)
