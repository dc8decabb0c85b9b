import { queryOf, useAll } from '../api.ts'
import { trialName } from '../grades/columns.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import type { Comparison, Flip, Label } from '../types.ts'
import { Facts, LabelBadge, LoadView, NameOrNone, Outcome, Section } from '../ui/parts.tsx'
import { Scroll } from '../ui/table.tsx'
import { formatCount, formatUsd, plural, spaced } from '../words.ts'

export interface Cell {
  readonly base: Label
  readonly head: Label
}

/** Reads a cell: `aligned.ignored` → base aligned, head ignored; a pair with the same label on both sides is no flip. */
export function readCell(text: string | null): Cell | null {
  const [base = '', head = ''] = (text ?? '').split('.')
  return base === '' || head === '' || base === head ? null : { base, head }
}

interface MatrixProps {
  readonly comparison: Comparison
  readonly query: URLSearchParams
  readonly rubric: string | null
}

/** The labels of the base down, the labels of the head across; each cell of flips opens them. The shading repeats the numbers. */
export function FlipMatrix({ comparison, query, rubric }: MatrixProps) {
  const { labels, counts } = comparison.matrix
  const most = Math.max(1, ...counts.flatMap((row, r) => row.filter((_, c) => c !== r)))
  const all = Math.max(1, ...counts.flatMap((row, r) => row[r] ?? 0))
  const cell = readCell(query.get('cell'))
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
              <th scope="col">All</th>
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
                  const share = count / (r === c ? all : most)
                  return (
                    <td
                      key={other}
                      class={r === c ? 'same' : 'flip'}
                      data-open={open}
                      style={{ '--share': String(Math.sqrt(share)) }}
                    >
                      <CellView count={count} base={label} head={other} open={open} query={query} />
                    </td>
                  )
                })}
                <td>{formatCount((counts[r] ?? []).reduce((sum, count) => sum + count, 0))}</td>
              </tr>
            ))}
            <tr>
              <th scope="row">All</th>
              {labels.map((label, c) => (
                <td key={label}>{formatCount(counts.reduce((sum, row) => sum + (row[c] ?? 0), 0))}</td>
              ))}
              <td>{formatCount(comparison.pairs)}</td>
            </tr>
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

interface FlipListProps {
  readonly query: URLSearchParams
  readonly cell: Cell
  readonly rubric: string | null
}

/** The pairs of a cell, each with both grades. */
export function FlipList({ query, cell, rubric }: FlipListProps) {
  const [base, head, asked] = [query.get('base'), query.get('head'), query.get('rubric')]
  const load = useAll(
    'compareBatches',
    queryOf<'compareBatches'>({ base, head, rubric: asked, statistics: false }),
    MOST,
  )
  return (
    <section class="flips" id="flips" aria-labelledby="flips-title">
      <h2 id="flips-title">
        From <LabelBadge label={cell.base} rubric={rubric} /> to <LabelBadge label={cell.head} rubric={rubric} />
      </h2>
      <LoadView load={load} what="the flips">
        {({ items, cut }) => {
          const shown = items.filter((flip) => flip.base.label === cell.base && flip.head.label === cell.head)
          return (
            <>
              <p class="aside" role="status">
                {plural(shown.length, 'pair')}
                {cut && `, among the first ${formatCount(MOST)} flips`}
              </p>
              <ul class="flip-list">
                {shown.map((flip) => (
                  <li key={`${flip.trajectory}/${flip.ground_truth}`}>
                    <h3>
                      <HostileText text={flip.task || trialName({}, flip.trajectory)} />
                    </h3>
                    <div class="sides">
                      <SideView name="Base" side={flip.base} />
                      <SideView name="Head" side={flip.head} />
                    </div>
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </LoadView>
    </section>
  )
}

/** The receipt of a side: a difference of the sides may explain the flip. */
function SideView({ name, side }: { readonly name: string; readonly side: Flip['base'] }) {
  const { receipt } = side
  const { versions } = receipt
  return (
    <div class="side">
      <p>
        <a href={`/audit/grades/${encodeURIComponent(side.grade_id)}`}>{name}</a>:{' '}
        <Outcome grade={side} rubric={side.receipt.rubric} />
      </p>
      <Facts
        facts={[
          ['Judge', <HostileText key="judge" text={receipt.judge} />],
          ['Rubric', `${receipt.rubric} (${receipt.rubric_digest.slice(7, 15)})`],
          ['Model', <NameOrNone key="model" name={receipt.model_resolved ?? receipt.model_requested} />],
          ['Key', <code key="key">{receipt.key.slice(7, 19)}</code>],
          ['Cache', receipt.cache],
          ['Calls', formatCount(receipt.attempts.length)],
          ['Cost', formatUsd(receipt.cost_usd)],
          ['Versions', `prompt ${versions.prompt}, rendering ${versions.rendering}, evidence ${versions.evidence}`],
        ]}
      />
    </div>
  )
}
