import type { Grade } from '../api-types.ts'
import type { ItemNames } from '../batches/answers.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import { Outcome } from '../ui/badges.tsx'
import { NameOrNone } from '../ui/none.tsx'
import type { Column } from '../ui/table.tsx'
import { formatTime, OUTCOMES } from '../words.ts'
import { trialName } from './trial-name.ts'
import { trustColumns, trustOf } from './trust-columns.tsx'

const named = (title: string, name: string, of: (grade: Grade) => string | undefined): Column<Grade> => ({
  title,
  cell: (grade) => <NameOrNone name={of(grade)} />,
  sort: { name, of: (grade) => of(grade) || null },
})

/** `items`: those of the batch that it is shown in. */
export const trialOf = ({ id, metadata, receipt }: Grade, items: ItemNames | null): string =>
  trialName(metadata, receipt.trajectory, items?.get(id)?.[0])

const TRUST = trustColumns(trustOf)

const RUBRIC: Column<Grade> = {
  title: 'Rubric',
  cell: ({ receipt }) => <HostileText text={receipt.rubric} />,
  sort: { name: 'rubric', of: ({ receipt }) => receipt.rubric },
}

/** What a row is called: its task, or the trial where none is known. */
export const headOfTrial = ({ metadata }: Grade): string => (metadata.task ? 'Task' : 'Trial')

/** A trial first, then who graded it, by which rubric where that differs, then what came out. */
export const trialColumns = (items: ItemNames | null, severalRubrics: boolean): readonly Column<Grade>[] => [
  named('Task', 'task', ({ metadata }) => metadata.task),
  named('Trial', 'trial', (grade) => trialOf(grade, items)),
  named('Agent', 'agent', ({ metadata }) => metadata.agent),
  named('Model', 'model', ({ metadata }) => metadata.model),
  TRUST.judge,
  ...(severalRubrics ? [RUBRIC] : []),
  {
    title: 'Label',
    cell: (grade) => <Outcome grade={grade} rubric={grade.receipt.rubric} />,
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
