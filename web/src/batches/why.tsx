import type { ComponentChildren, JSX } from 'preact'
import type { BatchResult } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { None } from '../ui/none.tsx'
import { claimWords, contradictionWords, plural, unreadWords } from '../words.ts'

/** Why it failed, what evidence it lacks, and all that a reader should know before believing its label. */
export function Why({ result: { failure, grade } }: { readonly result: BatchResult }): JSX.Element {
  const { unmet = [], contradictions = [], unread = null, warnings = 0 } = grade ?? {}
  const reasons: readonly ComponentChildren[] = [
    failure !== null && (
      <>
        {failure.code.replaceAll('_', ' ')}: <HostileText text={failure.message} />
      </>
    ),
    ...unmet.map(({ claim, reason }) => (
      <>
        {claimWords(claim)}: <HostileText text={reason} />
      </>
    )),
    ...new Set(contradictions.map(contradictionWords)),
    unread !== null && unread.records > 0 && unreadWords(unread),
    warnings > 0 && plural(warnings, 'warning'),
  ].filter((reason) => reason !== false)
  if (reasons.length === 0) return <None />
  return (
    <ul class="why">
      {reasons.map((reason, index) => (
        <li key={index}>{reason}</li>
      ))}
    </ul>
  )
}
