import type { Disagreement } from '../../schemas/audit/disagreement.ts'
import { tableOf } from './csv.ts'

/** One row a question. */
export const DISAGREEMENTS = tableOf<Disagreement>({
  trajectory: (one) => one.trajectory,
  ground_truth: (one) => one.ground_truth,
  agent: (one) => one.agent,
  model: (one) => one.model,
  task: (one) => one.task,
  score: (one) => one.score,
  kinds: (one) => one.kinds,
  why: ({ why }) => why.join(' '),
  grades: ({ grades }) =>
    grades.map(({ grade_id, judge, rubric, status, label }) => `${grade_id} ${judge}@${rubric} ${label ?? status}`),
  appeared: ({ signals }) => signals?.appeared,
  executed: ({ signals }) => signals?.executed,
  resolved: ({ signals }) => signals?.resolved,
  reviews: ({ reviews }) => reviews.map(({ rater, label }) => `${rater}: ${label ?? 'cannot be told'}`),
  settled: (one) => one.settled,
  rubric: (one) => one.rubric,
  claims: ({ claims }) =>
    claims.map(({ claim, said }) => `${claim}: ${said.map(({ by, value }) => `${by} ${tell(value)}`).join(', ')}`),
})

const tell = (value: unknown): string =>
  value === null ? 'unclear' : typeof value === 'object' ? JSON.stringify(value) : String(value)
