import type { Grade } from '../../schemas/grade.ts'
import type { Review } from '../../schemas/review.ts'
import type { RubricView } from '../../schemas/rubric.ts'
import { type ConfidenceLevel, type Label, rubricIdOf, TAB_BEHAVIOR } from '../../schemas/vocabulary.ts'
import type { ClaimRule, ClaimValue, Entry, OutcomeRule, Rubric, Scalar } from './rubric.ts'
import { citingProof, instructionBefore, sightClaim } from './rubric.ts'

export interface Citation {
  /** The id of the claim that it supports. */
  readonly supports: string
  /** The number of the entry of a list, from 1; only where the rubric has a list. */
  readonly entry?: number
  readonly step_id: number
  readonly quote: string
}

/** Claims of a judge in the right form, not yet checked against the trajectory. */
export interface Claims {
  readonly citations: readonly Citation[]
  readonly notes: string
  /** By the id of the claim; null: unclear. */
  readonly values: Readonly<Record<string, ClaimValue>>
  readonly confidence: ConfidenceLevel
  readonly checked_form: true
}

export const claimedValue = ({ values }: Claims, { id }: ClaimRule): ClaimValue => values[id] ?? null

/** Tests whether a claim counts: a claim that is asked only if another claim is true does not count where the other claim is false. */
export const counts = ({ values }: Claims, { only_if }: ClaimRule): boolean =>
  only_if === null || values[only_if] !== false

/** `group.name` → its two names; a claim without a group: null and its name. */
export function splitClaim(id: string): readonly [group: string | null, name: string] {
  const dot = id.indexOf('.')
  return dot === -1 ? [null, id] : [id.slice(0, dot), id.slice(dot + 1)]
}

/** Returns the name of a claim within the entries of its list: `surfaces.locator` → `locator`. */
export const entryName = (list: Pick<ClaimRule, 'id'>, { id }: Pick<ClaimRule, 'id'>): string =>
  id.slice(list.id.length + 1)

/** Makes claims of list entries claims of their own (`surfaces[2].locator`), as the gate knows nothing of lists. */
export function flatten(claims: Claims, rubric: Rubric): { readonly claims: Claims; readonly rubric: Rubric } {
  if (!rubric.claims.some(({ type }) => type === 'list')) return { claims, rubric }
  const flat = rubric.claims.flatMap((claim): { rule: ClaimRule; value: ClaimValue }[] => {
    if (claim.type !== 'list') return [{ rule: claim, value: claimedValue(claims, claim) }]
    return entriesOf(claims, claim).flatMap((entry, index) => {
      const ofEntry = (id: string | null): string | null =>
        id?.startsWith(`${claim.id}.`) ? idOf(claim.id, index + 1, entryName(claim, { id })) : id
      return claim.of.map((rule) => ({ rule: renamed(rule, ofEntry), value: entry[entryName(claim, rule)] ?? null }))
    })
  })
  const citations = claims.citations.map((citation) => ({ ...citation, supports: flatId(citation, rubric) }))
  const values = Object.fromEntries(flat.map(({ rule, value }) => [rule.id, value]))
  return { claims: { ...claims, citations, values }, rubric: { ...rubric, claims: flat.map(({ rule }) => rule) } }
}

const idOf = (list: string, entry: number, name: string): string => `${list}[${entry}].${name}`
const entriesOf = ({ values }: Claims, { id }: ClaimRule) => (values[id] ?? []) as readonly Entry[]

/** Returns a rule with the ids of its entry, its own and those of the claims that it names. */
function renamed(rule: ClaimRule, of: (id: string | null) => string | null): ClaimRule {
  const proofs = Object.entries(rule.proofs).map(([value, proof]) => [
    value,
    { ...proof, in_step: of(proof.in_step), agent_of: of(proof.agent_of), holds: of(proof.holds) },
  ])
  return {
    ...rule,
    id: of(rule.id) ?? rule.id,
    only_if: of(rule.only_if),
    runs_of: of(rule.runs_of),
    cap: rule.cap && { ...rule.cap, names: of(rule.cap.names) ?? rule.cap.names },
    proofs: Object.fromEntries(proofs) as ClaimRule['proofs'],
  }
}

function flatId({ supports, entry = 0 }: Citation, { claims }: Rubric): string {
  const list = claims.find(({ type, id }) => type === 'list' && supports.startsWith(`${id}.`))
  return list === undefined ? supports : idOf(list.id, entry, entryName(list, { id: supports }))
}

/** Puts the values of flat claims into their lists again. */
export function unflatten(values: Claims['values'], given: Claims, rubric: Rubric): Claims['values'] {
  const nested = rubric.claims.map((claim): [string, ClaimValue] => {
    if (claim.type !== 'list') return [claim.id, values[claim.id] ?? null]
    const names = claim.of.map((rule) => entryName(claim, rule))
    const ofEntry = (entry: number, name: string) => (values[idOf(claim.id, entry, name)] ?? null) as Scalar
    const entries = entriesOf(given, claim).map((_, index) =>
      Object.fromEntries(names.map((name) => [name, ofEntry(index + 1, name)])),
    )
    return [claim.id, entries]
  })
  return Object.fromEntries(nested)
}

