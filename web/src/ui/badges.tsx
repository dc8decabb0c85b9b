import type { JSX } from 'preact'
import type { Actor, CitationStatus, Grade, GradeStatus, Label } from '../api-types.ts'
import { ACTOR_WORDS, holds, labelWords, STATUS_WORDS } from '../words.ts'

/** Words with a colour beside them: the word says everything, the colour repeats it. */
export const LabelBadge = ({ label }: { readonly label: Label }): JSX.Element => (
  <span class="badge" data-label={label}>
    {labelWords(label)}
  </span>
)

export const StatusBadge = ({ status }: { readonly status: GradeStatus | 'cancelled' }): JSX.Element => (
  <span class="badge" data-status={status}>
    {status === 'cancelled' ? 'cancelled' : STATUS_WORDS[status]}
  </span>
)

/** The label of a graded one; of others what they are, with the label that was claimed in vain. */
export function Outcome({ grade }: { readonly grade: Pick<Grade, 'status' | 'label' | 'claimed_label'> }): JSX.Element {
  if (grade.label !== null) return <LabelBadge label={grade.label} />
  return (
    <>
      <StatusBadge status={grade.status} />
      {grade.claimed_label !== null && <span class="aside"> claimed {labelWords(grade.claimed_label)}</span>}
    </>
  )
}

export const ActorBadge = ({ actor }: { readonly actor: Actor }): JSX.Element => (
  <span class="actor" data-actor={actor}>
    {ACTOR_WORDS[actor]}
  </span>
)

export const CitationBadge = ({ status }: { readonly status: CitationStatus }): JSX.Element => (
  <span class="badge" data-holds={holds(status)}>
    {holds(status) ? '✓' : '✗'} {status.replaceAll('_', ' ')}
  </span>
)
