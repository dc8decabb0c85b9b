import type { JSX } from 'preact'
import type { Batch } from '../api-types.ts'
import { ENDS, formatCount } from '../words.ts'

/** How much of a batch has ended, and in what. The words say all of it. */
export function ProgressBar({ counts }: { readonly counts: Batch['counts'] }): JSX.Element {
  const ended = ENDS.reduce((sum, end) => sum + counts[end], 0)
  const share = (count: number) => (counts.total === 0 ? 0 : (count / counts.total) * 100)
  return (
    <div class="progress">
      <div class="progress-bar" aria-hidden="true">
        {ENDS.map((end) => (
          <span key={end} data-end={end} style={{ width: `${share(counts[end])}%` }} />
        ))}
      </div>
      <span>
        {formatCount(ended)} of {formatCount(counts.total)} ended
      </span>
    </div>
  )
}
