import type { ClaimManifest, ClaimType, RubricManifest, UNCLEAR_RULES } from '../../schemas/rubric.ts'
import type { Signal } from '../../schemas/trial.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import type { Digest } from '../digest.ts'

/** Answer to a claim; null: unclear, the judge could not tell. Never to be read as false. */
export type Scalar = boolean | string | number | null

export type Entry = Readonly<Record<string, Scalar>>

export type ClaimValue = Scalar | readonly Entry[]

type ProofName = 'in_step' | 'after' | 'does' | 'agent_of' | 'holds'

/** Proof of a value of a claim: everything that is given must hold. The schema of a manifest describes each member. */
export interface ProofRule extends Readonly<Record<ProofName, string | null>> {
  /** Actors who may be quoted; empty: no quote is needed. */
  readonly quote: readonly Actor[]
  readonly shows: readonly string[]
  readonly finds_nothing_of: readonly string[]
  /** Two claims, of which the first cites a step before all steps of the second; empty: no order is needed. */
  readonly in_order: readonly string[]
}

const NO_NAMES = { in_step: null, after: null, does: null, agent_of: null, holds: null } as const
export const NO_PROOF: ProofRule = { quote: [], shows: [], finds_nothing_of: [], in_order: [], ...NO_NAMES }

export interface ClaimRule {
  readonly id: string
  readonly type: ClaimType
  /** Of an enum. */
  readonly values: readonly string[]
  /** Of an integer. */
  readonly minimum: number
  readonly maximum: number
  readonly only_if: string | null
  readonly only_if_given: string | null
  readonly unclear: (typeof UNCLEAR_RULES)[number]
  readonly measured_by: Signal | null
  /** The claim whose runs are counted; null: the judge is asked. */
  readonly runs_of: string | null
  readonly cap: NonNullable<ClaimManifest['capped_by_document']> | null
  /** Of a list: what each entry says; ids are `list.name`. */
  readonly of: readonly ClaimRule[]
  /** By value as text, or `any`. */
  readonly proofs: Readonly<Record<string, ProofRule>>
}

interface TableRow {
  readonly when: Readonly<Record<string, Scalar>>
  readonly label: string
}

export type OutcomeRule = { readonly scale: 'nominal' | 'ordinal'; readonly labels: readonly string[] } & (
  | { readonly kind: 'table'; readonly rows: readonly TableRow[]; readonly claims: readonly string[] }
  | { readonly kind: 'label'; readonly claims: readonly string[] }
  | { readonly kind: 'sum'; readonly claims: readonly string[] }
  | {
      readonly kind: 'best'
      readonly claims: readonly string[]
      readonly by: readonly string[]
      readonly label: string
    }
)

export interface TruthRule {
  /** As requests may write it: JSON Schema, with the kinds in place. */
  readonly schema: object
  /** The instructions it may have, in their order. */
  readonly instructions: readonly string[]
  /** The other members, but for the signals. */
  readonly members: readonly string[]
}

/**
 * A rubric as loaded and checked: plain data, so that a thread can be handed one. The outcome is total and disjoint, every claim is proved by a rule
 * that the gate takes, every prompt variable has a value. Made only by `parseRubric`.
 */
export interface Rubric {
  readonly id: string
  readonly version: number
  /** `id@version` */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly digest: Digest
  /** Frozen system text: no variables, so that every trajectory shares it in the provider's cache. */
  readonly system: string
  /** Asked after the trajectory; holds `{{variables}}` and `{{#sections}}` (`template.ts`). */
  readonly question: string
  /** Schema of the judge's answer, made of the claims. */
  readonly answer_schema: object
  /** True: boolean claims are answered true or false, and not in words. */
  readonly in_booleans: boolean
  /** Signals that a judge is told; the other signals stay unknown to the judge, so that its answers are its own. */
  readonly shows_signals: readonly Signal[]
  /** One run, or several with documents beside them. */
  readonly about: 'run' | 'runs'
  readonly truth: TruthRule
  readonly claims: readonly ClaimRule[]
  readonly outcome: OutcomeRule
  /** The outcome as its manifest has it. */
  readonly outcome_given: RubricManifest['outcome']
}

/** Returns the rule that proves a value of a claim; null: the value needs no proof. */
export function proofOf({ proofs }: ClaimRule, value: ClaimValue): ProofRule | null {
  if (value === null) return null
  const own = Object.hasOwn(proofs, String(value)) ? proofs[String(value)] : proofs['any']
  return own ?? null
}

/** Returns the rule by which a citation of a claim is checked: that of its value, else the first that takes quotes; null: it takes none. */
export function citingProof(claim: ClaimRule, value: ClaimValue): ProofRule | null {
  const own = proofOf(claim, value)
  if (own !== null && own.quote.length > 0) return own
  return Object.values(claim.proofs).find(({ quote }) => quote.length > 0) ?? null
}

/** Lists claims, and behind each list the claims of its entries. */
export const allClaims = (claims: readonly ClaimRule[]): readonly ClaimRule[] =>
  claims.flatMap((claim) => [claim, ...claim.of])

export const isCitable = ({ proofs, of }: ClaimRule): boolean =>
  Object.values(proofs).some(({ quote }) => quote.length > 0) || of.some(isCitable)

const rulesOf = ({ proofs }: ClaimRule): readonly ProofRule[] => Object.values(proofs)

/** Finds the claim of the sight of the instructions; a rubric has at most one. */
export const sightClaim = ({ claims }: Pick<Rubric, 'claims'>): ClaimRule | null =>
  claims.find((claim) => rulesOf(claim).some(({ shows }) => shows.length > 0)) ?? null

/** Returns the instruction that a claim says was carried out; null: the claim is of no act. */
export const instructionDone = (claim: ClaimRule): string | null =>
  rulesOf(claim).find(({ does }) => does !== null)?.does ?? null

/** Returns the instruction after whose sight the proof of the claim must stand. */
export const instructionBefore = (claim: ClaimRule): string | null =>
  rulesOf(claim).find(({ after }) => after !== null)?.after ?? instructionDone(claim)

export const actClaims = ({ claims }: Rubric): { readonly claim: ClaimRule; readonly which: string }[] =>
  claims.flatMap((claim) => {
    const which = instructionDone(claim)
    return which === null ? [] : [{ claim, which }]
  })
