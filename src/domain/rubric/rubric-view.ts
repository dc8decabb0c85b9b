import type { RubricView } from '../../schemas/rubric-view.ts'
import { allClaims, citingProof, type OutcomeRule, type Rubric } from './rubric.ts'

/** A rubric as it is told over HTTP and by the command line, without its prompt; claims of entries stand behind their list. */
export function rubricView({ id, version, name, title, description, digest, about, ...rest }: Rubric): RubricView {
  const claims = allClaims(rest.claims).map((claim) => ({
    ...{ id: claim.id, type: claim.type, values: [...claim.values] },
    evidence: [...(citingProof(claim, null)?.quote ?? [])],
  }))
  const view = { id, version, name, title, description, digest, about, truth: rest.truth.schema, claims }
  return { ...view, outcome: outcomeView(rest.outcome) } as RubricView
}

/** The same with its prompt. */
export function rubricText(rubric: Rubric): RubricView {
  const { system, question, answer_schema } = rubric
  return { ...rubricView(rubric), system, question, answer_schema: { ...answer_schema } }
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
