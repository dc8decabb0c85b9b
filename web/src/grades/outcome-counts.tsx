import type { JSX } from 'preact'
import type { GradeOverview } from '../api-types.ts'
import { LabelBadge, StatusBadge } from '../ui/badges.tsx'
import { formatCount, plural, STATUSES } from '../words.ts'

/** How many grades fit, by how they came out. */
export function OutcomeCounts({ overview }: { readonly overview: GradeOverview }): JSX.Element {
  const { total, complete, labels, statuses } = overview
  const counts = [
    ...Object.entries<number>(labels).map(([label, count]) => ({ count, badge: <LabelBadge label={label} /> })),
    ...STATUSES.filter((status) => status !== 'graded').map((status) => ({
      count: statuses[status],
      badge: <StatusBadge status={status} />,
    })),
  ]
  return (
    <p class="counts" role="status">
      <strong>
        {plural(total, 'grade')}
        {!complete && ' or more'}
      </strong>
      {counts.map(({ count, badge }, index) =>
        count === 0 ? null : (
          <span key={index}>
            {badge} {formatCount(count)}
          </span>
        ),
      )}
    </p>
  )
}
