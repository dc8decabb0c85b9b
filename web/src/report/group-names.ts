import type { AlignmentFigures, Report, ReportGroup } from '../audit-types.ts'
import { visibleString } from '../text/visible-text.ts'
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
