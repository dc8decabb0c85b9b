import type { JSX } from 'preact'
import type { Disagreement } from '../audit-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { LABELS } from '../words.ts'

/** What would unblind the reader, beside the labels: claims with their values, contradiction codes, that nothing is claimed. */
const TELLING = 'claims nothing|without a label|[a-z_]+_against_[a-z]+|[a-z][a-z_.]*=[^ ]+?(?=[,.;]? |[,.]?$)'
const HIDDEN = '▒▒▒'

/**
 * The sentences of `why` without what would unblind their reader: labels, claims with their values, contradiction codes, votes
 * and the score’s own parts. Names of judges and tasks stay.
 */
function maskWhy({ why, grades, reviews }: Told): string[] {
  const said = [
    ...grades.flatMap((one) => [one.label, one.claimed_label, ...one.votes]),
    ...reviews.map(({ label }) => label),
  ]
  const labels = new Set([...LABELS, ...said.flatMap((label) => (label === null ? [] : [escapeRegExp(label)]))])
  const telling = new RegExp(`(?<![\\w-])(?:${[...labels].join('|')}|${TELLING})(?![\\w-])`, 'g')
  return why
    .filter((sentence) => !sentence.startsWith('Score '))
    .map((sentence) => sentence.replaceAll(telling, HIDDEN))
}

const escapeRegExp = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

type Told = Pick<Disagreement, 'why' | 'grades' | 'reviews'>

export function Why({ of, open }: { readonly of: Told; readonly open: boolean }): JSX.Element {
  return (
    <ul class="why">
      {(open ? of.why : maskWhy(of)).map((sentence) => (
        <li key={sentence}>
          <HostileText text={sentence} />
        </li>
      ))}
    </ul>
  )
}
