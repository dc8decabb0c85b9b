import { expect, test } from 'vitest'
import { requestBoundUsd } from '../../src/asking/margin.ts'
import { type Reserving, reserve } from '../../src/asking/reserve.ts'
import { NO_HISTORY, type OutputHistory } from '../../src/domain/money/history.ts'
import type { JudgeInfo, JudgeRequest } from '../../src/ports/judge-ports.ts'
import { NO_CAPS, type OverBudget } from '../../src/ports/ledger-ports.ts'
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
const AT = new Date('2026-11-22T00:00:00Z')
/** Not to lose a token to the rounding of sums. */
const boundOf = (max_output_tokens: number): number =>
  (requestBoundUsd(INFO, { ...REQUEST, max_output_tokens }, AT) ?? 0) + 1e-10

/** A cap of which so much is left, and what was reserved under it. */
function start(leftUsd: number, given: { reserved?: number; history?: Partial<OutputHistory>; asked?: number } = {}) {
  const begun: number[] = []
  const over: OverBudget = { cap: 'batch', cap_usd: 1, spent_usd: 1 - leftUsd, reserved_usd: given.reserved ?? 0 }
  const reserving: Reserving = {
    info: INFO,
    request: { ...REQUEST, max_output_tokens: given.asked ?? LIMIT },
    caps: { ...NO_CAPS, batch_usd: 1 },
    at: AT,
    factor: 1,
    history: async () => ({ ...NO_HISTORY, ...given.history }),
    begin: async (_, bound) => {
      begun.push(bound ?? Number.NaN)
      return (bound ?? Number.NaN) <= leftUsd + 1e-9 ? null : over
    },
  }
  return { begun, reserved: reserve(reserving) }
}
const limitOf = async ({ reserved }: ReturnType<typeof start>) => {
  const end = await reserved
  return end.ok ? end.request.max_output_tokens : end.reply.ok ? 'answered' : end.reply.failure
}

test('what fits is reserved with its whole output limit', async () => {
  const started = start(boundOf(LIMIT))
  expect(await limitOf(started)).toBe(LIMIT)
  expect(started.begun).toHaveLength(1)
})

test('what does not fit is asked with the limit that what is left pays for, and never for more', async () => {
  const left = boundOf(5000)
  const started = start(left)
  expect(await limitOf(started)).toBe(5000)
  expect(started.begun[1]).toBeLessThanOrEqual(left + 1e-9)
})

test('while anything is reserved it waits, whatever is left', async () => {
  for (const left of [0, boundOf(5000)])
    expect(await limitOf(start(left, { reserved: 0.1 }))).toMatchObject({ code: 'budget_exceeded', retryable: true })
})

test.each([
  ['a judge without history gets the room that is assumed', 2000, {}],
  ['the longest answer so far and a quarter more', 5000, { longest: 4000 }],
  ['never more than the limit', LIMIT, { longest: 15_000 }],
])('the least that makes sense: %s', async (_name, least, history) => {
  expect(await limitOf(start(boundOf(least), { history }))).toBe(least)
  const refused = await limitOf(start(boundOf(least) - 1e-5, { history }))
  expect(refused).toMatchObject({ code: 'budget_exceeded', retryable: false })
})

test('an answer that was cut off is not asked for again with less room', async () => {
  const refused = await limitOf(start(boundOf(LIMIT), { asked: 2 * LIMIT }))
  expect(refused).toMatchObject({ code: 'budget_exceeded', retryable: false })
})

test('who loses some of what is left to another that has ended by then looks again', async () => {
  const begun: (number | null)[] = []
  let left = boundOf(5000)
  const end = await reserve({
    info: INFO,
    request: REQUEST,
    caps: { ...NO_CAPS, batch_usd: 1 },
    at: AT,
    factor: 1,
    history: async () => NO_HISTORY,
    begin: async ({ max_output_tokens }, bound) => {
      begun.push(max_output_tokens)
      if (begun.length === 2) left = boundOf(4000)
      const over = { cap: 'batch', cap_usd: 1, spent_usd: 1 - left, reserved_usd: 0 } as const
      return (bound ?? Number.NaN) <= left + 1e-9 ? null : over
    },
  })
  expect(end).toMatchObject({ ok: true, request: { max_output_tokens: 4000 } })
  expect(begun).toEqual([LIMIT, 5000, 4000])
})

test('the narrowest of several caps counts', async () => {
  const lefts = { batch: boundOf(5000), day: boundOf(3000) }
  const end = await reserve({
    info: INFO,
    request: REQUEST,
    caps: { batch_usd: 1, key_usd: null, day_usd: 1 },
    at: AT,
    factor: 1,
    history: async () => NO_HISTORY,
    begin: async (_, bound) => {
      const cap = (['batch', 'day'] as const).find((one) => (bound ?? Number.NaN) > lefts[one] + 1e-9)
      return cap === undefined ? null : { cap, cap_usd: 1, spent_usd: 1 - lefts[cap], reserved_usd: 0 }
    },
  })
  expect(end).toMatchObject({ ok: true, request: { max_output_tokens: 3000 } })
})

test('without a price no cap holds, and nothing comes back', async () => {
  const end = await reserve({
    info: { ...INFO, prices: [] },
    request: REQUEST,
    caps: { ...NO_CAPS, batch_usd: 1 },
    at: AT,
    factor: 1,
    history: async () => NO_HISTORY,
    begin: async () => ({ cap: 'batch', cap_usd: 1, spent_usd: 0, reserved_usd: 0.5 }),
  })
  expect(end).toMatchObject({ ok: false, reply: { failure: { code: 'budget_exceeded', retryable: false } } })
})
