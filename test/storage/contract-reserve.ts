import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { CallRequest, PlannedAttempt, Reserved } from '../../src/db/ledger.ts'
import { NO_CAPS } from '../../src/db/spending.ts'
import type { Stores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'
import { failedReply, finishOk, goodReply, planAttempt, readSpending } from './make-attempt.ts'
import { openBatch, readBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'
import { BATCH, queueTools } from './make-request.ts'
import { runSql } from './open-sqlite.ts'

const AT_MS = Date.parse('2026-11-21T00:00:00.000Z')
const LOST_MS = 90_000
const at = (ms: number): string => new Date(AT_MS + ms).toISOString()

/** Asks for the turn of a call that begins `ms` after the first. */
export const ask = (stores: Stores, id: string, ms = 0, given: Partial<PlannedAttempt & CallRequest> = {}) => {
  const { caps = NO_CAPS, limit = 9, own = new Set(), freshness, ...planned } = given
  const attempt = planAttempt(id, { started_at: at(ms), ...planned })
  const times = { now: AT_MS + ms, lost_ms: LOST_MS }
  return stores.attempts.reserve({ attempt, caps, limit, own, ...times, ...(freshness && { freshness }) })
}

export const kindOf = async (answer: Promise<Reserved>): Promise<Reserved['kind']> => (await answer).kind
const other = (word: string) => ({ key: digestBytes(word) })

/** Ends a call `ms` after the first with a failure of the judge. */
export const fail = ({ attempts }: Stores, id: string, code: 'timeout' | 'rate_limited', ms: number, retry = 0) => {
  const reply = failedReply(code)
  const failure = { ...reply.failure, retry_after_s: retry || null }
  const end = { ...finishOk(id), outcome: code, cost_usd: null, now: AT_MS + ms }
  return attempts.finish({ ...end, reply: { ...reply, failure } })
}

/** Waits until no process is believed to hold a reply that a server of PostgreSQL could not take at its start. */
async function untilGraceEnds(stores: Stores): Promise<void> {
  if (stores.db.kind === 'sqlite') return
  const young = "SELECT 1 FROM pg_stat_database WHERE clock_timestamp() - pg_postmaster_start_time() < interval '31 s'"
  await expect.poll(() => runSql(stores, young), { timeout: 35_000, interval: 500 }).toEqual([])
}

export function describeReserve(current: Current): void {
  describe('the turn of a call', () => {
    describeTurns(current)
    describePauses(current)
    describeMoney(current)
  })
}

function describeTurns(current: Current): void {
  const orphan = { attempt_id: 'att_1', grade_id: 'grd_a', reply: goodReply(), cost_usd: 0.001 }

  test('a stored reply answers in place of a call, unless the same process makes its grade', async () => {
    await ask(current(), 'att_1')
    await current().attempts.finish(finishOk('att_1'))
    expect(await ask(current(), 'att_2', 1)).toEqual({ kind: 'stored', orphan })
    expect(await kindOf(ask(current(), 'att_2', 1, { own: new Set(['grd_a']) }))).toBe('call')
  })

  test('a reply whose grade is written answers a caller whose grade was asked for before, and later ones but for a refresh', async () => {
    const { grade, ...record } = makeRecord()
    expect(grade.created_at).toBe(at(0))
    await ask(current(), 'att_1', 0, { grade_id: grade.id })
    expect(await ask(current(), 'att_2', 1)).toEqual({ kind: 'wait', for: 'same' })
    await current().attempts.finish(finishOk('att_1'))
    await current().grades.put({ grade, ...record })
    const stored = { kind: 'stored', orphan: { ...orphan, grade_id: grade.id, cost_usd: 0 } }
    const askSince = (since: number, isRefresh: boolean) =>
      ask(current(), 'att_2', 20, { freshness: { since, isRefresh } })
    expect(await askSince(AT_MS - 1, true)).toEqual(stored)
    // The caller looked for the grade before its commit, and asks with a clock that is ahead of the grade's.
    expect(await askSince(AT_MS + 9, false)).toEqual(stored)
    expect(await kindOf(askSince(AT_MS, true))).toBe('call')
  })

  test('an equal question waits for the call in flight, until that call is lost and counts with its bound', async () => {
    await untilGraceEnds(current())
    await openBatch(current(), BATCH, 1)
    const paid = { batch: BATCH, reserved_usd: 0.5 }
    expect(await kindOf(ask(current(), 'att_1', 0, paid))).toBe('call')
    expect(await ask(current(), 'att_2', LOST_MS - 1, paid)).toEqual({ kind: 'wait', for: 'same' })
    expect(await kindOf(ask(current(), 'att_3', 1, { ...paid, ...other('another') }))).toBe('call')
    expect(await kindOf(ask(current(), 'att_2', LOST_MS, paid))).toBe('call')
    const outcomes = (await current().attempts.listForGrade('grd_a')).map(({ id, outcome }) => [id, outcome])
    expect(outcomes).toEqual([
      ['att_1', 'unknown'],
      ['att_3', 'sent'],
      ['att_2', 'sent'],
    ])
    expect(await readBatch(current(), BATCH)).toMatchObject({ calls: { made: 3, unknown: 1 }, uncertain_usd: 0.5 })
  }, 60_000)

  test('no call begins for a batch that is parked or cancelled', async () => {
    const { batches } = current()
    await openBatch(current(), BATCH, 1)
    await batches.park(BATCH, 'why', null)
    expect(await ask(current(), 'att_1', 0, { batch: BATCH })).toEqual({ kind: 'left' })
    await batches.resume(BATCH)
    expect(await kindOf(ask(current(), 'att_1', 0, { batch: BATCH }))).toBe('call')
    await batches.requestCancel(BATCH)
    expect(await ask(current(), 'att_2', 1, { batch: BATCH, ...other('two') })).toEqual({ kind: 'left' })
  })

  test('no more calls of a judge are in flight than its limit; lost calls and calls of a provider’s batch do not count', async () => {
    const { enqueue, record } = queueTools(current)
    await openBatch(current(), BATCH, 1)
    await enqueue('att_p', 0)
    await record('prb_1')
    expect(await kindOf(ask(current(), 'att_1', 0, { limit: 1 }))).toBe('call')
    expect(await ask(current(), 'att_2', 1, { limit: 1, ...other('two') })).toEqual({ kind: 'wait', for: 'limit' })
    expect(await kindOf(ask(current(), 'att_3', 1, { limit: 1, judge: 'lexical', ...other('two') }))).toBe('call')
    expect(await kindOf(ask(current(), 'att_2', LOST_MS + 1, { limit: 1, ...other('two') }))).toBe('call')
    await current().attempts.finish(finishOk('att_2'))
    expect(await kindOf(ask(current(), 'att_4', LOST_MS + 2, { limit: 1, ...other('four') }))).toBe('call')
  })

  test('a call that passes a cap is not written, and its question is free', async () => {
    const capped = { caps: { ...NO_CAPS, day_usd: 1 }, reserved_usd: 2 }
    expect(await ask(current(), 'att_1', 0, capped)).toMatchObject({ kind: 'over', over: { cap: 'day', spent_usd: 0 } })
    expect(await kindOf(ask(current(), 'att_2', 1))).toBe('call')
  })
}

function describePauses(current: Current): void {
  const silent = async (from: number, many: number, ms: number) => {
    const ids = Array.from({ length: many }, (_, n) => `att_${from + n}`)
    for (const id of ids) await ask(current(), id, ms, { limit: 99, ...other(id) })
    await Promise.all(ids.map((id) => fail(current(), id, 'timeout', ms)))
  }
  const state = () => current().judges.get('openai')

  test('a judge rests for the time that it asks for, at most a minute, and an operator ends the rest', async () => {
    await ask(current(), 'att_1')
    await fail(current(), 'att_1', 'rate_limited', 100, 5)
    const paused = {
      kind: 'paused',
      judge: { paused_until: AT_MS + 5100, failure: { code: 'rate_limited' }, rests: 0 },
    }
    expect(await ask(current(), 'att_2', 5099)).toMatchObject(paused)
    expect(await kindOf(ask(current(), 'att_0', 5099, { judge: 'lexical', ...other('x') }))).toBe('call')
    expect(await kindOf(ask(current(), 'att_3', 5100))).toBe('call')
    await fail(current(), 'att_3', 'rate_limited', 6000, 3600)
    expect((await state()).paused_until).toBe(AT_MS + 66_000)
    await current().judges.resume(['openai'])
    expect(await state()).toEqual({ paused_until: 0, failure: null, strikes: 0, rests: 0 })
    expect(await kindOf(ask(current(), 'att_4', 6001))).toBe('call')
  })

  test('twelve silent failures in a row, also at once, are an outage; further twelve double the rest', async () => {
    await silent(0, 11, 0)
    expect(await state()).toMatchObject({ paused_until: 0, strikes: 11, rests: 0 })
    for (const id of ['att_good', 'att_late']) await ask(current(), id, 1, { limit: 99, ...other(id) })
    await current().attempts.finish({ ...finishOk('att_good'), now: AT_MS + 1 })
    expect((await state()).strikes).toBe(0)
    await silent(20, 12, 1000)
    expect(await state()).toMatchObject({ paused_until: AT_MS + 31_000, strikes: 0, rests: 1 })
    // A call that began before the outage says nothing about its end.
    await fail(current(), 'att_late', 'timeout', 2000)
    expect((await state()).strikes).toBe(0)
    await silent(40, 12, 31_000)
    expect(await state()).toMatchObject({ paused_until: AT_MS + 91_000, rests: 2 })
    await ask(current(), 'att_end', 91_000, other('att_end'))
    await current().attempts.finish(finishOk('att_end'))
    expect(await state()).toMatchObject({ strikes: 0, rests: 0 })
  })

  test('a worker is known by its judges for as long as it says so', async () => {
    const { judges, db } = current()
    await judges.announce([])
    await judges.announce(['openai', 'lexical'])
    await ask(current(), 'att_1', 0, { judge: 'other' })
    expect(await Promise.all(['openai', 'lexical', 'other', 'none'].map(judges.hasWorker))).toEqual([
      true,
      true,
      false,
      false,
    ])
    await db.write((sql) => sql.query(`UPDATE judges SET seen_at = ${Date.now() - 31_000}`))
    await judges.announce(['lexical'])
    expect(await Promise.all(['openai', 'lexical'].map(judges.hasWorker))).toEqual([false, true])
  })
}

interface Flown {
  readonly id: string
  readonly question: number
  readonly bound: number
  end: 'sent' | 'unknown' | number
}

/** Plays steps on the store and on a model, and compares what is spent. */
async function playMoney(stores: Stores, batch: string, steps: readonly MoneyStep[]): Promise<void> {
  const calls: Flown[] = []
  const sum = (end: Flown['end']) => calls.reduce((all, call) => all + (call.end === end ? call.bound : 0), 0)
  const settled = () => calls.reduce((all, { end }) => all + (typeof end === 'number' ? end : 0), 0)
  const askAgain = async (id: string, { question, cents }: MoneyStep, n: number) => {
    const bound = cents / 100
    const planned = { batch, reserved_usd: bound, ...other(`${batch} ${question}`), own: new Set(['grd_a']) }
    const isOver = bound > 0 && settled() + sum('sent') + sum('unknown') + bound > 1 + 1e-9
    const turn = ask(stores, id, n * LOST_MS, { ...planned, caps: { ...NO_CAPS, batch_usd: 1 }, limit: 99 })
    expect(await kindOf(turn)).toBe(isOver ? 'over' : 'call')
    if (isOver) return
    // The call before is lost by now.
    for (const call of calls) if (call.question === question && call.end === 'sent') call.end = 'unknown'
    calls.push({ id, question, bound, end: 'sent' })
  }
  const end = async (call: Flown, { what, cents }: MoneyStep, n: number) => {
    call.end = what === 'refuse' ? 0 : cents / 200
    if (what === 'refuse') await fail(stores, call.id, 'rate_limited', n * LOST_MS)
    else await stores.attempts.finish({ ...finishOk(call.id), cost_usd: call.end })
  }
  for (const [n, step] of steps.entries()) {
    const wanted = step.what === 'late' ? 'unknown' : 'sent'
    const open = calls.findLast((call) => call.question === step.question && call.end === wanted)
    if (step.what === 'ask') await askAgain(`att_${batch}_${n}`, step, n)
    else if (open !== undefined) await end(open, step, n)
  }
  expect(await readSpending(stores.db.read, `batch:${batch}`)).toMatchObject({
    settled_usd: expect.closeTo(settled(), 9),
    reserved_usd: expect.closeTo(sum('sent'), 9),
    uncertain_usd: expect.closeTo(sum('unknown'), 9),
    ...{ calls: calls.length, unknown_calls: calls.filter((call) => call.end === 'unknown').length },
  })
}

const MONEY_STEP = fc.record({
  question: fc.nat(4),
  cents: fc.nat(40),
  what: fc.constantFrom('ask', 'ask', 'end', 'late', 'refuse'),
})
type MoneyStep = typeof MONEY_STEP extends fc.Arbitrary<infer T> ? T : never

function describeMoney(current: Current): void {
  test('reserved, settled and uncertain dollars are those of the calls, whatever happens in whatever order', async () => {
    await untilGraceEnds(current())
    let made = 0
    const law = fc.asyncProperty(fc.array(MONEY_STEP, { maxLength: 30 }), (steps) => {
      made += 1
      return playMoney(current(), `bat_${made}`, steps)
    })
    await fc.assert(law, { numRuns: 25 })
  }, 120_000)
}
