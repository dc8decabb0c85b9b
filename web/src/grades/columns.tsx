import type { JSX } from 'preact'
import type { ItemNames } from '../batches/use-batch.tsx'
import { HostileText } from '../text/hostile-text.tsx'
import type { ConfidenceLevel, Grade, ResultGrade } from '../types.ts'
import type { Filter } from '../ui/filters.tsx'
import { NameOrNone, None, Outcome } from '../ui/parts.tsx'
import type { Column } from '../ui/table.tsx'
import { confidenceWord, formatTime, holds, OUTCOMES, plural, STATUS_WORDS, unreadWords } from '../words.ts'

/** What says how far a label can be trusted. */
type Trust = Pick<ResultGrade, 'judge' | 'confidence' | 'evidence' | 'contradictions' | 'unread'> & Pick<Grade, 'label'>

export const trustOf = ({ label, receipt, confidence, citations, contradictions }: Grade): Trust => ({
  label,
  judge: receipt.judge,
  confidence,
  evidence: { cited: citations.length, held: citations.filter(({ status }) => holds(status)).length },
  contradictions,
  unread: receipt.unread ?? null,
})

const RANKS: Readonly<Record<ConfidenceLevel, number>> = { low: 1, medium: 2, high: 3 }

/** How much of the cited evidence holds, what speaks against the verdict, and what nobody could read. */
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

/** The columns of it, for things that may have none. */
export function trustColumns<T>(of: (item: T) => Trust | null) {
  const column = (
    title: string,
    cell: (trust: Trust) => JSX.Element | string,
    rank: (trust: Trust) => string | number | null,
  ): Column<T> => ({
    title,
    cell: (item) => {
      const trust = of(item)
      return trust === null ? <None /> : cell(trust)
    },
    sort: {
      name: title.toLowerCase(),
      of: (item) => {
        const trust = of(item)
        return trust === null ? null : rank(trust)
      },
    },
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

/** What grades can be narrowed to; the names are those of `GET /v1/grades`. */
export const GRADE_FILTERS: readonly Filter[] = [
  { name: 'task', title: 'Task' },
  { name: 'agent', title: 'Agent' },
  { name: 'model', title: 'Model' },
  { name: 'judge', title: 'Judge' },
  { name: 'rubric', title: 'Rubric' },
  { name: 'label', title: 'Label', options: {} },
  { name: 'status', title: 'Status', options: STATUS_WORDS },
  { name: 'batch', title: 'Batch' },
]

type Named = Pick<Grade['metadata'], 'trial' | 'run_index' | 'variant'>

/** Names a run among the runs of its task: by its trial, else by its item of the batch, else by its index or trajectory; with its variant. */
export function trialName({ trial, run_index, variant }: Named, trajectory: string, item?: string): string {
  const run = trial || item || `run ${run_index ?? trajectory.slice(7, 15)}`
  return variant ? `${run} · ${variant}` : run
}

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
