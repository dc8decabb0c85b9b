import type { JSX } from 'preact'
import { HostileText } from '../text/hostile-text.tsx'
import { LABELS } from '../words.ts'

/**
 * The sentences of `why` without what would unblind their reader: labels, claims with their values, contradiction codes, votes
 * and the score’s own parts. Names of judges and tasks stay.
 */
const TELLING = new RegExp(
  `\\b(?:${LABELS.join('|')}|claims nothing|without a label|[a-z_]+_against_[a-z]+|[a-z_]+=(?:true|false))\\b`,
  'g',
)
const HIDDEN = '▒▒▒'

const maskWhy = (why: readonly string[]): string[] =>
  why.filter((sentence) => !sentence.startsWith('Score ')).map((sentence) => sentence.replaceAll(TELLING, HIDDEN))

export function Why({ why, open }: { readonly why: readonly string[]; readonly open: boolean }): JSX.Element {
  return (
    <ul class="why">
      {(open ? why : maskWhy(why)).map((sentence) => (
        <li key={sentence}>
          <HostileText text={sentence} />
        </li>
      ))}
    </ul>
  )
}
