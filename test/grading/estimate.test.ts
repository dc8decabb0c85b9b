import { describe, expect, test } from 'vitest'
import { estimateQuestion } from '../../src/batches/estimate.ts'
import { estimateTokens } from '../../src/domain/money.ts'
import { budgetExceeded } from '../../src/grading/ask.ts'
import { boundOfCall } from '../../src/grading/money.ts'
import type { JudgeInfo } from '../../src/judges/judge.ts'
import { createLexicalJudge } from '../../src/judges/lexical/lexical-judge.ts'
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

  test('the price counts', () => {
    expect(estimate({ price: { ...PRICE, output_per_mtok: 1000 } }).most.usd).toBeGreaterThan(9)
  })

  test('without a price the cost is unknown, the tokens are not', () => {
    const unknown = estimate({ price: null })
    expect([unknown.expected.usd, unknown.most.usd]).toEqual([Number.NaN, Number.NaN])
    expect(unknown.most.input).toEqual(estimate({}).most.input)
  })

  test('expected: the output that this judge’s answers had, and its share of repairs', () => {
    const question = questionOf(scriptedJudge([]), short, 1)
    const assumed = estimateQuestion(question)
    expect(assumed).toMatchObject({ expected: { calls: 1, output: 2000 } })
    const history = { answers: 20, questions: 16, output_tokens: 2400 }
    const { expected } = estimateQuestion(question, 1, history)
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
    const unpriced = scriptedJudge([], { window_tokens: 11_000, max_output_tokens: 500, price: null })
    expect(estimateQuestion(questionOf(unpriced, long, 2))).toMatchObject({ expected: zero, most: zero })
  })

  test('lexical costs nothing, and that is known', () => {
    const spent = { calls: 2, input: 0, output: 0, usd: 0 }
    expect(estimateQuestion(questionOf(createLexicalJudge(), short, 2))).toEqual({ expected: spent, most: spent })
  })
})

describe('boundOfCall', () => {
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
    expect(boundOfCall(judge.info, asked)).toBeCloseTo((tokens * 1.25 + 1000 * 2) / 1e6, 12)
    expect(boundOfCall(judge.info, asked, 0.5)).toBeCloseTo((tokens * 1.25 + 1000 * 2) / 2e6, 12)
  })

  test('a longer answer and repairs are reserved for', async () => {
    const asked = await request()
    const bound = boundOfCall(judge.info, asked) ?? 0
    const doubled = boundOfCall(judge.info, { ...asked, max_output_tokens: 2000 }) ?? 0
    expect(doubled - bound).toBeCloseTo((1000 * PRICE.output_per_mtok) / 1e6, 12)
    const repairs = [{ answer: 'x '.repeat(500), complaint: 'y '.repeat(500) }]
    expect(boundOfCall(judge.info, { ...asked, repairs })).toBeGreaterThan(bound)
  })

  test('unknown without a price, nothing for lexical', async () => {
    const asked = await request()
    expect(boundOfCall({ ...judge.info, price: null }, asked)).toBeNull()
    expect(boundOfCall(createLexicalJudge().info, asked)).toBe(0)
  })
})

const OVER = { cap: 'batch', cap_usd: 1, spent_usd: 0.9, reserved_usd: 0 } as const

test('a refused call waits while anything is reserved, whatever is left', () => {
  for (const spent_usd of [0.9, 1])
    expect(budgetExceeded({ ...OVER, spent_usd, reserved_usd: 0.1 }, 0.2)).toMatchObject({
      failure: { code: 'budget_exceeded', retryable: true },
    })
})

test('a call that does not fit is refused where nothing is reserved', () => {
  expect(budgetExceeded(OVER, 0.2)).toMatchObject({ failure: { code: 'budget_exceeded', retryable: false } })
})

test('without a price no cap holds, and nothing comes back', () => {
  expect(budgetExceeded({ ...OVER, reserved_usd: 0.5 }, null)).toMatchObject({
    failure: { code: 'budget_exceeded', retryable: false },
  })
})
