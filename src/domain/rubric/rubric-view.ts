import type { RubricView } from '../../schemas/rubric.ts'
import { claimsOfOutcome } from './claims.ts'
import { type ClaimRule, citingProof, type Rubric } from './rubric.ts'

/** Renders a rubric for HTTP and the command line, without its prompt. */
export function rubricView(rubric: Rubric): RubricView {
  const { id, version, name, title, description, digest, about, truth, claims, outcome } = rubric
  const labels = outcome.labels.map((label) => ({ label, claims: claimsOfOutcome(rubric, label) }))
  const view = { id, version, name, title, description, digest, about, truth: truth.schema, labels }
  const shown = { ...rubric.outcome_given, scale: outcome.scale }
  return { ...view, claims: claims.map(claimView), outcome: shown } as RubricView
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
