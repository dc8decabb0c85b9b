import { describe, expect, test } from 'vitest'
import { requestBoundUsd } from '../../src/asking/margin.ts'
import { addEstimates, estimateQuestion, NO_ESTIMATE } from '../../src/batches/estimate/estimate.ts'
import { estimateTokens } from '../../src/domain/money/tokens.ts'
import { createLexicalJudge } from '../../src/judges/lexical/lexical-judge.ts'
import type { JudgeInfo } from '../../src/ports/judge-ports.ts'
import { GOOD, PRICE, questionOf, runSamples, TODAY, trajectoryOf } from './estimate-run.ts'
import { scriptedJudge } from './harness.ts'

describe('estimateQuestion', () => {
  const short = trajectoryOf(['make release-7f3a', 'built'])
  const estimate = (about: Partial<JudgeInfo>, samples = 1, factor = 1) =>
    estimateQuestion(questionOf(scriptedJudge([], about), short, samples), TODAY, factor)

  test('one short reading: one call, or three rounds of which each is cut off once', () => {
    expect(estimate({}).calls).toEqual({ min: 1, max: 6 })
    // Output limit 1000: three times 1000, three times 2000.
    expect(estimate({}).output_tokens).toEqual({ min: 40, max: 9000 })
  })

  test('samples multiply the most; the least reads them from the cache', () => {
    const one = estimate({})
    const five = estimate({}, 5)
    expect(five.calls).toEqual({ min: 5, max: 30 })
    expect(five.cost_usd?.max).toBeCloseTo((one.cost_usd?.max ?? 0) * 5, 12)
    expect(five.input_tokens.min).toBe(one.input_tokens.min * 5)
    const input = (one.input_tokens.min * 4 * PRICE.cache_read_per_mtok + 4 * 40 * PRICE.output_per_mtok) / 1e6
    expect(five.cost_usd?.min).toBeCloseTo((one.cost_usd?.min ?? 0) + input, 12)
  })

  test('a batch at half the price costs half', () => {
    const full = estimate({}).cost_usd
    expect(estimate({}, 1, 0.5).cost_usd).toEqual({ min: (full?.min ?? 0) / 2, max: (full?.max ?? 0) / 2 })
  })

  test('the price of the day counts, and says of which day it is', () => {
    const later = { ...PRICE, output_per_mtok: 1000, as_of: '2026-11-20', valid_from: '2027-01-01' }
    const question = questionOf(scriptedJudge([], { prices: [PRICE, later] }), short, 1)
    expect(estimateQuestion(question, TODAY).price_as_of).toBe('2026-11-01')
    expect(estimateQuestion(question, new Date('2027-01-01')).price_as_of).toBe('2026-11-20')
    expect(estimateQuestion(question, new Date('2027-01-01')).cost_usd?.max).toBeGreaterThan(9)
  })

  test('without a price the cost is unknown, the tokens are not', () => {
    const unknown = estimate({ prices: [] })
    expect(unknown).toMatchObject({ cost_usd: null, price_as_of: null })
    expect(unknown.input_tokens).toEqual(estimate({}).input_tokens)
  })

  test('what is likely: the output that this judge’s answers had, and its share of repairs', () => {
    const question = questionOf(scriptedJudge([]), short, 1)
    const assumed = estimateQuestion(question, TODAY)
    expect(assumed).toMatchObject({
      answers: 0,
      output_tokens_per_call: 2000,
      likely: { calls: 1, output_tokens: 2000 },
    })
    const history = { answers: 20, questions: 16, output_tokens: 2400, longest: 300 }
    const { likely, ...known } = estimateQuestion(question, TODAY, 1, history)
    expect(known).toMatchObject({ answers: 20, output_tokens_per_call: 120 })
    expect(likely).toMatchObject({ calls: 1.25, output_tokens: 150, input_tokens: assumed.likely.input_tokens * 1.25 })
    const again = (assumed.likely.input_tokens * 0.25 * PRICE.cache_read_per_mtok) / 1e6
    const once = (assumed.likely.input_tokens * PRICE.input_per_mtok) / 1e6
    expect(likely.cost_usd).toBeCloseTo(once + again + (150 * PRICE.output_per_mtok) / 1e6, 12)
    expect(estimateQuestion(question, TODAY, 0.5, history).likely.cost_usd).toBeCloseTo((likely.cost_usd ?? 0) / 2, 12)
    expect(estimate({ prices: [] }).likely.cost_usd).toBeNull()
  })

  test('what is likely is never below the least nor above the most', () => {
    const question = questionOf(scriptedJudge([]), short, 1)
    for (const [each, at] of [
      [1, 'min'],
      [1e6, 'max'],
    ] as const) {
      const { likely, output_tokens } = estimateQuestion(question, TODAY, 1, {
        answers: 1,
        questions: 1,
        output_tokens: each,
        longest: each,
      })
      expect(likely.output_tokens).toBe(output_tokens[at])
    }
  })

  test('what fits no window is not asked and costs nothing', () => {
    const long = trajectoryOf(Array.from({ length: 200 }, () => 'drwxr-xr-x 2 root root 4096 Nov 21 lib\n'.repeat(120)))
    const judge = scriptedJudge([], { window_tokens: 11_000, max_output_tokens: 500 })
    const zero = { min: 0, max: 0 }
    expect(estimateQuestion(questionOf(judge, long, 2), TODAY)).toMatchObject({ calls: zero, cost_usd: zero })
  })

  test('lexical costs nothing, and that is known', () => {
    const zero = { min: 0, max: 0 }
    expect(estimateQuestion(questionOf(createLexicalJudge(), short, 2), TODAY)).toEqual({
      calls: { min: 2, max: 2 },
      input_tokens: zero,
      output_tokens: zero,
      cost_usd: zero,
      likely: { calls: 2, input_tokens: 0, output_tokens: 0, cost_usd: 0 },
      output_tokens_per_call: 0,
      answers: 0,
      price_as_of: null,
    })
  })
})

