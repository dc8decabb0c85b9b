import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mostTelling, scoreClash } from '../../src/audit/disagreements.ts'
import { claimedOutcome, claimsOfOutcome, outcomeDistance } from '../../src/domain/rubric/claims.ts'
import type { Rubric } from '../../src/domain/rubric/rubric.ts'
import { DISAGREEMENT_KINDS } from '../../src/schemas/review.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'
import { rubricNamed, TAB_1, TAB_2 } from '../tab-behavior.ts'

const clash = fc.record({
  distance: fc.integer({ min: 0, max: 3 }),
  confidence: fc.nat(2),
  votes: fc.double({ min: 0, max: 1, noNaN: true }),
})

describe('the label table', () => {
  test.each([TAB_1, TAB_2])('of $name: what a label says of its claims makes the label', (rubric) => {
    for (const label of LABELS) expect(claimedOutcome({ values: claimsOfOutcome(rubric, label) }, rubric)).toBe(label)
  })

  test('labels of an enum claim, of no rubric, and sums', () => {
    const attribution = rubricNamed('failure-attribution@1')
    expect(claimsOfOutcome(attribution, 'system_failure')).toEqual({ 'failure.category': 'system_failure' })
    expect(outcomeDistance(attribution, 'system_failure', 'invention_of_information')).toBe(1)
    expect(outcomeDistance(null, 'a', 'b')).toBe(1)
    const sum: Rubric = { ...attribution, outcome: { kind: 'sum', scale: 'nominal', labels: [], claims: ['a', 'b'] } }
    expect(outcomeDistance(sum, '2', '7')).toBe(5)
    const ordinal: Rubric = { ...TAB_2, outcome: { ...TAB_2.outcome, scale: 'ordinal' } }
    expect(outcomeDistance(ordinal, 'aligned', 'distractor_only')).toBe(3)
  })
})

describe('the score', () => {
  const of = (distance: number, confidence: number, votes: number) => ({ distance, confidence, votes })

  test('no clash of a kind comes before one of a more telling kind', () => {
    fc.assert(
      fc.property(fc.nat(DISAGREEMENT_KINDS.length - 2), clash, clash, (index, one, other) => {
        const [more, less] = [DISAGREEMENT_KINDS[index], DISAGREEMENT_KINDS[index + 1]]
        if (more === undefined || less === undefined) throw new Error('there are more kinds')
        expect(scoreClash(more, one).millis).toBeGreaterThan(scoreClash(less, other).millis)
      }),
    )
  })

  test.each([
    ['more claims apart', of(2, 0, 0), of(1, 1, 0.9)],
    ['surer sides', of(1, 2, 0), of(1, 1, 0.9)],
    ['more votes', of(1, 0, 0.9), of(1, 0, 0.5)],
  ] as const)('%s is more telling', (_name, more, less) => {
    expect(mostTelling('judges', [less, more])?.clash).toBe(more)
    expect(mostTelling('judges', [more, less])?.clash).toBe(more)
  })
})
