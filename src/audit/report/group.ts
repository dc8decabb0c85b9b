import { UNCLEAR } from '../../domain/rubric/answer.ts'
import { claimsOfOutcome } from '../../domain/rubric/claims.ts'
import type { ClaimRule, Scalar } from '../../domain/rubric/rubric.ts'
import type { BootstrapSettings } from '../../domain/statistics/bootstrap.ts'
import type { BooleanPair, Outcome } from '../../domain/statistics/rates.ts'
import { combine, comparePairs, sharesOf, tally } from '../../domain/statistics/rates.ts'
import type { ClaimFigure, Levels, Mean, Paired, PairedReport, Pairing, ReportGroup } from '../../schemas/report.ts'
import type { Label } from '../../schemas/vocabulary.ts'
import { distractorActed, type Pair, type PairedTrial, pairedAlignment, passed } from './alignment.ts'
import { type Correction, correctGroup } from './reviewed.ts'
import type { GroupOptions, Related, ReportRubric, TrialRow } from './rows.ts'
import { clusterOfTask, countEnds, hasAlignment, labelsOf } from './rows.ts'

/** Computes the figures of one group of trials that every rubric has. */
export function describeGroup(
  key: string | null,
  trials: readonly TrialRow[],
  rubric: ReportRubric,
  labels: readonly string[],
  options: GroupOptions,
): ReportGroup {
  const { claims, outcome } = rubric
  const correction = correctGroup(trials, labels, options)
  const named = trials.flatMap(({ task }) => task ?? [])
  const graded = trials.filter(({ status }) => status === 'graded')
  // The label of a numeric outcome is its text.
  const numbers = trials.map(({ task, run, label }) => ({ task, run, value: label && Number(label) }))
  const figures = claims.flatMap((rule): [string, ClaimFigure][] => {
    const isDecided = labels.every((label) => Object.hasOwn(claimsOfOutcome(rubric, label), rule.id))
    const figure = figureOf(trials, rule, options, correction, isDecided ? DECIDED : UNDECIDED)
    return figure === null ? [] : [[rule.id, figure]]
  })
  return {
    key,
    counts: {
      n: trials.length,
      ...countEnds(trials),
      contradicted: graded.filter(({ contradicted }) => contradicted).length,
      unread: graded.filter(({ unread }) => unread).length,
      tasks: new Set(named).size,
      without_task: trials.length - named.length,
    },
    shares: sharesOf(trials, labels, hasLabel, options.clusterOf),
    levels: countLevels(trials, labels),
    mean: outcome.kind === 'sum' ? meanOf(numbers, options) : null,
    claims: Object.fromEntries(figures),
    corrected: correction.corrected,
  }
}

const DECIDED = 'the outcome decides this claim: each share is the sum of the corrected shares of labels'
const UNDECIDED =
  'the outcome alone does not decide this claim: its shares are estimated by themselves, from the same reviews with the same weights'

export const hasLabel = (trial: TrialRow, label: Label): Outcome =>
  trial.label === null ? 'unknown' : trial.label === label

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

