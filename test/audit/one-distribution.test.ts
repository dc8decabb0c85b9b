import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type ReportRubric, settleReviews } from '../../src/audit/report/rows.ts'
import { claimsOfOutcome } from '../../src/domain/rubric/claims.ts'
import type { SamplingDesign } from '../../src/schemas/review.ts'
import { makeReview as storedReview } from './make-question.ts'
import { makeInput, makeOptions, makeTrial, reportOf, TAB, times } from './make-trial.ts'

const IDS = ['seen', 'acted', 'said']
const ROWS = times(8, (row) => Object.fromEntries(IDS.map((id, bit) => [id, (row & (1 << bit)) > 0])))

/** Makes a rubric with a total table of three boolean claims: row i has the label `of[i]`. */
function makeRubric(of: readonly string[]): ReportRubric {
  const claims = TAB.claims.slice(0, 1).flatMap((claim) => IDS.map((id) => ({ ...claim, id, proofs: {} })))
  const rows = ROWS.map((when, row) => ({ when, label: of[row] ?? '' }))
  return {
    name: 'any@1',
    claims,
    outcome: { kind: 'table', scale: 'nominal', labels: [...new Set(of)], rows, claims: IDS },
  }
}

const anyTrial = fc.record({ judge: fc.nat(7), human: fc.nat(7), task: fc.nat(12), p: fc.constantFrom(0.2, 0.7) })
const of = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 8, maxLength: 8 }),
  fc.constantFrom([...'abacabad'], [...'aabbaabb'], [...'aaaabbcd']),
)
const anyDesign = fc.constantFrom<SamplingDesign>('random', 'stratified', 'disagreement')
const reviewed = fc.array(anyTrial, { minLength: 6, maxLength: 40 })

test('no report contradicts the outcome table of its rubric', () => {
  let intervals = 0
  const property = fc.property(
    of,
    anyDesign,
    reviewed,
    fc.array(anyTrial, { maxLength: 60 }),
    (of, design, own, others) => {
      const rubric = makeRubric(of)
      const trials = [...own, ...others].map(({ judge, human, task, p }, index) => {
        const sampling = { design, ...(design === 'disagreement' && { probability: p }) }
        const review = storedReview({ label: of[human] ?? '', claims: ROWS[human] ?? {}, sampling })
        const settled = index < own.length ? settleReviews([review], rubric, review.grade_id) : null
        return makeTrial({ task: `t${task}`, label: of[judge] ?? '', claims: ROWS[judge] ?? {}, review: settled })
      })
      const { overall } = reportOf(makeInput(trials, { rubric }), makeOptions({ draws: 100 }))
      for (const { id } of rubric.claims)
        for (const value of [true, false]) {
          const claim = overall?.claims[id]
          const labelsOf = (wanted: boolean) =>
            rubric.outcome.labels.filter((one) => claimsOfOutcome(rubric, one)[id] === wanted)
          const [having, lacking] = [labelsOf(value), labelsOf(!value)]
          const share = claim?.corrected?.shares[String(value)]
          const sum = (labels: readonly string[]) =>
            labels.reduce((all, label) => all + (overall?.corrected.shares[label]?.value ?? 0), 0)
          const counted = having.reduce((all, label) => all + (overall?.shares[label]?.k ?? 0), 0)
          expect(claim?.shares[String(value)]?.k).toBeGreaterThanOrEqual(counted)
          expect(share?.value === null).toBe(overall?.corrected.estimator === null)
          if (share?.value == null) continue
          expect(share.value).toBeGreaterThanOrEqual(sum(having) - 1e-9)
          expect(share.value).toBeLessThanOrEqual(1 - sum(lacking) + 1e-9)
          if (having.length !== 1 || having.length + lacking.length < rubric.outcome.labels.length) continue
          const limits = overall?.corrected.shares[having[0] ?? '']?.ci95?.map((limit) => expect.closeTo(limit, 9))
          expect(share.ci95, `${id} is ${value} in ${having} alone`).toEqual(limits ?? null)
          intervals++
        }
    },
  )
  fc.assert(property, { numRuns: 200 })
  expect(intervals).toBeGreaterThan(10)
})
