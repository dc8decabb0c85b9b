import { expect, test } from 'vitest'
import { NO_CAPS } from '../../src/db/spending.ts'
import { budgetExceeded } from '../../src/grading/asker.ts'
import { requestBoundUsd, reservedUsd } from '../../src/grading/margin.ts'
import type { JudgeInfo, JudgeRequest } from '../../src/ports/judge.ts'
import { scriptedJudge } from './harness.ts'

const LIMIT = 16_000
const { info: scripted } = scriptedJudge([])
const INFO: JudgeInfo = { ...scripted, max_output_tokens: LIMIT }
const REQUEST: JudgeRequest = {
  system: '',
  trajectory: 'one two three',
  images: [],
  question: 'what?',
  repairs: [],
  answer_schema: {},
  cache_hint: '',
  max_output_tokens: LIMIT,
  evidence: {} as JudgeRequest['evidence'],
}
const CAPPED = { ...NO_CAPS, batch_usd: 1 }
const OVER = { cap: 'batch', cap_usd: 1, spent_usd: 0.9, reserved_usd: 0 } as const

test('a call reserves its whole output limit, with and without a cap', () => {
  const bound = requestBoundUsd(INFO, REQUEST)
  expect(bound).toBeGreaterThan(0)
  expect([reservedUsd(INFO, REQUEST, CAPPED), reservedUsd(INFO, REQUEST, NO_CAPS)]).toEqual([bound, bound])
})

test('a judge without prices reserves nothing', () => {
  const unpriced = { ...INFO, price: null }
  expect([reservedUsd(unpriced, REQUEST, CAPPED), reservedUsd(unpriced, REQUEST, NO_CAPS)]).toEqual([null, null])
})

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
