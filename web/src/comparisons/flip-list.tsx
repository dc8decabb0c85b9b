import type { JSX } from 'preact'
import { queryOf } from '../api.ts'
import type { Flip } from '../audit-types.ts'
import { trialName } from '../grades/trial-name.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { LabelBadge, Outcome } from '../ui/badges.tsx'
import { LoadView } from '../ui/load-view.tsx'
import { NameOrNone } from '../ui/none.tsx'
import { useAll } from '../use-all.ts'
import { formatCount, formatUsd, plural } from '../words.ts'
import type { Cell } from './flip-matrix.tsx'

const MOST = 5000

interface FlipListProps {
  readonly query: URLSearchParams
  readonly cell: Cell
  readonly rubric: string | null
}

/** The pairs of one cell, each with what made both grades. */
export function FlipList({ query, cell, rubric }: FlipListProps): JSX.Element {
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

/** Where the two sides differ is what may have made the flip. */
function SideView({ name, side }: { readonly name: string; readonly side: Flip['base'] }): JSX.Element {
  const { receipt } = side
  const { versions } = receipt
  return (
    <div class="side">
      <p>
        <a href={`/audit/grades/${encodeURIComponent(side.grade_id)}`}>{name}</a>:{' '}
        <Outcome grade={side} rubric={side.receipt.rubric} />
      </p>
      <dl class="facts">
        {(
          [
            ['Judge', <HostileText key="judge" text={receipt.judge} />],
            ['Rubric', `${receipt.rubric} (${receipt.rubric_digest.slice(7, 15)})`],
            ['Model', <NameOrNone key="model" name={receipt.model_resolved ?? receipt.model_requested} />],
            ['Key', <code key="key">{receipt.key.slice(7, 19)}</code>],
            ['Cache', receipt.cache],
            ['Calls', formatCount(receipt.attempts.length)],
            ['Cost', formatUsd(receipt.cost_usd)],
            ['Versions', `prompt ${versions.prompt}, rendering ${versions.rendering}, evidence ${versions.evidence}`],
          ] as const
        ).map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}
