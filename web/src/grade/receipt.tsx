import type { JSX } from 'preact'
import type { Grade, TrialMetadata } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { Facts } from '../ui/facts.tsx'
import { formatCount, formatUsd } from '../words.ts'

/** Everything that made the grade, by its digests. */
export function ReceiptView(props: {
  readonly receipt: Grade['receipt']
  readonly metadata: TrialMetadata
}): JSX.Element {
  const { receipt, metadata } = props
  const { coverage, versions } = receipt
  return (
    <section aria-labelledby="receipt">
      <h2 id="receipt">Receipt</h2>
      <div class="columns">
        <Facts
          facts={[
            ['Judge', hostile(receipt.judge)],
            ['Provider', hostile(receipt.provider)],
            ['Model asked for', hostile(receipt.model_requested)],
            ['Model that answered', hostile(receipt.model_resolved)],
            ['Rubric', hostile(receipt.rubric)],
            ['Cost', formatUsd(receipt.cost_usd)],
            ['Prices of', receipt.price_as_of ?? null],
            ['Cache', receipt.cache === 'hit' ? 'a stored grade' : 'made for this request'],
            [
              'Shown to the judge',
              `${formatCount(coverage.steps_shown)} of ${formatCount(coverage.steps_total)} steps; ${formatCount(coverage.elided_chars)} characters left out; ${formatCount(coverage.media_parts)} pictures or sounds, of which ${formatCount(coverage.media_shown ?? 0)} were shown; windows: ${formatCount(coverage.windows)}`,
            ],
            [
              'Versions',
              `rendering ${versions.rendering}, evidence ${versions.evidence}, prompt ${versions.prompt}, reader ${versions.reader}`,
            ],
          ]}
        />
        <Facts
          facts={[
            ['Trajectory', <code key="t">{receipt.trajectory}</code>],
            ['Ground truth', <code key="g">{receipt.ground_truth}</code>],
            ['Rubric content', <code key="r">{receipt.rubric_digest}</code>],
            ['Cache key', <code key="k">{receipt.key}</code>],
          ]}
        />
        <Facts
          facts={Object.entries(metadata).map(([name, value]) => [
            name,
            <HostileText key={name} text={String(value)} />,
          ])}
        />
      </div>
    </section>
  )
}

const hostile = (text: string | null) => (text === null ? null : <HostileText text={text} />)
