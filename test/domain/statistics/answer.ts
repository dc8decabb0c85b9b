import { expect } from 'vitest'
import { agreement } from '../../../src/domain/statistics/agreement.ts'
import { seededRandom } from '../../../src/domain/statistics/bootstrap.ts'
import { type Agreement, type AgreementRequest, AgreementSchema, type Rating } from '../../../src/schemas/agreement.ts'
import { schemaIssues } from '../../../src/schemas/check.ts'

/** The answer to a request that is in order, checked against the response schema. */
export function answer(request: AgreementRequest): Agreement {
  const result = agreement(request)
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  expect(schemaIssues(AgreementSchema, result.value)).toEqual([])
  return result.value
}

/** A true label of five for each item; a rater knows it in `skill` of 1000 cases and else guesses. α is then (skill / 1000)². */
export function simulated(
  seed: number,
  items: number,
  raters: number,
  skill: number,
  clusterOf?: (item: number) => string,
) {
  const random = seededRandom(seed)
  const ratings: Rating[] = []
  for (let item = 0; item < items; item++) {
    const truth = random.below(5)
    for (let rater = 0; rater < raters; rater++) {
      const label = `label ${random.below(1000) < skill ? truth : random.below(5)}`
      const cluster = clusterOf?.(item)
      ratings.push({ item: `${item}`, rater: `${rater}`, label, ...(cluster !== undefined && { cluster }) })
    }
  }
  return ratings
}