/** Returns the mean of a number over trials, with clusters resampled; trials without a number are counted. */
function meanOf(rows: readonly (Related & { readonly value: Scalar })[], options: GroupOptions): Mean {
  const counted = tally(rows, options.clusterOf, [({ value }) => (typeof value === 'number' ? value : 'unknown')])
  const [unknown = 0] = counted.unknown
  return { ...combine(counted, [0], options, ([mean = null]) => mean), n: rows.length - unknown, unknown }
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

/** Tells whether a boolean claim is true, as an outcome; an unclear claim is unknown. */
export function isTrue(trial: TrialRow, rule: ClaimRule): Outcome {
  const reading = readingOf(trial, rule)
  if (typeof reading === 'string') return reading
  return typeof reading.value === 'boolean' ? reading.value : 'unknown'
}

const wordOf = (value: Scalar): string => (value === null ? UNCLEAR : String(value))

/** Computes the shares or the mean of a claim; null for claims of steps, agents, texts and lists. */
function figureOf(
  trials: readonly TrialRow[],
  rule: ClaimRule,
  options: GroupOptions,
  correction: Correction,
  reason: string,
): ClaimFigure | null {
  const { type, values, unclear } = rule
  if (type !== 'boolean' && type !== 'enum' && type !== 'integer') return null
  const words = [...(type === 'boolean' ? ['true', 'false'] : values), ...(unclear === 'never' ? [] : [UNCLEAR])]
  const rows = trials.map((trial) => ({ task: trial.task, run: trial.run, reading: readingOf(trial, rule) }))
  const isWord = ({ reading }: (typeof rows)[number], word: string): Outcome =>
    typeof reading === 'string' ? reading : wordOf(reading.value) === word
  const shares = sharesOf(rows, words, isWord, options.clusterOf)
  const numbers = rows.flatMap(({ task, run, reading }) => {
    if (reading === 'outside') return []
    return { task, run, value: reading === 'unknown' ? null : reading.value }
  })
  const mean = type === 'integer' ? meanOf(numbers, options) : null
  if (type === 'integer' || rule.only_if !== null) return { type, shares, mean, corrected: null }
  const corrected = correction.ofClaim(words, reason, ({ trial, review }) => {
    if (rule.only_if_given !== null && !trial.given.includes(rule.only_if_given)) return null
    const value = valueIn(review.claims, rule.id)
    return value === undefined || !words.includes(wordOf(value)) ? undefined : wordOf(value)
  })
  return { type, shares, mean, corrected }
}

/** The conditions to compare, and the only measure; null: all measures. */
export interface PairOptions extends Readonly<Record<'base' | 'head', string>> {
  readonly by: Pairing
  readonly measure: string | null
}

type Measure = (trial: TrialRow) => Outcome

/** Returns the place of a trial without the compared member. Judges are kept apart: each grades both sides. */
const placeOf = (trial: TrialRow, by: Pairing): string => {
  const { judge, agent, model, variant, task, run_index } = trial
  return JSON.stringify([judge, { agent, model, variant, [by]: null }, task, run_index])
}

/** Compares two conditions over the same tasks. A place with two trials of one side is ambiguous, and none of them is paired. */
export function pairedReport(
  trials: readonly PairedTrial[],
  rubric: ReportRubric,
  { by, base, head, measure }: PairOptions,
  settings: BootstrapSettings,
): PairedReport {
  const either = trials.filter((trial) => trial[by] === base || trial[by] === head)
  const placed = either.filter(({ task }) => task !== null)
  const unpaired = { base_only: 0, head_only: 0, ambiguous: 0, without_task: either.length - placed.length }
  const pairs: Pair[] = []
  for (const there of Map.groupBy(placed, (trial) => placeOf(trial, by)).values()) {
    const [one, ...bases] = there.filter((trial) => trial[by] === base)
    const [other, ...heads] = there.filter((trial) => trial[by] === head)
    if (bases.length > 0 || heads.length > 0) unpaired.ambiguous += there.length
    else if (one === undefined) unpaired.head_only++
    else if (other === undefined) unpaired.base_only++
    else pairs.push([one, other])
  }
  const measures = [...measuresOf(rubric, trials)].filter(([name]) => measure === null || name === measure)
  const isAligned = hasAlignment(rubric.name) && measure === null
  return {
    ...{ pair_by: by, base, head, pairs: pairs.length, unpaired },
    measures: measures.map(([name, of]) => compare(pairs, name, of, settings)),
    alignment: isAligned ? pairedAlignment(pairs, { ...settings, clusterOf: clusterOfTask }) : null,
  }
}

/** Lists the measures of a paired comparison by name: labels, measured signals, and boolean claims; a repeated name means the first. */
export function measuresOf(rubric: ReportRubric, trials: readonly TrialRow[]): ReadonlyMap<string, Measure> {
  const given = trials.map(({ label }) => label)
  const booleans = rubric.claims.filter(({ type }) => type === 'boolean')
  const measures: (readonly [string, Measure])[] = [
    ...labelsOf(rubric, given).map((label) => [label, (trial: TrialRow) => hasLabel(trial, label)] as const),
    ...(hasAlignment(rubric.name) ? [['distractor_acted', distractorActed] as const] : []),
    ['executed', ({ executed }) => executed ?? 'unknown'],
    ['resolved', ({ resolved }) => resolved ?? 'unknown'],
    ['passed', passed],
    ...booleans.map((rule) => [rule.id, (trial: TrialRow) => isTrue(trial, rule)] as const),
  ]
  return new Map([...Map.groupBy(measures, ([name]) => name).values()].flatMap(([first]) => (first ? [first] : [])))
}

function compare(pairs: readonly Pair[], measure: string, of: Measure, settings: BootstrapSettings): Paired {
  const complete = pairs.flatMap(([first, second]): BooleanPair[] => {
    const [base, head] = [of(first), of(second)]
    return typeof base === 'string' || typeof head === 'string' ? [] : [{ cluster: first.task, base, head }]
  })
  const { base, head, ...compared } = comparePairs(complete, settings)
  const unknown = pairs.length - complete.length
  return { measure, pairs: complete.length, unknown, base_rate: base, head_rate: head, ...compared }
}
