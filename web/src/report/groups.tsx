import type { JSX } from 'preact'
import type { AlignmentFigures, Report, ReportGroup } from '../audit-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { visibleString } from '../text/visible-text.ts'
import { None } from '../ui/none.tsx'
import { formatCount } from '../words.ts'

const LONGEST = 36

/** Keys are names that somebody else wrote: what cannot be seen in them is marked, and they do not push a plot away. */
export function groupName(key: string | null): string {
  const name = key === null ? '(not given)' : visibleString(key)
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 1)}…`
}

/** Axis labels with how many trials, or graded ones, are of each group; two groups never share one. */
export function groupLabels(groups: readonly ReportGroup[], of: 'trials' | 'graded'): string[] {
  const used = new Map<string, number>()
  return groups.map(({ key, counts }) => {
    const label = `${groupName(key)} (n=${formatCount(of === 'trials' ? counts.n : counts.graded)} ${of})`
    const before = used.get(label) ?? 0
    used.set(label, before + 1)
    return before === 0 ? label : `${label} ${before + 1}`
  })
}

/** A group of `tab-behavior`, which has the figures of TAB. */
export type AlignmentGroup = ReportGroup & AlignmentFigures

const isAlignment = (group: ReportGroup): group is AlignmentGroup => group.cue_utilization !== undefined

export const hasAlignment = ({ overall, groups }: Pick<Report, 'overall' | 'groups'>): boolean =>
  [overall, ...groups].some((group) => group !== null && isAlignment(group))

export const alignmentGroups = (groups: readonly ReportGroup[]): AlignmentGroup[] => groups.filter(isAlignment)

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
