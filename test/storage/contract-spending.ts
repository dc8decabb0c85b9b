import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FinishedAttempt, PlannedAttempt } from '../../src/db/ledger.ts'
import { type Caps, NO_CAPS, type OverBudget } from '../../src/db/spending.ts'
import type { Stores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { FailureCode } from '../../src/schemas/vocabulary.ts'
import type { Current } from './contract.ts'
import { begin as beginCall, failedReply, finishOk, goodReply, planAttempt } from './make-attempt.ts'
import { openBatch, readBatch } from './make-batch.ts'

const BATCH = 'bat_1'
const PAYER = 'key_1'
const batchCap = (usd: number): Caps => ({ ...NO_CAPS, batch_usd: usd })
const keyCap = (usd: number): Caps => ({ ...NO_CAPS, key_usd: usd })
const dayCap = (usd: number): Caps => ({ ...NO_CAPS, day_usd: usd })

/** What is spent or reserved: a call of unknown cost is refused under any cap, and says it. */
export async function readSpent(
  stores: Stores,
  scope: { batch: string } | { day: string } | { payer: string },
): Promise<number> {
  const [given, caps] =
    'batch' in scope
      ? [{ batch: scope.batch }, batchCap(1e9)]
      : 'payer' in scope
        ? [{ payer: scope.payer }, keyCap(1e9)]
        : [{ started_at: `${scope.day}T12:00:00.000Z` }, dayCap(1e9)]
  const probe = planAttempt('att_probe', { ...given, round: 99, reserved_usd: null })
  const refused = await beginCall(stores, probe, caps)
  if (refused === null) throw new Error('a call of unknown cost was let through')
  return refused.spent_usd
}

export function describeSpending(current: Current): void {
  describe('spending', () => {
    describeCaps(current)
    describeEnds(current)
  })
}

function describeCaps(current: Current): void {
  const begin = (id: string, reserved_usd: number | null, caps: Caps, given: Partial<PlannedAttempt> = {}) =>
    beginCall(
      current(),
      planAttempt(id, { key: digestBytes(id), batch: BATCH, payer: PAYER, reserved_usd, ...given }),
      caps,
    )
  const over = (cap: OverBudget['cap'], cap_usd: number, spent_usd: number) => ({
    cap,
    cap_usd,
    spent_usd: expect.closeTo(spent_usd, 9),
    reserved_usd: expect.any(Number),
  })

  test.each(['batch', 'key', 'day'] as const)(
    'a %s may be spent to the cent and no further; what is refused is not written',
    async (cap) => {
      const caps = { ...NO_CAPS, [`${cap}_usd`]: 0.3 }
      expect(await begin('att_1', 0.1, caps)).toBeNull()
      expect(await begin('att_2', 0.2, caps)).toBeNull()
      expect(await begin('att_3', 0.001, caps)).toEqual(over(cap, 0.3, 0.3))
      expect((await current().attempts.listForGrade('grd_a')).map((entry) => entry.id)).toEqual(['att_1', 'att_2'])
      expect(await begin('att_3', 0.001, NO_CAPS)).toBeNull()
    },
  )

  test('of caps that all break, the narrowest is named', async () => {
    expect(await begin('att_1', 2, { batch_usd: 1, key_usd: 1, day_usd: 1 })).toEqual(over('batch', 1, 0))
    expect(await begin('att_1', 2, { batch_usd: 5, key_usd: 1, day_usd: 1 })).toEqual(over('key', 1, 0))
    expect(await begin('att_1', 2, { ...NO_CAPS, batch_usd: 5, day_usd: 1 })).toEqual(over('day', 1, 0))
  })

  test('a cap cannot be kept with calls of unknown cost; without one they are made', async () => {
    expect(await begin('att_1', null, dayCap(5))).toEqual(over('day', 5, 0))
    expect(await begin('att_1', null, batchCap(5))).toEqual(over('batch', 5, 0))
    expect(await begin('att_1', null, NO_CAPS)).toBeNull()
  })

  test('a call that costs nothing breaks no cap', async () => {
    expect(await begin('att_1', 0, { batch_usd: 0, key_usd: 0, day_usd: 0 })).toBeNull()
    expect(await begin('att_2', 3, NO_CAPS)).toBeNull()
    expect(await begin('att_3', 0, { ...NO_CAPS, batch_usd: 1, day_usd: 1 })).toBeNull()
  })

  test('batches and days are apart; a call of no batch breaks no batch’s cap', async () => {
    await begin('att_1', 1, NO_CAPS)
    expect(await begin('att_2', 1, batchCap(1), { batch: 'bat_2' })).toBeNull()
    expect(await begin('att_3', 1, batchCap(1))).toEqual(over('batch', 1, 1))
    expect(await begin('att_4', 9, batchCap(1), { batch: null })).toBeNull()
    expect(await begin('att_5', 1, dayCap(1), { started_at: '2026-11-22T00:00:00.000Z' })).toBeNull()
    expect(await begin('att_6', 0.5, dayCap(11), { started_at: '2026-11-21T23:59:59.999Z' })).toEqual(
      over('day', 11, 11),
    )
  })

  test('keys and their days are apart; a call of nobody breaks no key’s cap', async () => {
    await begin('att_1', 1, NO_CAPS)
    expect(await begin('att_2', 1, keyCap(1), { payer: 'key_2' })).toBeNull()
    expect(await begin('att_3', 1, keyCap(1), { batch: 'bat_2' })).toEqual(over('key', 1, 1))
    expect(await begin('att_4', 9, keyCap(1), { payer: null })).toBeNull()
    expect(await begin('att_5', 1, keyCap(1), { started_at: '2026-11-22T00:00:00.000Z' })).toBeNull()
  })
}

type End = Pick<FinishedAttempt, 'outcome' | 'reply' | 'cost_usd'>
const failed = (code: FailureCode, raw: string | null = null): End => ({
  outcome: code,
  reply: failedReply(code, { raw }),
  cost_usd: null,
})

/** How a call with a dollar reserved ends; what is counted of it then; and what the batch says it cost. */
const ENDS: readonly [string, End, number, number | null][] = [
  ['known cost', { outcome: 'ok', reply: goodReply(), cost_usd: 0.25 }, 0.25, 0.25],
  ['more than was reserved', { outcome: 'ok', reply: goodReply(), cost_usd: 3 }, 3, 3],
  ['a failure that was paid for', { ...failed('truncated'), cost_usd: 0.5 }, 0.5, 0.5],
  ['tokens without a price', { outcome: 'ok', reply: goodReply(), cost_usd: null }, 0, null],
  [
    'a failure with tokens without a price',
    { ...failed('timeout'), reply: failedReply('timeout', { usage: goodReply().usage }) },
    0,
    null,
  ],
  ['a reply without its usage', { outcome: 'ok', reply: goodReply({ usage: null }), cost_usd: null }, 1, null],
  ...(['timeout', 'judge_unreachable', 'cancelled', 'truncated', 'schema_invalid', 'internal'] as const).map(
    (code): [string, End, number, number] => [`${code}: perhaps paid for`, failed(code), 1, 0],
  ),
  ...(
    ['rate_limited', 'quota_exhausted', 'authentication', 'refused', 'context_overflow', 'budget_exceeded'] as const
  ).map((code): [string, End, number, number] => [`${code}: never run`, failed(code), 0, 0]),
  ['an answer that says nothing of its usage: perhaps paid for', failed('internal', '{"error":{}}'), 1, 0],
]

function describeEnds(current: Current): void {
  const attempts = () => current().attempts
  const end = (id: string, given: End) => attempts().finish({ ...finishOk(id), message: null, ...given })
  const plan = (id: string, given: Partial<PlannedAttempt> = {}) =>
    planAttempt(id, { key: digestBytes(id), batch: BATCH, payer: PAYER, reserved_usd: 1, ...given })

  test.each(ENDS)('%s', async (_name, given, counted, cost) => {
    await openBatch(current(), BATCH, 0)
    await beginCall(current(), plan('att_1'))
    expect(await readSpent(current(), { batch: BATCH })).toBe(1)
    expect(await readBatch(current(), BATCH)).toMatchObject({ calls: { made: 1, unknown: 0 }, cost_usd: 0 })
    await end('att_1', given)
    expect(await readSpent(current(), { batch: BATCH })).toBeCloseTo(counted, 9)
    expect(await readSpent(current(), { day: '2026-11-21' })).toBeCloseTo(counted, 9)
    expect(await readSpent(current(), { payer: PAYER })).toBeCloseTo(counted, 9)
    expect(await readBatch(current(), BATCH)).toMatchObject({ calls: { made: 1, unknown: 0 }, cost_usd: cost })
  })

  test('an end that is refused counts nothing', async () => {
    await beginCall(current(), plan('att_1'))
    await end('att_1', { outcome: 'ok', reply: goodReply(), cost_usd: 0.5 })
    for (const id of ['att_1', 'att_none'])
      await expect(end(id, { outcome: 'ok', reply: goodReply(), cost_usd: 0.5 })).rejects.toThrow()
    await expect(beginCall(current(), plan('att_1'))).rejects.toThrow()
    expect(await readSpent(current(), { batch: BATCH })).toBe(0.5)
  })

  test('a call counts on the day on which it began', async () => {
    await beginCall(current(), plan('att_1', { started_at: '2026-11-20T23:59:59.999Z' }))
    await end('att_1', { outcome: 'ok', reply: goodReply(), cost_usd: 0.5 })
    expect(await readSpent(current(), { day: '2026-11-20' })).toBe(0.5)
    expect(await readSpent(current(), { day: '2026-11-21' })).toBe(0)
  })

  test('what is counted is the sum over all calls, whatever their ends', async () => {
    let made = 0
    const call = fc.record({ reserved: fc.integer({ min: 0, max: 1000 }), at: fc.nat(ENDS.length) })
    await fc.assert(
      fc.asyncProperty(fc.array(call, { maxLength: 30 }), async (calls) => {
        made += 1
        const batch = `bat_law_${made}`
        let sum = 0
        for (const [index, { reserved, at }] of calls.entries()) {
          const id = `att_${made}_${index}`
          await beginCall(current(), plan(id, { batch, reserved_usd: reserved / 1000 }))
          const chosen = ENDS[at]
          // One past the table: the call is still in flight.
          if (chosen !== undefined) await end(id, chosen[1])
          const uncertain = chosen === undefined || (chosen[1].cost_usd === null && chosen[2] === 1)
          sum += uncertain ? reserved / 1000 : chosen[2]
        }
        expect(await readSpent(current(), { batch })).toBeCloseTo(sum, 9)
      }),
      { numRuns: 20 },
    )
  })
}
