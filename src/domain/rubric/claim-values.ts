import type { Grade } from '../../schemas/grade.ts'
import type { Review } from '../../schemas/review.ts'
import { rubricIdOf, TAB_BEHAVIOR } from '../../schemas/vocabulary.ts'
import type { Outcome } from './outcome.ts'
import type { ClaimValue, Rubric } from './rubric.ts'

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
