import { UNCLEAR } from '../../domain/rubric/answer-schema.ts'
import type { ClaimRule, Scalar } from '../../domain/rubric/rubric.ts'
import { type Outcome, sharesOf } from '../../domain/statistics/clustered-rates.ts'
import type { ClaimFigure } from '../../schemas/audit/report.ts'
import { correctShares } from './report-corrected.ts'
import { meanOf } from './report-means.ts'
import type { GroupOptions, TrialRow } from './report-rows.ts'

/** What the judge says of a claim in one trial. */
type Said = { readonly value: Scalar } | 'outside' | 'unknown'

/** Nothing is said of a trial without the instruction that the claim is of, and where the claim that it depends on is not true. */
function saidOf({ claims, given }: Pick<TrialRow, 'claims' | 'given'>, rule: ClaimRule): Said {
  if (rule.only_if_given !== null && !given.includes(rule.only_if_given)) return 'outside'
  const asked = rule.only_if === null ? true : valueIn(claims, rule.only_if)
  if (asked === false) return 'outside'
  const value = asked === true ? valueIn(claims, rule.id) : undefined
  return value === undefined ? 'unknown' : { value }
}

const valueIn = (claims: TrialRow['claims'], id: string): Scalar | undefined =>
  Object.hasOwn(claims, id) ? claims[id] : undefined

/** The value as the name of its share. */
const wordOf = (value: Scalar): string => (value === null ? UNCLEAR : String(value))

/** The values that have a share. */
function wordsOf({ type, values, unclear }: ClaimRule): string[] {
  const own = type === 'boolean' ? ['true', 'false'] : values
  return unclear === 'never' ? [...own] : [...own, UNCLEAR]
}

/** A boolean claim as an outcome: whether it is true; unclear is unknown. */
export function isTrue(trial: TrialRow, rule: ClaimRule): Outcome {
  const said = saidOf(trial, rule)
  if (typeof said === 'string') return said
  return typeof said.value === 'boolean' ? said.value : 'unknown'
}

/** The figures of every claim that has shares or a mean. */
export const claimFigures = (
  trials: readonly TrialRow[],
  rules: readonly ClaimRule[],
  options: GroupOptions,
): Record<string, ClaimFigure> =>
  Object.fromEntries(
    rules.flatMap((rule): [string, ClaimFigure][] =>
      hasFigure(rule) ? [[rule.id, figureOf(rule.type, trials, rule, options)]] : [],
    ),
  )

type Counted = ClaimRule & { readonly type: ClaimFigure['type'] }

const hasFigure = (rule: ClaimRule): rule is Counted =>
  rule.type === 'boolean' || rule.type === 'enum' || rule.type === 'integer'

function figureOf(
  type: ClaimFigure['type'],
  trials: readonly TrialRow[],
  rule: ClaimRule,
  options: GroupOptions,
): ClaimFigure {
  const words = wordsOf(rule)
  const said = new Map(trials.map((trial) => [trial, saidOf(trial, rule)]))
  const saidIn = (trial: TrialRow) => said.get(trial) ?? 'unknown'
  const isWord = (trial: TrialRow, word: string): Outcome => {
    const one = saidIn(trial)
    return typeof one === 'string' ? one : wordOf(one.value) === word
  }
  const shares = sharesOf(trials, words, isWord, options.clusterOf, options)
  if (type === 'integer') {
    const asked = trials.filter((trial) => saidIn(trial) !== 'outside')
    const numberOf = (trial: TrialRow) => {
      const one = saidIn(trial)
      return typeof one === 'object' && typeof one.value === 'number' ? one.value : null
    }
    return { type, shares, mean: meanOf(asked, numberOf, options), corrected: null }
  }
  if (rule.only_if !== null) return { type, shares, mean: null, corrected: null }
  const corrected = correctShares(
    trials.filter((trial) => saidIn(trial) !== 'outside'),
    {
      labels: words,
      judged: (trial) => {
        const one = saidIn(trial)
        return typeof one === 'string' ? null : wordOf(one.value)
      },
      reviewed: ({ claims }) => {
        const value = valueIn(claims, rule.id)
        return value === undefined || !words.includes(wordOf(value)) ? null : wordOf(value)
      },
    },
    options,
  )
  return { type, shares, mean: null, corrected }
}
