import type { JSX } from 'preact'
import type { Grade, GradeOverview } from '../api-types.ts'
import { onlyRubric } from '../rubrics.ts'
import { LabelBadge, StatusBadge } from '../ui/badges.tsx'
import { formatCount, plural, STATUSES } from '../words.ts'

interface CountsProps {
  readonly overview: GradeOverview
  readonly listed: readonly Grade[]
  /** The names of those that may be counted. */
  readonly rubrics: readonly string[]
}

/** How many grades fit, by how they came out. */
export function OutcomeCounts({ overview, listed, rubrics }: CountsProps): JSX.Element {
  const { total, complete, labels, statuses } = overview
  const rubric = onlyRubric(listed.length === total ? listed.map(({ receipt }) => receipt.rubric) : rubrics)
  const counts = [
    ...Object.entries<number>(labels).map(([label, count]) => ({
      count,
      badge: <LabelBadge label={label} rubric={rubric} />,
    })),
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