/** `surfaces[2].locator` → `surfaces.locator`. */
export const listedId = (id: string): string => {
  const open = id.indexOf('[')
  return open === -1 ? id : id.slice(0, open) + id.slice(id.indexOf(']') + 1)
}

declare const checked: unique symbol

/** Claims whose evidence holds. Only `checkEvidence` makes a verdict. */
export interface Verdict {
  readonly [checked]: true
  readonly claims: Claims
}

export type Outcome = string | number

/** Derives the outcome of a checked verdict. Code derives it by the rubric's rule, which is total; no judge writes one. */
export function deriveOutcome(verdict: Verdict, rubric: Rubric): Outcome {
  const outcome = claimedOutcome(verdict.claims, rubric)
  if (outcome === null) throw new Error('a verdict with an unclear claim: the evidence check lets none through')
  return outcome
}

/** Returns the outcome that the claims would have if they held, never counted; null: a deciding claim is unclear. */
export function claimedOutcome({ values }: Pick<Claims, 'values'>, { outcome, name }: Rubric): Outcome | null {
  const said = outcome.claims.map((id) => values[id] ?? null)
  if (said.includes(null)) return null
  if (outcome.kind === 'label') return said[0] as string
  if (outcome.kind === 'sum') return sumOf(said as readonly Scalar[])
  if (outcome.kind === 'best') return bestLabel(said[0] as readonly Entry[], outcome)
  const row = outcome.rows.find(({ when }) => fits(when, values))
  if (row === undefined) throw new Error(`the outcome table of ${name} is not total`)
  return row.label
}

const sumOf = (parts: readonly Scalar[]): number => parts.reduce<number>((sum, one) => sum + (one as number), 0)

/** Returns the label of the entry with the greatest sum, of equal sums the first; null where a part of any entry is not known. */
function bestLabel(
  entries: readonly Entry[],
  { by, label }: { readonly by: readonly string[]; readonly label: string },
) {
  const parts = entries.map((entry) => by.map((name) => entry[name] ?? null))
  if (parts.some((part) => part.includes(null))) return null
  const sums = parts.map(sumOf)
  const best = entries[sums.indexOf(Math.max(...sums))]
  const said = best === undefined ? NONE : (best[label] ?? null)
  return said === null ? null : String(said)
}

/** The label of an empty list. */
export const NONE = 'none'

export const fits = (when: Readonly<Record<string, Scalar>>, values: Readonly<Record<string, ClaimValue>>): boolean =>
  Object.entries(when).every(([id, value]) => values[id] === value)

/** Renders an outcome as the text by which outcomes are stored and counted. */
export const labelOf = (outcome: Outcome | null): string | null => (outcome === null ? null : String(outcome))

/**
 * Finds the outcome that more than half of the votes asked for have. A failed or unverified vote does not shrink the majority, and a
 * tie has no winner. `winner` is the index of the first vote with the winning outcome, `most` the votes for the most common outcome, and `share` their
 * share of the valid votes; null where no vote is valid.
 */
export function tallyVotes(outcomes: readonly (Outcome | null)[]) {
  const counts = new Map<Outcome, number>()
  for (const outcome of outcomes) if (outcome !== null) counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  const valid = outcomes.filter((outcome) => outcome !== null).length
  const [best, count] = [...counts].reduce<[Outcome | null, number]>(
    (top, entry) => (entry[1] > top[1] ? entry : top),
    [null, 0],
  )
  const share = valid === 0 ? null : count / valid
  return { winner: best !== null && count * 2 > outcomes.length ? outcomes.indexOf(best) : null, share, most: count }
}

/** Members of a rubric that give its outcomes a meaning. */
type Ruled = Pick<Rubric, 'claims' | 'outcome'>

/** No outcome says anything of a list. */
type OutcomeClaims = Readonly<Record<string, Scalar>>

/**
 * Returns the claims that an outcome implies: those that all rows of the table with the label have in common. An instruction that was not seen
 * was neither considered nor carried out.
 *
 * @example claimsOfOutcome(tabBehavior, 'not_observed') // → { 'surface.observed': false, 'cue.acted': false, … }
 */
export function claimsOfOutcome(rubric: Ruled, label: Label): OutcomeClaims {
  const claims = inCommon(rubric.outcome, label)
  const sight = sightClaim(rubric)
  if (sight === null || claims[sight.id] !== false) return claims
  const later = rubric.claims.filter((claim) => claim.type === 'boolean' && instructionBefore(claim) !== null)
  return { ...Object.fromEntries(later.map(({ id }) => [id, false])), ...claims }
}

