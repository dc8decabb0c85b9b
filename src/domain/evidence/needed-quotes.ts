import type { CheckedCitation, Vote } from '../../schemas/grade.ts'
import type { EvidenceMatch } from '../../schemas/vocabulary.ts'
import type { ClaimValues } from '../rubric/claim-values.ts'
import { flatten } from '../rubric/claims.ts'
import { decisiveClaims } from '../rubric/outcome.ts'
import { proofOf, type Rubric } from '../rubric/rubric.ts'
import { holds } from './citations.ts'

/** The quotes that hold, by each claim behind a label that quotes prove; a denial needs none. */
export type NeededQuotes = Vote['quotes'] & object

/** Lists the claims behind a label: those of the outcome, and those without which no grade exists. */
export const decidingClaims = (rubric: Rubric): string[] => [
  ...new Set([...rubric.outcome.claims, ...decisiveClaims(rubric)]),
]

/** Finds the quotes that a label needs. The claims of the entries of a list have names of their own. */
export function neededQuotes(values: ClaimValues, citations: readonly CheckedCitation[], rubric: Rubric): NeededQuotes {
  const flat = flatten({ values, citations, notes: '', confidence: 'low', checked_form: true }, rubric)
  const deciding = decidingClaims(rubric)
  const needed = flat.rubric.claims.filter((rule) => {
    const proof = proofOf(rule, flat.claims.values[rule.id] ?? null)
    const decides = deciding.some((id) => rule.id === id || rule.id.startsWith(`${id}[`))
    return decides && proof !== null && proof.quote.length > 0
  })
  const quotes = new Map(needed.map(({ id }) => [id, [] as NeededQuotes[string]]))
  for (const [index, { status, step_id, path, start, end }] of citations.entries())
    if (holds(status) && path !== null && start !== null && end !== null)
      quotes.get(flat.claims.citations[index]?.supports ?? '')?.push({ step_id, path, start, end })
  return Object.fromEntries(quotes)
}

/**
 * Finds the claims for which no quotes of both sides overlap in one part of a step, and the steps in which others do: one sort and one sweep
 * a claim.
 */
export function overlapOf(one: NeededQuotes, other: NeededQuotes) {
  const steps = new Set<number>()
  const sides = [one, other].map((side) => new Map(Object.entries(side)))
  const claims = [...new Set(sides.flatMap((side) => [...side.keys()]))]
  const apart = claims.filter((claim) => {
    const quotes = sides.flatMap((side, at) => (side.get(claim) ?? []).map((quote) => ({ ...quote, at })))
    const ends = new Map<string, number>()
    let overlaps = false
    for (const { at, step_id, path, start, end } of quotes.sort((a, b) => a.start - b.start)) {
      const [own, others] = [at, 1 - at].map((side) => JSON.stringify([side, step_id, path])) as [string, string]
      if ((ends.get(others) ?? 0) > start) {
        overlaps = true
        steps.add(step_id)
      }
      ends.set(own, Math.max(end, ends.get(own) ?? 0))
    }
    return !overlaps
  })
  return { claims, apart, steps }
}

/** Compares the labels of two grades, or of two samples, and the quotes behind one label; null: the quotes are not known. */
export function matchEvidence(
  one: { readonly label: string | null; readonly quotes: NeededQuotes | null },
  other: typeof one,
): EvidenceMatch {
  if (one.label !== other.label) return 'other_label'
  const [ours, theirs] = [one.quotes, other.quotes]
  if (ours === null || theirs === null) return 'unknown'
  const { claims, apart } = overlapOf(ours, theirs)
  if (claims.length === 0) return 'unquoted'
  if (apart.length === 0) return 'overlapping'
  // The quote of a picture has no place in a text.
  return apart.some((claim) => ours[claim]?.length !== 0 && theirs[claim]?.length !== 0) ? 'disjoint' : 'unknown'
}
