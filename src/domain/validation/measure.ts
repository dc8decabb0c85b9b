import type { Measure, Share } from '../../schemas/audit/certificate.ts'
import type { ClaimType } from '../../schemas/rubric.ts'
import type { ClaimValue } from '../rubric/rubric.ts'
import { agreement } from '../statistics/agreement/agreement.ts'
import { rateOf, tally } from '../statistics/clustered-rates.ts'

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

/** Returns the judge's proved answer; null without one. Only a grade with a verdict counts. */
export function provedAnswer({ status, claimed }: JudgedItem, question: string): Answer | null {
  const answer = status === 'graded' ? (claimed[question] ?? null) : null
  return typeof answer === 'object' ? null : answer
}

export const isRight = (item: JudgedItem, question: string): boolean => {
  const proved = provedAnswer(item, question)
  return proved !== null && proved === item.human[question]
}

/** Returns the share of items that fit, with the interval of `rateOf`. */
export function shareOf<T extends Pick<JudgedItem, 'cluster'>>(items: readonly T[], fits: (item: T) => boolean): Share {
  const { k, n, value, ci95 } = rateOf(tally(items, ({ cluster }) => cluster, [fits]))
  return { n, count: k, share: value, ci95 }
}

/** Returns the measures of a question: of all items, then of each group, where the items have several. */
export function measuresOf(question: Question, items: readonly JudgedItem[]): Measure[] {
  const answered = items.filter(({ human }) => human[question.id] !== undefined)
  const groups = [...new Set(answered.flatMap(({ group }) => group ?? []))].sort()
  const parts = groups.length > 1 ? groups : []
  return [null, ...parts].map((group) => measure(question, answered, group))
}

function measure(question: Question, answered: readonly JudgedItem[], group: string | null): Measure {
  const { id } = question
  const items = answered.filter((item) => group === null || item.group === group)
  const right = (item: JudgedItem) => isRight(item, id)
  const graded = items.filter((item) => provedAnswer(item, id) !== null)
  const refused = items.filter(({ status, claimed, human }) => status === 'unverified' && claimed[id] === human[id])
  return {
    group,
    right: shareOf(items, right),
    right_of_graded: shareOf(graded, right),
    refused_right: refused.length,
    majority: majorityOf(id, items),
    ...coefficientsOf(question, graded),
  }
}

function majorityOf(id: string, items: readonly JudgedItem[]): Measure['majority'] {
  const counts = Map.groupBy(items, ({ human }) => human[id])
  const [[value] = []] = [...counts].sort(([, a], [, b]) => b.length - a.length)
  return value === undefined
    ? null
    : { value: String(value), right: shareOf(items, ({ human }) => human[id] === value) }
}

/** Measures the agreement beyond chance of the items with a verdict; null for questions without a closed list of answers. */
function coefficientsOf({ id, values }: Question, graded: readonly JudgedItem[]) {
  const ratings = graded.flatMap((item, index) => {
    const common = { item: String(index), ...(item.cluster !== null && { cluster: item.cluster }) }
    return [
      { ...common, rater: 'human', label: String(item.human[id]) },
      { ...common, rater: 'judge', label: String(provedAnswer(item, id)) },
    ]
  })
  const measured = values.length === 0 ? null : agreement({ ratings, labels: [...values] })
  if (!measured?.ok) return { cohen_kappa: null, gwet_ac1: null }
  const { cohen_kappa, gwet_ac1 } = measured.value
  return { cohen_kappa, gwet_ac1 }
}
