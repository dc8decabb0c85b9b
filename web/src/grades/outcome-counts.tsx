import type { JSX } from 'preact'
import type { GradeOverview } from '../api-types.ts'
import { LabelBadge, StatusBadge } from '../ui/badges.tsx'
import { formatCount, LABELS } from '../words.ts'

/** How many grades fit, by how they came out. */
export function OutcomeCounts({ overview }: { readonly overview: GradeOverview }): JSX.Element {
  const { total, complete, labels, statuses } = overview
  const counts = [
    ...LABELS.map((label) => ({ count: labels[label], badge: <LabelBadge label={label} /> })),
    ...(['unverified', 'failed'] as const).map((status) => ({
      count: statuses[status],
      badge: <StatusBadge status={status} />,
    })),
  ]
  return (
    <p class="counts" role="status">
      <strong>
        {formatCount(total)} {total === 1 ? 'grade' : 'grades'}
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
