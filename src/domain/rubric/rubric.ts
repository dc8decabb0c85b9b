import type { ClaimManifest, RubricManifest } from '../../schemas/rubric.ts'
import type { Signal } from '../../schemas/trial.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import type { Digest } from '../digest.ts'

/** Answer to a claim; null: unclear, the judge could not tell. Never to be read as false. */
export type Scalar = boolean | string | number | null

export type Entry = Readonly<Record<string, Scalar>>

export type ClaimValue = Scalar | readonly Entry[]

type ProofName = 'in_step' | 'after' | 'does' | 'agent_of' | 'holds'

/** Proof of a value of a claim: everything that is given must hold. The schema of a manifest describes each member; null or empty: not asked. */
export interface ProofRule extends Readonly<Record<ProofName, string | null>> {
  readonly quote: readonly Actor[]
  readonly shows: readonly string[]
  readonly finds_nothing_of: readonly string[]
  readonly in_order: readonly string[]
}

const NO_NAMES = { in_step: null, after: null, does: null, agent_of: null, holds: null } as const
export const NO_PROOF: ProofRule = { quote: [], shows: [], finds_nothing_of: [], in_order: [], ...NO_NAMES }

/** Members of a claim as its manifest has them, with their defaults. */
type GivenMembers = Required<Pick<ClaimManifest, 'type' | 'values' | 'minimum' | 'maximum' | 'unclear'>>

export interface ClaimRule extends Readonly<GivenMembers> {
  readonly id: string
  readonly only_if: string | null
  readonly only_if_given: string | null
  readonly measured_by: Signal | null
  /** The claim whose runs are counted; null: the judge is asked. */
  readonly runs_of: string | null
  readonly cap: NonNullable<ClaimManifest['capped_by_document']> | null
  /** Of a list: what each entry says; ids are `list.name`. */
  readonly of: readonly ClaimRule[]
  /** By value as text, or `any`. */
  readonly proofs: Readonly<Record<string, ProofRule>>
}

export type TableRow = NonNullable<RubricManifest['outcome']['table']>[number]

export type OutcomeRule = {
  readonly scale: 'nominal' | 'ordinal'
  readonly labels: readonly string[]
  readonly claims: readonly string[]
} & (
  | { readonly kind: 'table'; readonly rows: readonly TableRow[] }
  | { readonly kind: 'label' }
  | { readonly kind: 'sum' }
  | { readonly kind: 'best'; readonly by: readonly string[]; readonly label: string }
)

export interface TruthRule {
  /** As requests may write it: JSON Schema, with the kinds in place. */
  readonly schema: object
  /** The instructions it may have, in their order. */
  readonly instructions: readonly string[]
  /** The other members, but for the signals. */
  readonly members: readonly string[]
}

/** A rubric as `parseRubric` made it, plain data: the outcome is total and disjoint, every claim has a proof, every variable a value. */
export interface Rubric extends Readonly<Pick<RubricManifest, 'id' | 'version' | 'title' | 'description'>> {
  /** `id@version` */
  readonly name: string
  readonly digest: Digest
  /** Frozen system text: no variables, so that every trajectory shares it in the provider's cache. */
  readonly system: string
  /** Asked after the trajectory; holds `{{variables}}` and `{{#sections}}` (`prompt.ts`). */
  readonly question: string
  /** Schema of the judge's answer, made of the claims. */
  readonly answer_schema: object
  /** True: boolean claims are answered true or false, and not in words. */
  readonly in_booleans: boolean
  /** Signals that a judge is told; the other signals stay unknown to the judge, so that its answers are its own. */
  readonly shows_signals: readonly Signal[]
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

/** Finds the claim of the sight of the instructions; a rubric has at most one. */
export const sightClaim = ({ claims }: Pick<Rubric, 'claims'>): ClaimRule | null =>
  claims.find(({ proofs }) => Object.values(proofs).some(({ shows }) => shows.length > 0)) ?? null

/** Returns the instruction that a claim says was carried out; null: the claim is of no act. */
export const instructionDone = ({ proofs }: ClaimRule): string | null =>
  Object.values(proofs).find(({ does }) => does !== null)?.does ?? null

/** Returns the instruction after whose sight the proof of the claim must stand. */
export const instructionBefore = (claim: ClaimRule): string | null =>
  Object.values(claim.proofs).find(({ after }) => after !== null)?.after ?? instructionDone(claim)

export const actClaims = ({ claims }: Rubric): { readonly claim: ClaimRule; readonly which: string }[] =>
  claims.flatMap((claim) => {
    const which = instructionDone(claim)
    return which === null ? [] : [{ claim, which }]
  })
