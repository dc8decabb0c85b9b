import type { Answer, Question } from '../../domain/validation/judged-item.ts'
import type { HumanLabel } from '../../schemas/audit/human-label.ts'
import type { RubricText } from '../client/client.ts'

/** What a rubric asks: its outcome, then its claims. */
export function questionsOf({ claims, outcome }: Pick<RubricText, 'claims' | 'outcome'>): Question[] {
  const named = claims.find(({ id }) => id === outcome.label)
  const labels = outcome.table?.map(({ label }) => label) ?? named?.values ?? []
  const whole: Question = {
    ...{ id: 'outcome', type: outcome.sum === undefined ? 'enum' : 'integer' },
    values: [...new Set(labels)],
  }
  return [
    whole,
    ...claims.flatMap(({ id, type, values }): Question[] =>
      type === 'list' ? [] : [{ id, type, values: type === 'boolean' ? ['true', 'false'] : [...values] }],
    ),
  ]
}

/** A label by question; what does not fit the rubric is told. */
export function answersOf(
  { outcome, claims = {} }: HumanLabel,
  questions: readonly Question[],
  steps: readonly number[] | null,
): { answers: Record<string, Answer>; faults: string[] } {
  const given: [string, Answer][] = [
    ...(outcome === undefined ? [] : [['outcome', outcome] as [string, Answer]]),
    ...Object.entries(claims),
  ]
  const faults = given.flatMap(([id, value]) => {
    const question = questions.find((one) => one.id === id)
    const place = id === 'outcome' ? '/human/outcome' : `/human/claims/${id}`
    const fault = question === undefined ? unknownClaim(questions) : faultOf(question, value, steps)
    return fault === null ? [] : [`${place}: ${fault}`]
  })
  return { answers: Object.fromEntries(given), faults }
}

const unknownClaim = (questions: readonly Question[]): string => {
  const ids = questions.slice(1).map(({ id }) => id)
  return `is no claim of the rubric that can be compared; there are: ${ids.join(', ')}`
}

function faultOf({ type, values }: Question, value: Answer, steps: readonly number[] | null): string | null {
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'must be true or false'
  if (type === 'enum')
    return typeof value === 'string' && values.includes(value) ? null : `must be one of ${values.join(', ')}`
  if (type === 'agent' || type === 'text') return typeof value === 'string' ? null : 'must be text'
  if (typeof value !== 'number') return 'must be a whole number'
  return type === 'step' && steps !== null && !steps.includes(value) ? `${value} is no step of the run` : null
}
