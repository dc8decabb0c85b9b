import { UNCLEAR } from '../../domain/rubric/answer-schema.ts'
import type { ClaimRule, Scalar } from '../../domain/rubric/rubric.ts'
import { combine, type Outcome, sharesOf, tally } from '../../domain/statistics/clustered-rates.ts'
import type { ClaimFigure, Levels, Mean, ReportGroup } from '../../schemas/report.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import { correctShares } from './reviewed.ts'
import { countEnds, type GroupOptions, type ReportRubric, type TrialRow } from './rows.ts'

/** Returns the mean of a number over trials, with clusters resampled; trials without a number are counted. */
function meanOf(
  trials: readonly TrialRow[],
  numberOf: (trial: TrialRow) => number | null,
  options: GroupOptions,
): Mean {
  const counted = tally(trials, options.clusterOf, [(trial) => numberOf(trial) ?? 'unknown'])
  const [unknown = 0] = counted.unknown
  return { ...combine(counted, [0], options, ([mean = null]) => mean), n: trials.length - unknown, unknown }
}

/** The judge's value of a claim in one trial. */
type ClaimReading = { readonly value: Scalar } | 'outside' | 'unknown'

/** Returns the value of a claim: outside for a trial without the claim's instruction, or where the claim that it depends on is false. */
function readingOf({ claims, given }: Pick<TrialRow, 'claims' | 'given'>, rule: ClaimRule): ClaimReading {
  if (rule.only_if_given !== null && !given.includes(rule.only_if_given)) return 'outside'
  const asked = rule.only_if === null ? true : valueIn(claims, rule.only_if)
  if (asked === false) return 'outside'
  const value = asked === true ? valueIn(claims, rule.id) : undefined
  // A claim that may not be unclear and has no value does not apply: the category of a surface that was not observed.
  if (value === null && rule.unclear === 'never') return 'outside'
  return value === undefined ? 'unknown' : { value }
}

const valueIn = (claims: TrialRow['claims'], id: string): Scalar | undefined =>
  Object.hasOwn(claims, id) ? claims[id] : undefined

/** Names the share of a value. */
const wordOf = (value: Scalar): string => (value === null ? UNCLEAR : String(value))

/** Lists the values that have a share. */
function wordsOf({ type, values, unclear }: ClaimRule): string[] {
  const own = type === 'boolean' ? ['true', 'false'] : values
  return unclear === 'never' ? [...own] : [...own, UNCLEAR]
}

/** Tells whether a boolean claim is true, as an outcome; an unclear claim is unknown. */
export function isTrue(trial: TrialRow, rule: ClaimRule): Outcome {
  const reading = readingOf(trial, rule)
  if (typeof reading === 'string') return reading
  return typeof reading.value === 'boolean' ? reading.value : 'unknown'
}

/** Computes the figures of every claim with shares or a mean. */
const claimFigures = (
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
  const readings = new Map(trials.map((trial) => [trial, readingOf(trial, rule)]))
  const readingIn = (trial: TrialRow) => readings.get(trial) ?? 'unknown'
  const isWord = (trial: TrialRow, word: string): Outcome => {
    const reading = readingIn(trial)
    return typeof reading === 'string' ? reading : wordOf(reading.value) === word
  }
  const shares = sharesOf(trials, words, isWord, options.clusterOf)
  if (type === 'integer') {
    const asked = trials.filter((trial) => readingIn(trial) !== 'outside')
    const numberOf = (trial: TrialRow) => {
      const reading = readingIn(trial)
      return typeof reading === 'object' && typeof reading.value === 'number' ? reading.value : null
    }
    return { type, shares, mean: meanOf(asked, numberOf, options), corrected: null }
  }
  if (rule.only_if !== null) return { type, shares, mean: null, corrected: null }
  const corrected = correctShares(
    trials.filter((trial) => readingIn(trial) !== 'outside'),
    {
      labels: words,
      judged: (trial) => {
        const reading = readingIn(trial)
        return typeof reading === 'string' ? null : wordOf(reading.value)
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

/** Computes the figures of one group of trials that every rubric has. */
export function describeGroup(
  key: string | null,
  trials: readonly TrialRow[],
  { claims, outcome }: ReportRubric,
  labels: readonly string[],
  options: GroupOptions,
): ReportGroup {
  return {
    key,
    counts: countTrials(trials),
    shares: sharesOf(trials, labels, hasLabel, options.clusterOf),
    levels: countLevels(trials, labels),
    mean: outcome.kind === 'sum' ? meanOf(trials, numberOf, options) : null,
    claims: claimFigures(trials, claims, options),
    corrected: correctShares(trials, { labels, judged: ({ label }) => label, reviewed: ({ human }) => human }, options),
  }
}

/** Counts the graded trials of each label by reported confidence: labels of the rubric in its order, then numbers. */
function countLevels(trials: readonly TrialRow[], labels: readonly Label[]): Record<Label, Levels> {
  const occurring = trials.flatMap(({ label }) => label ?? []).sort()
  const levels = new Map([...labels, ...occurring].map((label) => [label, { high: 0, medium: 0, low: 0 }]))
  for (const { label, confidence } of trials) {
    const counts = levels.get(label ?? '')
    if (counts && confidence !== null) counts[confidence]++
  }
  return Object.fromEntries(levels)
}

export const hasLabel = (trial: TrialRow, label: Label): Outcome =>
  trial.label === null ? 'unknown' : trial.label === label

/** Returns a numeric outcome, whose label is its text. */
const numberOf = ({ label }: TrialRow): number | null => (label === null ? null : Number(label))

function countTrials(trials: readonly TrialRow[]): ReportGroup['counts'] {
  const named = trials.flatMap(({ task }) => task ?? [])
  const graded = trials.filter(({ status }) => status === 'graded')
  return {
    n: trials.length,
    ...countEnds(trials),
    contradicted: graded.filter(({ contradicted }) => contradicted).length,
    unread: graded.filter(({ unread }) => unread).length,
    tasks: new Set(named).size,
    without_task: trials.length - named.length,
  }
}
