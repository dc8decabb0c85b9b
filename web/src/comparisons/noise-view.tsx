import type { JSX } from 'preact'
import type { Comparison } from '../audit-types.ts'
import { limitsOf } from '../numbers/format-number.ts'
import { StatisticView } from '../numbers/number-view.tsx'
import { Facts } from '../ui/facts.tsx'
import { formatCount, plural } from '../words.ts'

type Noise = NonNullable<Comparison['repeat_noise']>

const FROM: Readonly<Record<NonNullable<Noise['from']>, string>> = {
  votes_of_both: 'the votes of both sides',
  votes_of_base: 'the votes of the base',
  votes_of_head: 'the votes of the head',
  same_key: 'questions that were asked the very same again',
}

/** How many of the flips the same judge would have made by being asked twice. */
export function NoiseView({ noise, flipped }: { readonly noise: Noise; readonly flipped: number }): JSX.Element {
  const limits = limitsOf(noise.ci95)
  return (
    <section aria-labelledby="noise-title">
      <h2 id="noise-title">Inside of the judge’s own repeat noise</h2>
      {noise.expected_flips === null ? (
        <p class="none">Cannot be told: {noise.reason ?? 'the reason is not known'}</p>
      ) : (
        <p>
          Asking the same judge twice would flip <strong>{noise.expected_flips.toFixed(1)}</strong>
          {limits !== null && ` (95% interval ${limits[0].toFixed(1)} to ${limits[1].toFixed(1)})`} of as many pairs;{' '}
          <strong>{formatCount(flipped)}</strong> flipped.
          {noise.from !== null && ` From ${FROM[noise.from]}.`} {noise.reason}
        </p>
      )}
      <Facts
        facts={[
          ['Base', <Side key="base" side={noise.base} />],
          ['Head', <Side key="head" side={noise.head} />],
          [
            'Same key',
            `${formatCount(noise.same_key.flipped)} of ${formatCount(noise.same_key.pairs)} pairs of one key have another label`,
          ],
        ]}
      />
    </section>
  )
}

const Side = ({ side }: { readonly side: Noise['base'] }) => (
  <>
    disagrees with itself: <StatisticView of={side.disagreement} style="percent" />{' '}
    <span class="fraction">{plural(side.questions, 'question')} with votes</span>
  </>
)
