import type { JSX } from 'preact'
import type { Grade } from '../api-types.ts'
import { LabelBadge, StatusBadge } from '../ui/badges.tsx'
import { formatCount, LABELS } from '../words.ts'

/** How many of each outcome are in what was loaded; `more`: there are others behind it. */
export function LoadedCounts(props: { readonly grades: readonly Grade[]; readonly more: boolean }): JSX.Element {
  const { grades, more } = props
  const labels = LABELS.map((label) => ({ label, count: grades.filter((one) => one.label === label).length }))
  const without = (['unverified', 'failed'] as const).map((status) => ({
    status,
    count: grades.filter((one) => one.status === status).length,
  }))
  return (
    <p class="counts" role="status">
      <strong>
        {formatCount(grades.length)} {grades.length === 1 ? 'grade' : 'grades'} on this page
        {more ? ', more follow' : ''}
      </strong>
      {labels.map(({ label, count }) =>
        count === 0 ? null : (
          <span key={label}>
            <LabelBadge label={label} /> {formatCount(count)}
          </span>
        ),
      )}
      {without.map(({ status, count }) =>
        count === 0 ? null : (
          <span key={status}>
            <StatusBadge status={status} /> {formatCount(count)}
          </span>
        ),
      )}
    </p>
  )
}
