import type { JSX } from 'preact'
import type { Grade } from '../api-types.ts'
import { HostileText } from '../text/hostile-text.tsx'
import { Outcome } from '../ui/badges.tsx'
import type { Column } from '../ui/table.tsx'
import { formatTime, LABELS } from '../words.ts'
import { trustColumns, trustOf } from './trust-columns.tsx'

const none = <span class="none">–</span>
const wordOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)
const text = (value: string | null): JSX.Element => (value === null ? none : <HostileText text={value} />)

const named = (title: string, name: string, of: (grade: Grade) => string | null): Column<Grade> => ({
  title,
  cell: (grade) => text(of(grade)),
  sort: { name, of },
})

/** What tells the runs of one task apart, as far as anybody said it. */
export function trialOf({ metadata, receipt }: Grade): string {
  const { trial, run_index, variant } = metadata
  const run = wordOf(trial) ?? (run_index === undefined ? receipt.trajectory.slice(7, 15) : `run ${run_index}`)
  return variant === undefined ? run : `${run} · ${variant}`
}

const OUTCOMES = [...LABELS, 'unverified', 'failed']
const TRUST = trustColumns(trustOf)

/** A trial first, then who graded it, then what came out. */
export const TRIAL_COLUMNS: readonly Column<Grade>[] = [
  {
    title: 'Task',
    cell: ({ metadata }) => (wordOf(metadata.task) === null ? 'no task named' : text(wordOf(metadata.task))),
    sort: { name: 'task', of: ({ metadata }) => wordOf(metadata.task) },
  },
  named('Trial', 'trial', trialOf),
  named('Agent', 'agent', ({ metadata }) => wordOf(metadata.agent)),
  named('Model', 'model', ({ metadata }) => wordOf(metadata.model)),
  TRUST.judge,
  {
    title: 'Label',
    cell: (grade) => <Outcome grade={grade} />,
    sort: { name: 'label', of: ({ label, status }) => OUTCOMES.indexOf(label ?? status) },
  },
  TRUST.confidence,
  TRUST.evidence,
  {
    title: 'Made',
    cell: ({ created_at }) => (
      <time dateTime={created_at} title={formatTime(created_at)}>
        {created_at.slice(0, 16).replace('T', ' ')}
      </time>
    ),
    sort: { name: 'made', of: ({ id }) => id },
  },
]
