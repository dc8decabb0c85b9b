import type { ComponentChildren } from 'preact'
import type { ItemNames } from '../batches/use-batch.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import type { ConfidenceLevel, Grade, ResultGrade } from '../types.ts'
import { type Filter, textFilters } from '../ui/filters.tsx'
import { None, Outcome } from '../ui/parts.tsx'
import type { SortValue } from '../ui/sort.ts'
import { type Column, nameColumn } from '../ui/table.tsx'
import { confidenceWord, formatTime, holds, OUTCOMES, optionsOf, plural, STATUSES, unreadWords } from '../words.ts'

/** The parts of a grade that tell how far its label can be trusted. */
type Trust = Pick<ResultGrade, 'judge' | 'confidence' | 'evidence' | 'contradictions' | 'unread'> & Pick<Grade, 'label'>

const trustOf = ({ label, receipt, confidence, citations, contradictions }: Grade): Trust => ({
  label,
  judge: receipt.judge,
  confidence,
  evidence: { cited: citations.length, held: citations.filter(({ status }) => holds(status)).length },
  contradictions,
  unread: receipt.unread ?? null,
})

const RANKS: Readonly<Record<ConfidenceLevel, number>> = { low: 1, medium: 2, high: 3 }

/** Shows the citations that hold, the contradictions, and the unread records. */
function evidenceCell({ evidence: { cited, held }, contradictions, unread }: Trust) {
  const lines = [
    { text: cited === 0 ? '' : `${held} of ${cited} hold`, objects: false },
    { text: contradictions.length > 0 ? plural(contradictions.length, 'contradiction') : '', objects: true },
    { text: unread !== null && unread.records > 0 ? unreadWords(unread) : '', objects: true },
  ].filter(({ text }) => text !== '')
  if (lines.length === 0) return <None />
  return (
    <>
      {lines.map(({ text, objects }) => (
        <span key={text} class={objects ? 'line objection' : 'line'}>
          {text}
        </span>
      ))}
    </>
  )
}

/** Makes the columns of trust, for items that may have no grade. */
export function trustColumns<T>(of: (item: T) => Trust | null) {
  const within = <R, E>(item: T, read: (trust: Trust) => R, none: E): R | E => {
    const trust = of(item)
    return trust === null ? none : read(trust)
  }
  const column = (
    title: string,
    cell: (trust: Trust) => ComponentChildren,
    rank: (trust: Trust) => SortValue,
  ): Column<T> => ({
    title,
    cell: (item) => within(item, cell, <None />),
    value: (item) => within(item, rank, null),
  })
  return {
    judge: column(
      'Judge',
      ({ judge }) => <HostileText text={judge} />,
      ({ judge }) => judge,
    ),
    confidence: column(
      'Confidence',
      ({ label, confidence: { reported } }) => confidenceWord(label, reported) ?? <None />,
      ({ label, confidence: { reported } }) => (label === null || reported === null ? null : RANKS[reported]),
    ),
    evidence: column('Evidence', evidenceCell, ({ evidence, contradictions }) => evidence.held - contradictions.length),
  }
}

/** The filters of grades, by the names of `GET /v1/grades`. */
export const GRADE_FILTERS: readonly Filter[] = [
  ...textFilters('task', 'agent', 'model', 'judge', 'rubric'),
  { name: 'label', title: 'Label', options: {} },
  { name: 'status', title: 'Status', options: optionsOf(STATUSES) },
  ...textFilters('batch'),
]

type Named = Pick<Grade['metadata'], 'trial' | 'run_index' | 'variant'>

/** Names a run among the runs of its task: by its trial, else by its item of the batch, else by its index or trajectory; with its variant. */
export function trialName({ trial, run_index, variant }: Named, trajectory: string, item?: string): string {
  const run = trial || item || (run_index === undefined ? `unnamed run ${trajectory.slice(7, 15)}` : `run ${run_index}`)
  return variant ? `${run} · ${variant}` : run
}

/** Tells whether only the item of a batch can name the run of a grade. */
export const isUnnamed = ({ metadata: { trial, run_index } }: Grade): boolean => !trial && run_index === undefined

/** Names the trial of a grade; `items` has the items of the batch on the page. */
export const trialOf = ({ id, metadata, receipt }: Grade, items: ItemNames | null): string =>
  trialName(metadata, receipt.trajectory, items?.get(id)?.[0])

const TRUST = trustColumns(trustOf)

const RUBRIC = nameColumn('Rubric', ({ receipt }: Grade) => receipt.rubric)

/** Picks the column that names a row: the task, or the trial of an unknown task. */
export const headOfTrial = ({ metadata }: Grade): string => (metadata.task ? 'Task' : 'Trial')

/** Makes the columns of grades: the trial, the judge, the rubric where several occur, the outcome. */
export const trialColumns = (items: ItemNames | null, severalRubrics: boolean): readonly Column<Grade>[] => [
  nameColumn('Task', ({ metadata }) => metadata.task),
  nameColumn('Trial', (grade) => trialOf(grade, items)),
  nameColumn('Agent', ({ metadata }) => metadata.agent),
  nameColumn('Model', ({ metadata }) => metadata.model),
  TRUST.judge,
  ...(severalRubrics ? [RUBRIC] : []),
  {
    title: 'Label',
    cell: (grade) => <Outcome grade={grade} rubric={grade.receipt.rubric} />,
    value: ({ label, status }) => OUTCOMES.indexOf(label ?? status),
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
    value: ({ id }) => id,
  },
]
