import type { Issue } from '../domain/result.ts'
import { type ClaimValues, claimIdOf, claimsOfOutcome, claimWord } from '../domain/rubric/claims.ts'
import type { ClaimRule, ClaimValue, Rubric } from '../domain/rubric/rubric.ts'
import { MAX_AGREEMENT_LABELS, type Scale } from '../schemas/agreement.ts'
import { RequestError } from '../schemas/problem.ts'
import type { Signal } from '../schemas/trial.ts'
import type { Label } from '../schemas/vocabulary.ts'

/** The measure by which raters are compared: the label, the outcome, or one claim. */
export interface Measure {
  readonly word: string
  readonly scale: Scale
  /** All possible ratings in order; null where only the given ratings are known. */
  readonly categories: readonly string[] | null
  readonly measured_by: Signal | null
  /** Returns the rating of a verdict. Null: the rater was undecided; undefined: the rater gave no rating. */
  readonly rate: (label: Label, claims: ClaimValues | null) => string | null | undefined
}

/** Makes the refusal of raters or of a measure, with the places in the request. */
export const incomparable = (...errors: readonly Issue[]): RequestError =>
  new RequestError('invalid_request', 'these raters cannot be compared', { errors })

/** Finds the measure of a rubric by name. Throws a RequestError at `/stored/measure` where the rubric has no such measure. */
export function findMeasure(word: string, rubric: Rubric | null): Measure {
  if (word === 'label' || word === 'outcome')
    return { word, measured_by: null, rate: (label) => label, ...formOfOutcome(rubric) }
  const claim = rubric?.claims.find(({ id }) => id === claimIdOf(word))
  if (rubric !== null && claim !== undefined && claim.type !== 'list') return claimMeasure(word, claim, rubric)
  const there = ['label', ...(rubric?.claims ?? []).filter(({ type }) => type !== 'list').map(({ id }) => id)]
  const whose = rubric === null ? 'of a rubric that is not loaded' : `of ${rubric.name}`
  throw incomparable({ path: '/stored/measure', message: `is no measure ${whose}; there are: ${there.join(', ')}` })
}

function formOfOutcome(rubric: Rubric | null): Pick<Measure, 'scale' | 'categories'> {
  if (rubric === null) return { scale: 'nominal', categories: null }
  const { outcome, claims } = rubric
  if (outcome.kind !== 'sum') return { scale: outcome.scale, categories: outcome.labels }
  const parts = claims.filter(({ id }) => outcome.claims.includes(id))
  const sumOf = (end: 'minimum' | 'maximum') => parts.reduce((sum, one) => sum + one[end], 0)
  return { scale: 'interval', categories: rangeOf(sumOf('minimum'), sumOf('maximum')) }
}

function claimMeasure(word: string, claim: ClaimRule, rubric: Rubric): Measure {
  const { id, type, measured_by } = claim
  const { outcome } = rubric
  const isOrdered = outcome.kind === 'label' && outcome.claims[0] === id && outcome.scale === 'ordinal'
  return {
    word,
    measured_by,
    scale: type === 'integer' ? 'interval' : isOrdered ? 'ordinal' : 'nominal',
    categories: categoriesOf(claim),
    rate: (label, claims) => {
      const value = claims?.[id] ?? claimsOfOutcome(rubric, label)[id] ?? claims?.[id]
      // A claim that may not be unclear and has no value does not apply.
      return value === null && claim.unclear === 'never' ? undefined : categoryOf(value)
    },
  }
}

function categoriesOf({ type, values, minimum, maximum }: ClaimRule): readonly string[] | null {
  if (type === 'boolean') return ['yes', 'no']
  if (type === 'enum') return values
  return type === 'integer' ? rangeOf(minimum, maximum) : null
}

/** Lists the values of a range; null for a wider range, whose categories are the given ratings. */
const rangeOf = (minimum: number, maximum: number): readonly string[] | null =>
  maximum - minimum < MAX_AGREEMENT_LABELS
    ? Array.from({ length: maximum - minimum + 1 }, (_, index) => String(minimum + index))
    : null

/** Returns the rating that a value of a claim is; null and undefined stay. */
export const categoryOf = (value: ClaimValue | undefined): string | null | undefined =>
  value === null || value === undefined ? value : typeof value === 'boolean' ? (value ? 'yes' : 'no') : String(value)

/** Adds the given ratings that the measure lacks, from an older version of the rubric. */
export const allCategories = ({ categories }: Measure, given: ReadonlySet<string>): string[] | undefined =>
  categories === null ? undefined : [...new Set([...categories, ...[...given].sort()])]

/** Lists the claims of a rubric that the harness measures, by their names as measures. */
export const measuredWords = (rubric: Rubric | null): string[] =>
  (rubric?.claims ?? []).filter(({ measured_by }) => measured_by !== null).map(({ id }) => claimWord(id))
