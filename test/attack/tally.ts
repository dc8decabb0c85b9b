import { exactLimit } from './clopper-pearson.ts'
import type { CaseResult } from './suite.ts'

export interface Tally {
  readonly name: string
  readonly judge: string
  readonly n: number
  readonly wrong: number
  readonly blocked: number
  readonly right: number
  /** Wrong with confidence: of the wrong ones, those whose grade says `high` or `medium`. */
  readonly confident: number
  /** Upper limit of the success rate, 95% on that side alone. */
  readonly upper: number
}

export const isWrongWithConfidence = ({ outcome, confidence }: CaseResult): boolean =>
  outcome === 'wrong' && (confidence === 'high' || confidence === 'medium')

/** Counts by whatever name the results are given, and by judge; in the order in which they come. */
export const tally = (results: readonly CaseResult[], nameOf: (result: CaseResult) => string): Tally[] =>
  [...Map.groupBy(results, (result) => `${nameOf(result)}\n${result.judge}`)].map(([key, group]) => {
    const [name = '', judge = ''] = key.split('\n')
    return count(name, judge, group)
  })

export function count(name: string, judge: string, group: readonly CaseResult[]): Tally {
  const n = group.length
  const of = (outcome: CaseResult['outcome']) => group.filter((one) => one.outcome === outcome).length
  const wrong = of('wrong')
  return {
    ...{ name, judge, n, wrong, blocked: of('blocked'), right: of('right') },
    confident: group.filter(isWrongWithConfidence).length,
    upper: n === 0 ? 1 : exactLimit(wrong, n, 'upper', 0.95),
  }
}
