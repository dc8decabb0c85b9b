import { describe, expect, test } from 'vitest'
import { requestBoundUsd } from '../../src/asking/margin.ts'
import { addEstimate, estimateQuestion, NO_ESTIMATE } from '../../src/batches/estimate.ts'
import { estimateTokens } from '../../src/domain/money/tokens.ts'
import { createLexicalJudge } from '../../src/judges/lexical/lexical-judge.ts'
import type { JudgeInfo } from '../../src/ports/judge-ports.ts'
import { GOOD, PRICE, questionOf, runSamples, trajectoryOf } from './estimate-run.ts'
import { scriptedJudge } from './harness.ts'

describe('estimateQuestion', () => {
  const short = trajectoryOf(['make release-7f3a', 'built'])
  const estimate = (about: Partial<JudgeInfo>, samples = 1, factor = 1) =>
    estimateQuestion(questionOf(scriptedJudge([], about), short, samples), factor)

  test('one short reading: three rounds at most, of which each is cut off once', () => {
    // Output limit 1000: three times 1000, three times 2000.
    expect(estimate({}).most).toMatchObject({ calls: 6, output: 9000 })
  })

  test('samples multiply the most', () => {
    const [one, five] = [estimate({}).most, estimate({}, 5).most]
    expect(five.calls).toBe(30)
    expect(five.usd).toBeCloseTo(one.usd * 5, 12)
  })

  test('a batch at half the price costs half', () => {
    const [full, half] = [estimate({}), estimate({}, 1, 0.5)]
    expect([half.expected.usd, half.most.usd]).toEqual([full.expected.usd / 2, full.most.usd / 2])
  })

  test('the price says of which day it is', () => {
    expect(estimate({}).price_as_of).toBe('2026-11-01')
    expect(estimate({ price: { ...PRICE, output_per_mtok: 1000 } }).most.usd).toBeGreaterThan(9)
  })

  test('without a price the cost is unknown, the tokens are not', () => {
    const unknown = estimate({ price: null })
    expect(unknown).toMatchObject({ is_priced: false, price_as_of: null })
    expect(unknown.most.input).toEqual(estimate({}).most.input)
  })

  test('expected: the output that this judge’s answers had, and its share of repairs', () => {
    const question = questionOf(scriptedJudge([]), short, 1)
    const assumed = estimateQuestion(question)
    expect(assumed).toMatchObject({
      answers: 0,
      output_tokens_per_call: 2000,
      expected: { calls: 1, output: 2000 },
    })
    const history = { answers: 20, questions: 16, output_tokens: 2400 }
    const { expected, ...known } = estimateQuestion(question, 1, history)
    expect(known).toMatchObject({ answers: 20, output_tokens_per_call: 120 })
    expect(expected).toMatchObject({ calls: 1.25, output: 150, input: assumed.expected.input * 1.25 })
    const again = (assumed.expected.input * 0.25 * PRICE.cache_read_per_mtok) / 1e6
    const once = (assumed.expected.input * PRICE.input_per_mtok) / 1e6
    expect(expected.usd).toBeCloseTo(once + again + (150 * PRICE.output_per_mtok) / 1e6, 12)
    expect(estimateQuestion(question, 0.5, history).expected.usd).toBeCloseTo(expected.usd / 2, 12)
  })

  test('expected is never above the most', () => {
    const question = questionOf(scriptedJudge([]), short, 1)
    const { expected, most } = estimateQuestion(question, 1, { answers: 1, questions: 1, output_tokens: 1e6 })
    expect(expected.output).toBe(most.output)
  })

  test('what fits no window is not asked and costs nothing', () => {
    const long = trajectoryOf(Array.from({ length: 200 }, () => 'drwxr-xr-x 2 root root 4096 Nov 21 lib\n'.repeat(120)))
    const judge = scriptedJudge([], { window_tokens: 11_000, max_output_tokens: 500 })
    const zero = { calls: 0, usd: 0 }
    expect(estimateQuestion(questionOf(judge, long, 2))).toMatchObject({ expected: zero, most: zero })
  })

  test('lexical costs nothing, and that is known', () => {
    const spent = { calls: 2, input: 0, output: 0, usd: 0 }
    expect(estimateQuestion(questionOf(createLexicalJudge(), short, 2))).toEqual({
      ...{ expected: spent, most: spent, is_priced: true, price_as_of: null },
      ...{ output_tokens_per_call: 0, answers: 0 },
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
    expect(requestBoundUsd(judge.info, asked)).toBeCloseTo((tokens * 1.25 + 1000 * 2) / 1e6, 12)
    expect(requestBoundUsd(judge.info, asked, 0.5)).toBeCloseTo((tokens * 1.25 + 1000 * 2) / 2e6, 12)
  })

  test('a longer answer and repairs are reserved for', async () => {
    const asked = await request()
    const bound = requestBoundUsd(judge.info, asked) ?? 0
    const doubled = requestBoundUsd(judge.info, { ...asked, max_output_tokens: 2000 }) ?? 0
    expect(doubled - bound).toBeCloseTo((1000 * PRICE.output_per_mtok) / 1e6, 12)
    const repairs = [{ answer: 'x '.repeat(500), complaint: 'y '.repeat(500) }]
    expect(requestBoundUsd(judge.info, { ...asked, repairs })).toBeGreaterThan(bound)
  })

  test('unknown without a price, nothing for lexical', async () => {
    const asked = await request()
    expect(requestBoundUsd({ ...judge.info, price: null }, asked)).toBeNull()
    expect(requestBoundUsd(createLexicalJudge().info, asked)).toBe(0)
  })
})

describe('addEstimate', () => {
  const figures = (expected: number, most: number) => ({ expected, most })
  const one = {
    expected: { calls: 1, input: 50, output: 400, usd: 0.5 },
    most: { calls: 6, input: 100, output: 9000, usd: 2 },
    ...{ is_priced: true, output_tokens_per_call: 400, answers: 7, price_as_of: '2026-11-01' },
  }

  test('adds items by judge; stored grades cost nothing', () => {
    const total = [one, 'stored' as const, one, 'equal' as const].reduce(
      (sum, item) => addEstimate(sum, 'a', item),
      NO_ESTIMATE,
    )
    expect(addEstimate(total, 'b', { ...one, price_as_of: null })).toEqual({
      items: 5,
      cached: 2,
      equal: 1,
      to_grade: 3,
      calls: figures(3, 18),
      input_tokens: figures(150, 300),
      output_tokens: figures(1200, 27_000),
      cost_usd: figures(1.5, 6),
      judges: [
        { judge: 'a', items: 2, price_as_of: '2026-11-01', output_tokens_per_call: 400, answers: 7 },
        { judge: 'b', items: 1, price_as_of: null, output_tokens_per_call: 400, answers: 7 },
      ],
    })
    expect(NO_ESTIMATE.items).toBe(0)
  })

  test('one unknown cost makes that of the batch unknown, for good', () => {
    const unknown = addEstimate(addEstimate(NO_ESTIMATE, 'a', { ...one, is_priced: false }), 'a', one)
    expect(unknown.cost_usd).toBeNull()
    expect(unknown.input_tokens).toEqual(figures(100, 200))
  })
})