describe('requestBoundUsd', () => {
  const judge = scriptedJudge([GOOD])
  const request = async () => {
    const used = await runSamples(questionOf(judge, trajectoryOf(['ls'.repeat(50)]), 1))
    const [first] = used.asked
    if (first === undefined) throw new Error('nothing was asked')
    return first.request
  }

  test('by hand: everything sent, the margin, the dearest input, the output limit', async () => {
    const asked = await request()
    const sent = [asked.system, asked.trajectory, asked.question, JSON.stringify(asked.answer_schema)]
    const tokens = Math.ceil(sent.reduce((sum, text) => sum + estimateTokens(text), 0) * 1.25) + 500
    expect(requestBoundUsd(judge.info, asked, TODAY)).toBeCloseTo((tokens * 1.25 + 1000 * 2) / 1e6, 12)
    expect(requestBoundUsd(judge.info, asked, TODAY, 0.5)).toBeCloseTo((tokens * 1.25 + 1000 * 2) / 2e6, 12)
  })

  test('a longer answer and repairs are reserved for', async () => {
    const asked = await request()
    const bound = requestBoundUsd(judge.info, asked, TODAY) ?? 0
    const doubled = requestBoundUsd(judge.info, { ...asked, max_output_tokens: 2000 }, TODAY) ?? 0
    expect(doubled - bound).toBeCloseTo((1000 * PRICE.output_per_mtok) / 1e6, 12)
    const repairs = [{ answer: 'x '.repeat(500), complaint: 'y '.repeat(500) }]
    expect(requestBoundUsd(judge.info, { ...asked, repairs }, TODAY)).toBeGreaterThan(bound)
  })

  test('unknown without a price, nothing for lexical', async () => {
    const asked = await request()
    expect(requestBoundUsd({ ...judge.info, prices: [] }, asked, TODAY)).toBeNull()
    const tomorrow = [{ ...PRICE, valid_from: '2026-11-22' }]
    expect(requestBoundUsd({ ...judge.info, prices: tomorrow }, asked, TODAY)).toBeNull()
    expect(requestBoundUsd(createLexicalJudge().info, asked, TODAY)).toBe(0)
  })
})

describe('addEstimates', () => {
  const range = (min: number, max: number) => ({ min, max })
  const one = {
    calls: range(1, 6),
    input_tokens: range(10, 100),
    output_tokens: range(40, 9000),
    cost_usd: range(0.25, 2),
    likely: { calls: 1, input_tokens: 50, output_tokens: 400, cost_usd: 0.5 },
    ...{ output_tokens_per_call: 400, answers: 7, price_as_of: '2026-11-01' },
  }

  test('adds items by judge; stored grades cost nothing', () => {
    const total = [one, 'stored' as const, one, 'equal' as const].reduce(
      (sum, item) => addEstimates(sum, 'a', item),
      NO_ESTIMATE,
    )
    expect(addEstimates(total, 'b', { ...one, price_as_of: null })).toEqual({
      items: 5,
      cached: 2,
      equal: 1,
      to_grade: 3,
      calls: range(3, 18),
      input_tokens: range(30, 300),
      output_tokens: range(120, 27_000),
      cost_usd: range(0.75, 6),
      likely: { calls: 3, input_tokens: 150, output_tokens: 1200, cost_usd: 1.5 },
      judges: [
        { judge: 'a', items: 2, price_as_of: '2026-11-01', output_tokens_per_call: 400, answers: 7 },
        { judge: 'b', items: 1, price_as_of: null, output_tokens_per_call: 400, answers: 7 },
      ],
    })
    expect(NO_ESTIMATE.items).toBe(0)
  })

  test('one unknown cost makes that of the batch unknown, for good', () => {
    const unpriced = { ...one, cost_usd: null, likely: { ...one.likely, cost_usd: null } }
    const unknown = addEstimates(addEstimates(NO_ESTIMATE, 'a', unpriced), 'a', one)
    expect([unknown.cost_usd, unknown.likely.cost_usd]).toEqual([null, null])
    expect(unknown.input_tokens).toEqual(range(20, 200))
  })
})
