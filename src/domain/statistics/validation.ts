import type { Measure, Share } from '../../schemas/documents.ts'
import type { ClaimType } from '../../schemas/rubric.ts'
import type { ClaimValue } from '../rubric/rubric.ts'
import { agreement } from './agreement.ts'
import { rateOf, tally } from './rates.ts'

/** A question that people and the judge answered: the outcome of the rubric (`outcome`), or a claim by its id. */
export interface Question {
  readonly id: string
  /** Entries of lists are not compared. */
  readonly type: Exclude<ClaimType, 'list'>
  /** The possible answers, where they are a closed list; else empty. */
  readonly values: readonly string[]
}

export type Answer = boolean | string | number

/** A labelled run with the judge's answers. */
export interface JudgedItem {
  readonly item: string
  readonly group: string | null
  /** Items of one cluster are not independent; null: the item has no cluster. */
  readonly cluster: string | null
  readonly status: 'graded' | 'unverified' | 'failed' | 'cancelled'
  /** The answers of people, by question. */
  readonly human: Readonly<Record<string, Answer>>
  /** The judge's answers, proved or not, by question. */
  readonly claimed: Readonly<Record<string, ClaimValue>>
  readonly confidence: 'low' | 'medium' | 'high' | null
}

/** Compares the answers of people to a question with the proved answers of the judge. Only a grade with a verdict proves an answer. */
export const answersTo = (id: string, items: readonly JudgedItem[]) =>
  items.flatMap(({ status, claimed, human: { [id]: human }, group, cluster, confidence }) => {
    if (human === undefined) return []
    const answer = claimed[id] ?? null
    const judge = status === 'graded' && typeof answer !== 'object' ? answer : null
    const isRefused = status === 'unverified' && answer === human
    return [{ group, cluster, confidence, human, judge, right: judge === human, isRefused }]
  })
type Answers = ReturnType<typeof answersTo>

/** Returns the share of items that fit, with the interval of `rateOf`. */
export function shareOf<T extends Pick<JudgedItem, 'cluster'>>(items: readonly T[], fits: (item: T) => boolean): Share {
  const { k, n, value, ci95 } = rateOf(tally(items, ({ cluster }) => cluster, [fits]))
  return { n, count: k, share: value, ci95 }
}

/** Returns the measures of a question: of all items, then of each group, where the items have several. */
export function measuresOf(question: Question, items: readonly JudgedItem[]): Measure[] {
  const answers = answersTo(question.id, items)
  const groups = [...new Set(answers.flatMap(({ group }) => group ?? []))].sort()
  return [null, ...(groups.length > 1 ? groups : [])].map((group) => {
    const some = answers.filter((answer) => group === null || answer.group === group)
    const graded = some.filter(({ judge }) => judge !== null)
    return {
      group,
      right: shareOf(some, ({ right }) => right),
      right_of_graded: shareOf(graded, ({ right }) => right),
      refused_right: some.filter(({ isRefused }) => isRefused).length,
      majority: majorityOf(some),
      ...coefficientsOf(question, graded),
    }
  })
}

function majorityOf(answers: Answers): Measure['majority'] {
  const counts = Map.groupBy(answers, ({ human }) => human)
  const [[value] = []] = [...counts].sort(([, a], [, b]) => b.length - a.length)
  return value === undefined ? null : { value: String(value), right: shareOf(answers, ({ human }) => human === value) }
}

/** Measures the agreement beyond chance of the items with a verdict; null for questions without a closed list of answers. */
function coefficientsOf({ values }: Question, graded: Answers) {
  const ratings = graded.flatMap(({ cluster, human, judge }, index) => {
    const common = { item: String(index), ...(cluster !== null && { cluster }) }
    return [
      { ...common, rater: 'human', label: String(human) },
      { ...common, rater: 'judge', label: String(judge) },
    ]
  })
  const measured = values.length === 0 ? null : agreement({ ratings, labels: [...values] })
  if (!measured?.ok) return { cohen_kappa: null, gwet_ac1: null }
  const { cohen_kappa, gwet_ac1 } = measured.value
  return { cohen_kappa, gwet_ac1 }
}
