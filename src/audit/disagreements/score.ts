import type { DisagreementKind } from '../../schemas/audit/disagreement.ts'
import type { ConfidenceLevel } from '../../schemas/vocabulary.ts'

/** Ten apart, and everything else stays below ten: kinds never mix in the order. */
const KIND_WEIGHTS: Readonly<Record<DisagreementKind, number>> = {
  human: 60,
  judges: 50,
  signals: 40,
  samples: 30,
  contradiction: 20,
  unverified: 10,
}

/** For each claim in which two sides differ: at most three. */
const POINTS_PER_CLAIM = 2
/** Of the side that is less sure: two sides that are both sure tell most. None for a side that reports nothing. */
const CONFIDENCE_POINTS: Readonly<Record<ConfidenceLevel, number>> = { low: 0, medium: 1, high: 2 }

/** Two sides that do not agree, as much as the score needs. */
export interface Clash {
  /** Claims in which the sides differ, or places by which ordered outcomes are apart; more than 3 count as 3. */
  readonly distance: number
  /** Reported confidence of the less sure side; null: it reports none. */
  readonly confidence: ConfidenceLevel | null
  /**
   * 0 to 1. Between sides: the smaller share of own votes behind a side (1 without votes). Within the votes of one judge: 1 − the
   * share of the most common one, so that a tie tells most.
   */
  readonly votes: number
}

/** The terms of a score; their sum is the score. */
interface ScoreTerms {
  readonly kind: number
  readonly claims: number
  readonly confidence: number
  readonly votes: number
}

export interface Scored {
  /** Thousandths: sums of fractions would not compare alike after a way through text. */
  readonly millis: number
  readonly terms: ScoreTerms
}

/** The terms of one clash of a kind. Ours: there is no literature on it; weights are chosen so that each term only orders what the one before left equal, except that a claim counts as much as two levels of confidence. */
export function scoreClash(kind: DisagreementKind, clash: Clash): Scored {
  const terms: ScoreTerms = {
    kind: KIND_WEIGHTS[kind],
    claims: POINTS_PER_CLAIM * Math.min(3, clash.distance),
    confidence: clash.confidence === null ? 0 : CONFIDENCE_POINTS[clash.confidence],
    votes: Math.round(Math.min(1, Math.max(0, clash.votes)) * 1000) / 1000,
  }
  const millis = Math.round((terms.kind + terms.claims + terms.confidence + terms.votes) * 1000)
  return { millis, terms }
}

/** The most telling of the clashes of one kind; the first of equal ones. Null where there is none. */
export function mostTelling<Of extends Clash>(
  kind: DisagreementKind,
  clashes: readonly Of[],
): { readonly clash: Of; readonly scored: Scored } | null {
  let best: { clash: Of; scored: Scored } | null = null
  for (const clash of clashes) {
    const scored = scoreClash(kind, clash)
    if (best === null || scored.millis > best.scored.millis) best = { clash, scored }
  }
  return best
}

/** `55.9 = 50 for judges + 4 for 2 claims apart + …`: what the score is made of, for people. */
export const explainScore = (kind: DisagreementKind, { millis, terms }: Scored): string =>
  `Score ${millis / 1000} = ${terms.kind} (${kind}) + ${terms.claims} (claims apart) + ${terms.confidence} (confidence) + ${terms.votes} (votes).`

/** The order of the queue: the higher score first; of equal ones the question’s digests decide, which never change. */
export const compareQueued = (
  one: { readonly millis: number; readonly question: string },
  other: { readonly millis: number; readonly question: string },
): number => other.millis - one.millis || (one.question < other.question ? -1 : one.question > other.question ? 1 : 0)
