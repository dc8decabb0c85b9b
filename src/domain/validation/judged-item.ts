import type { ClaimType } from '../../schemas/rubric.ts'
import type { ClaimValue } from '../rubric/rubric.ts'

/** One question that people and the judge answered: the outcome of the rubric, or one of its claims. */
export interface Question {
  /** `outcome`, or the id of a claim. */
  readonly id: string
  /** Lists are not compared: which of their entries are the same is another question. */
  readonly type: Exclude<ClaimType, 'list'>
  /** What can be answered, where that is a closed list; else empty. */
  readonly values: readonly string[]
}

/** A labelled run and what came of it. */
export interface JudgedItem {
  readonly item: string
  readonly group: string | null
  /** Items of one cluster are not independent; null: of none. */
  readonly cluster: string | null
  readonly status: 'graded' | 'unverified' | 'failed' | 'cancelled'
  /** By question; one that people did not answer is absent. */
  readonly human: Readonly<Record<string, Answer>>
  /** What the judge claims, whether or not it is proved; one that it did not answer is absent. */
  readonly claimed: Readonly<Record<string, ClaimValue>>
  readonly confidence: 'low' | 'medium' | 'high' | null
  /** Ids of the run's steps, and names of its agents; null: the run was not read. */
  readonly steps: readonly number[] | null
  readonly agents: readonly string[] | null
}

export type Answer = boolean | string | number

/** What the judge answered and proved; null: nothing. Only a grade with a verdict counts. */
export function provedAnswer({ status, claimed }: JudgedItem, question: string): Answer | null {
  const said = status === 'graded' ? (claimed[question] ?? null) : null
  return typeof said === 'object' ? null : said
}

export const isRight = (item: JudgedItem, question: string): boolean => {
  const proved = provedAnswer(item, question)
  return proved !== null && proved === item.human[question]
}
