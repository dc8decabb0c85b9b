import type { JSX } from 'preact'
import type { ReportGroup } from '../audit-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { None } from '../ui/none.tsx'
import { formatCount } from '../words.ts'

/** The name of a group, which somebody else wrote; or that the trials do not say. */
export const GroupKey = ({ name }: { readonly name: string | null }): JSX.Element =>
  name === null ? <None>(not given)</None> : <HostileText text={name} />

/** How many of the graded something speaks against, and of how many something could not be read. */
export const doubtWords = ({ contradicted, unread }: ReportGroup['counts']): string =>
  `${formatCount(contradicted)} with contradictions, ${formatCount(unread)} with unread records`

/** Beside rates: the group, and how much of what it counts is in doubt. */
export const RatedGroup = ({ group: { key, counts } }: { readonly group: ReportGroup }): JSX.Element => (
  <>
    <GroupKey name={key} />
    {counts.contradicted + counts.unread > 0 && (
      <div class="fraction objection">
        {formatCount(counts.graded)} graded: {doubtWords(counts)}
      </div>
    )}
  </>
)
