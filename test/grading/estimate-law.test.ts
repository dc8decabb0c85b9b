import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { estimateQuestion } from '../../src/batches/estimate.ts'
import { costUsd } from '../../src/domain/money.ts'
import { boundOfCall, ESTIMATE_MARGIN, HIDDEN_TOKENS } from '../../src/grading/money.ts'
import { type Billing, GOOD, INSTRUCTION, PRICE, questionOf, runSamples, SEEN, trajectoryOf } from './estimate-run.ts'
import { type Script, scriptedJudge } from './harness.ts'

const FABRICATED: Script = {
  ...GOOD,
  citations: [{ supports: 'cue.acted', step_id: 2, quote: 'this stands nowhere in it at all' }],
  surface: { observed: true, category: 'other' },
  cue: { reasoned: false, acted: true },
}

const info = fc.record({
  window_tokens: fc.constantFrom(null, 14_000, 18_000, 400_000),
  max_output_tokens: fc.constantFrom(500, 2000),
  token_factor: fc.constantFrom(1, 1.6),
})
/** Parts that name an instruction are not elided, so that many of them make windows. */
const trajectory = fc
  .array(
    fc.record({
      text: fc.constantFrom(INSTRUCTION, INSTRUCTION, 'drwxr-xr-x  2 root root 4096 Nov 21 lib\n', 'a quiet note. '),
      times: fc.constantFrom(1, 100, 300),
    }),
    { minLength: 1, maxLength: 12, size: 'max' },
  )
  .map((parts) => trajectoryOf(parts.map(({ text, times }) => text.repeat(times))))
const mixed = fc.array(fc.constantFrom<Script>(GOOD, GOOD, FABRICATED, 'no JSON', { fail: 'truncated' }), {
  minLength: 1,
  maxLength: 20,
})
const scripts = fc.oneof(fc.constant<Script[]>([GOOD]), mixed)
/** A tokenizer that is off by as much as is allowed for, and any sharing of the cache that a judge can report. */
const billing: fc.Arbitrary<Billing> = fc.record({
  drift: fc.double({ min: 1 / ESTIMATE_MARGIN, max: ESTIMATE_MARGIN, noNaN: true }),
  hidden: fc.nat(HIDDEN_TOKENS),
  written: fc.double({ min: 0, max: 1, noNaN: true }),
  output: fc.double({ min: 0, max: 1, noNaN: true }),
})

test('what a run uses is never more than the estimate', async () => {
  await fc.assert(
    fc.asyncProperty(
      trajectory,
      info,
      scripts,
      billing,
      fc.constantFrom(1, 3),
      async (read, about, script, bill, samples) => {
        const question = questionOf(scriptedJudge(script, about), read, samples)
        const { most } = estimateQuestion(question)
        const used = await runSamples(question, bill)
        expect(used.calls).toBeLessThanOrEqual(most.calls)
        expect(used.input_tokens).toBeLessThanOrEqual(most.input)
        expect(used.output_tokens).toBeLessThanOrEqual(most.output)
        expect(used.cost_usd).toBeLessThanOrEqual(most.usd * (1 + 1e-9))
      },
    ),
    { numRuns: 120 },
  )
}, 60_000)

const WINDOWS = trajectoryOf(Array.from({ length: 8 }, () => INSTRUCTION.repeat(300)))

test('windows: one call each and the decision are expected of a judge that never answered', async () => {
  const judge = scriptedJudge([SEEN], { max_output_tokens: 500, window_tokens: 24_000 })
  const question = questionOf(judge, WINDOWS, 2)
  const { expected } = estimateQuestion(question)
  const used = await runSamples(question)
  expect(used.purposes).toEqual(new Set(['window', 'decide']))
  expect(used.judged).toBe(true)
  expect(used.calls).toBe(expected.calls)
})

describe('the worst that a judge can do is within the estimate', () => {
  const worst: Billing = { drift: ESTIMATE_MARGIN, hidden: HIDDEN_TOKENS, written: 1, output: 1 }
  /** About 900 tokens in no form: under twice the limit of 500. */
  const ramble = 'no '.repeat(900)
  const cutOff: Script = { fail: 'truncated' }

  test('every answer cut off, then as long as it may be and in no form', async () => {
    const judge = scriptedJudge([cutOff, ramble, cutOff, ramble, cutOff, ramble], { max_output_tokens: 500 })
    const question = questionOf(judge, trajectoryOf(['ls', 'lib']), 1)
    const { most } = estimateQuestion(question)
    const used = await runSamples(question, worst)
    expect(used.calls).toBe(most.calls)
    expect(used.input_tokens).toBeLessThanOrEqual(most.input)
    // Without what is sent again for repairs, it would not be.
    const [first] = used.asked
    expect(used.input_tokens).toBeGreaterThan(6 * ((first?.usage.input_tokens ?? 0) + 500))
    expect(used.cost_usd).toBeLessThanOrEqual(most.usd)
  })

  test('every window cut off and in no form once, then a decision that is never in the right form', async () => {
    const about = { max_output_tokens: 500, window_tokens: 24_000 }
    const windows = estimateQuestion(questionOf(scriptedJudge([], about), WINDOWS, 1)).expected.calls - 1
    const read = Array.from({ length: windows }, () => [cutOff, ramble, cutOff, SEEN]).flat()
    const judge = scriptedJudge([...read, cutOff, ramble, cutOff, ramble, cutOff, ramble], about)
    const { most } = estimateQuestion(questionOf(judge, WINDOWS, 1))
    const used = await runSamples(questionOf(judge, WINDOWS, 1), worst)
    expect(used.purposes).toEqual(new Set(['window', 'decide', 'repair']))
    expect(used.calls).toBe(most.calls)
    expect(used.input_tokens).toBeLessThanOrEqual(most.input)
    expect(used.cost_usd).toBeLessThanOrEqual(most.usd)
  })
})

test('no call costs more than was reserved for it', async () => {
  await fc.assert(
    fc.asyncProperty(trajectory, info, scripts, billing, async (read, about, script, bill) => {
      const judge = scriptedJudge(script, about)
      const used = await runSamples(questionOf(judge, read, 1), bill)
      for (const { request, usage } of used.asked) {
        const bound = boundOfCall(judge.info, request) ?? 0
        expect(costUsd(usage, PRICE)).toBeLessThanOrEqual(bound * (1 + 1e-9))
      }
    }),
    { numRuns: 100 },
  )
}, 60_000)
