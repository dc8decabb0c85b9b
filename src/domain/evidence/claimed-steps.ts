import type { Contradiction } from '../../schemas/grade.ts'
import { type Claims, claimedValue } from '../rubric/claims.ts'
import { proofOf, type Rubric } from '../rubric/rubric.ts'
import { quoted } from '../text/quoted.ts'
import { doubt, type EvidenceQuestion } from './evidence-question.ts'

/** Finds values that need no quote, such as that nothing happened, beside a step in which another value would have to be proved. */
export const stepsOfNothing = (claims: Claims, rubric: Rubric): Contradiction[] =>
  rubric.claims.flatMap((rule): Contradiction[] => {
    const value = claimedValue(claims, rule)
    if (value === null || (proofOf(rule, value)?.quote.length ?? 0) > 0) return []
    const step = Object.values(rule.proofs)
      .flatMap(({ in_step }) => (in_step === null || in_step === rule.id ? [] : [in_step]))
      .find((id) => typeof claims.values[id] === 'number')
    if (step === undefined) return []
    const detail = `claimed ${JSON.stringify(value)}, but ${step} names step ${claims.values[step]}`
    return [doubt('doubtful_absence', rule.id, detail, claims.values[step] as number)]
  })

/** Finds claims that name another agent than the step that they name has. */
export function disputedAgents(claims: Claims, { rubric, rendering }: EvidenceQuestion): Contradiction[] {
  return rubric.claims.flatMap((rule): Contradiction[] => {
    const named = claimedValue(claims, rule)
    const of = proofOf(rule, named)?.agent_of ?? null
    const step = of === null ? null : (claims.values[of] ?? null)
    if (named === null || step === null) return []
    const { steps } = rendering.trajectory
    const agent = steps.find(({ id }) => id === step)?.agent
    const isAlone = steps.every((one) => one.agent === undefined)
    if (agent === named || (agent === undefined && isAlone)) return []
    const other = agent === undefined ? 'names no agent' : `is of ${quoted(agent)}`
    const detail = `claimed ${JSON.stringify(named)}, but step ${step} ${other}`
    return [doubt('agent_against_step', rule.id, detail, step as number)]
  })
}
