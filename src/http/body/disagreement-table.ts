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

export function toDisagreementRow({ signals, ...one }: Disagreement): readonly CsvValue[] {
  const cells: Readonly<Record<(typeof DISAGREEMENT_COLUMNS)[number], CsvValue>> = {
    ...one,
    ...{ appeared: signals?.appeared, executed: signals?.executed, resolved: signals?.resolved },
    why: one.why.join(' '),
    grades: one.grades.map(
      ({ grade_id, judge, rubric, status, label }) => `${grade_id} ${judge}@${rubric} ${label ?? status}`,
    ),
    reviews: one.reviews.map(({ rater, label }) => `${rater}: ${label ?? 'cannot be told'}`),
    claims: one.claims.map(
      ({ claim, said }) => `${claim}: ${said.map(({ by, value }) => `${by} ${tell(value)}`).join(', ')}`,
    ),
  }
  return DISAGREEMENT_COLUMNS.map((name) => cells[name])
}

const tell = (value: unknown): string =>
  value === null ? 'unclear' : typeof value === 'object' ? JSON.stringify(value) : String(value)
