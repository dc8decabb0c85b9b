import type { ReportGroup } from '../audit-types.ts'
import { visibleString } from '../text/visible-text.ts'
import { formatCount } from '../words.ts'

const LONGEST = 36

/** Keys are names that somebody else wrote: what cannot be seen in them is marked, and they do not push a plot away. */
export function groupName(key: string | null): string {
  const name = key === null ? '(not given)' : visibleString(key)
  return name.length <= LONGEST ? name : `${name.slice(0, LONGEST - 1)}…`
}

/** Axis labels with their numbers; two groups never share one. */
export function groupLabels(groups: readonly ReportGroup[], count: (group: ReportGroup) => number): string[] {
  const used = new Map<string, number>()
  return groups.map((group) => {
    const label = `${groupName(group.key)} (n=${formatCount(count(group))})`
    const before = used.get(label) ?? 0
    used.set(label, before + 1)
    return before === 0 ? label : `${label} ${before + 1}`
  })
}
