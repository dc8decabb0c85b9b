import type { RubricView } from '../../schemas/rubric.ts'
import { claimsOfOutcome } from './outcome.ts'
import { type ClaimRule, citingProof, type OutcomeRule, type Rubric } from './rubric.ts'

/** Renders a rubric for HTTP and the command line, without its prompt. */
export function rubricView(rubric: Rubric): RubricView {
  const { id, version, name, title, description, digest, about, truth, claims, outcome } = rubric
  const labels = outcome.labels.map((label) => ({ label, claims: claimsOfOutcome(rubric, label) }))
  const view = { id, version, name, title, description, digest, about, truth: truth.schema }
  return { ...view, claims: claims.map(claimView), labels, outcome: outcomeView(outcome) } as RubricView
}

export function rubricText(rubric: Rubric): RubricView {
  const { system, question, answer_schema } = rubric
  return { ...rubricView(rubric), system, question, answer_schema: { ...answer_schema } }
}

function claimView(claim: ClaimRule): object {
  const { id, type, values, minimum, maximum, unclear, measured_by, of } = claim
  return {
    ...{ id, type, values: [...values] },
    ...(minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    ...{ unclear, measured_by, evidence: [...(citingProof(claim, null)?.quote ?? [])] },
    ...(of.length > 0 && { of: of.map(claimView) }),
  }
}

function outcomeView(outcome: OutcomeRule) {
  const { scale, claims } = outcome
  switch (outcome.kind) {
    case 'table':
      return { table: outcome.rows, scale }
    case 'label':
      return { label: claims[0], scale }
    case 'sum':
      return { sum: claims, scale }
    default:
      return { best: { of: claims[0], by: outcome.by, label: outcome.label }, scale }
  }
}
