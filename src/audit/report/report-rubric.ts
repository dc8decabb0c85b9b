import type { ClaimRule, OutcomeRule, Rubric } from '../../domain/rubric/rubric.ts'

/** As much of a rubric as a report speaks of. */
export interface ReportRubric {
  readonly name: string
  readonly claims: readonly ClaimRule[]
  readonly outcome: OutcomeRule
}

/** Whose reports have the figures of TAB, too. */
const ALIGNMENT = 'tab-behavior'

export const idOf = (rubric: string): string => rubric.split('@')[0] ?? ''
export const hasAlignment = (rubric: string): boolean => idOf(rubric) === ALIGNMENT

export const reportRubric = ({ name, claims, outcome }: Rubric): ReportRubric => ({ name, claims, outcome })

/** What can be said by a rubric that is no longer loaded: the labels that were given. */
export const unknownRubric = (name: string): ReportRubric => ({
  name,
  claims: [],
  outcome: { kind: 'table', scale: 'nominal', labels: [], rows: [], claims: [] },
})

/** Its labels in its order, then those that were given and that it does not have. None where its outcome is a number. */
export function labelsOf({ outcome }: ReportRubric, given: Iterable<string>): string[] {
  if (outcome.kind === 'sum') return []
  const others = new Set(given)
  for (const label of outcome.labels) others.delete(label)
  return [...outcome.labels, ...[...others].sort()]
}