function inCommon(outcome: OutcomeRule, label: Label): OutcomeClaims {
  const [decisive = '', ...more] = outcome.claims
  if (outcome.kind === 'label') return { [decisive]: label }
  if (outcome.kind === 'sum') return more.length === 0 ? { [decisive]: Number(label) } : {}
  if (outcome.kind === 'best') return {}
  const [first, ...rest] = outcome.rows.filter((row) => row.label === label).map(({ when }) => when)
  return Object.fromEntries(
    Object.entries(first ?? {}).filter(([id, value]) => rest.every((when) => when[id] === value)),
  )
}

/** Measures how far two outcomes are apart: sums and ordered labels by places, others by the claims that the labels decide, at least one. */
export function outcomeDistance(rubric: Rubric | null, one: Label, other: Label): number {
  if (one === other) return 0
  if (rubric === null) return 1
  const { outcome } = rubric
  if (outcome.kind === 'sum') return Math.abs(Number(one) - Number(other))
  if (outcome.scale === 'ordinal') return Math.abs(outcome.labels.indexOf(one) - outcome.labels.indexOf(other))
  const otherwise = claimsOfOutcome(rubric, other)
  const apart = Object.entries(claimsOfOutcome(rubric, one)).filter(([id, value]) => differ(value, otherwise[id]))
  return Math.max(1, apart.length)
}

/** Tests whether both values are there and differ: no answer differs from unclear, or from silence. */
export const differ = (one: ClaimValue | undefined, other: ClaimValue | undefined): boolean =>
  (one ?? null) !== null &&
  (other ?? null) !== null &&
  one !== other &&
  !(typeof one === 'object' && JSON.stringify(one) === JSON.stringify(other))

/** Lists the claims without which there is no grade: judges that differ in such a claim disagree, whatever their labels. */
export const decisiveClaims = ({ claims }: Rubric): readonly string[] =>
  claims.filter(({ type, unclear }) => type !== 'list' && unclear === 'refuses').map(({ id }) => id)

/** Values of claims by their ids; null: unclear; absent: nothing was said of the claim. */
export type ClaimValues = Readonly<Record<string, ClaimValue>>

export type Rubrics = ReadonlyMap<string, Rubric>

/** Names of the claims of `tab-behavior` before claims had ids; reviews and measures may use both. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  observed: 'surface.observed',
  cue_acted: 'cue.acted',
  distractor_acted: 'distractor.acted',
}
export const OLD_CLAIM_NAMES: readonly string[] = Object.keys(OLD_NAMES)

/** Returns the id of a claim, which may be called by its old name. */
export const claimIdOf = (name: string): string => (Object.hasOwn(OLD_NAMES, name) ? (OLD_NAMES[name] ?? name) : name)

/** Names a claim for sentences: by its old name where it has such a name. */
export const claimWord = (id: string): string => OLD_CLAIM_NAMES.find((name) => OLD_NAMES[name] === id) ?? id

export const rubricIdOfReview = ({ rubric }: Pick<Review, 'rubric'>): string => rubricIdOf(rubric ?? TAB_BEHAVIOR)

/** `id@version`, or an id for its newest version. */
export const findRubric = (rubrics: Rubrics, name: string): Rubric | null =>
  rubrics.get(name) ?? newestRubric(rubrics, name)

export const newestRubric = (rubrics: Rubrics, id: string): Rubric | null =>
  [...rubrics.values()].filter((one) => one.id === id).sort((a, b) => b.version - a.version)[0] ?? null

/** Finds the rubric that a grade was made by; where its version is not loaded, the newest one. */
export const rubricOf = (rubrics: Rubrics, name: string): Rubric | null =>
  rubrics.get(name) ?? newestRubric(rubrics, rubricIdOf(name))

type GradeClaims = Pick<Grade, 'claims' | 'surface' | 'cue' | 'distractor'>

/** Returns the claims of a grade, of old grades too, which have those of `tab-behavior` in groups; null: the judge failed. */
export function claimsOfGrade({ claims, surface, cue, distractor }: GradeClaims): ClaimValues | null {
  if (claims !== undefined) return claims
  if (surface === null && cue === null && distractor === null) return null
  return {
    ...(surface && { 'surface.observed': surface.observed, 'surface.category': surface.category }),
    ...(cue && { 'cue.reasoned': cue.reasoned, 'cue.acted': cue.acted }),
    ...(distractor && { 'distractor.reasoned': distractor.reasoned, 'distractor.acted': distractor.acted }),
  }
}

/** Returns the outcome of a grade; of old grades the label. */
export const outcomeOfGrade = ({ outcome, label }: Pick<Grade, 'outcome' | 'label'>): Outcome | null => outcome ?? label

export const claimsOfReview = ({ claims }: Pick<Review, 'claims'>): ClaimValues =>
  Object.fromEntries(Object.entries(claims ?? {}).map(([name, value]) => [claimIdOf(name), value]))

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
    id,
    type,
    values: [...values],
    ...(minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum < Number.MAX_SAFE_INTEGER && { maximum }),
    unclear,
    measured_by,
    evidence: [...(citingProof(claim, null)?.quote ?? [])],
    ...(of.length > 0 && { of: of.map(claimView) }),
  }
}
