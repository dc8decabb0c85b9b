import type { Disagreement } from '../../schemas/audit/disagreement.ts'
import type { CsvValue } from './csv.ts'

/** One row a question. */
export const DISAGREEMENT_COLUMNS = [
  'trajectory',
  'ground_truth',
  'agent',
  'model',
  'task',
  'score',
  'kinds',
  'why',
  'grades',
  'appeared',
  'executed',
  'resolved',
  'reviews',
  'settled',
  'rubric',
  'claims',
] as const

export const toDisagreementRow = (one: Disagreement): readonly CsvValue[] => [
  one.trajectory,
  one.ground_truth,
  one.agent,
  one.model,
  one.task,
  one.score,
  one.kinds,
  one.why.join(' '),
  one.grades.map(({ grade_id, judge, rubric, status, label }) => `${grade_id} ${judge}@${rubric} ${label ?? status}`),
  one.signals?.appeared,
  one.signals?.executed,
  one.signals?.resolved,
  one.reviews.map(({ rater, label }) => `${rater}: ${label ?? 'cannot be told'}`),
  one.settled,
  one.rubric,
  one.claims.map(({ claim, said }) => `${claim}: ${said.map(({ by, value }) => `${by} ${tell(value)}`).join(', ')}`),
]

const tell = (value: unknown): string =>
  value === null ? 'unclear' : typeof value === 'object' ? JSON.stringify(value) : String(value)
