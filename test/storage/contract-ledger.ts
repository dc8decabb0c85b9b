import { describe, expect, test } from 'vitest'
import type { LedgerEntry, PlannedAttempt } from '../../src/db/ledger.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import type { Current } from './contract.ts'
import { begin, finishFailed, finishOk, goodReply, KEY, planAttempt, REQUEST } from './make-attempt.ts'
import { makeRecord } from './make-grade.ts'

/** What a receipt says of a call; only its id matters here. */
const SUMMARY = {
  sample: 0,
  round: 0,
  purpose: 'decide',
  outcome: 'ok',
  message: null,
  latency_ms: 1,
  usage: null,
  cost_usd: null,
  request_id: null,
  replayed: false,
} as const

const UNFINISHED = {
  outcome: 'sent',
  message: null,
  raw_reply: null,
  usage: null,
  cost_usd: null,
  latency_ms: null,
  request_id: null,
  model_resolved: null,
} as const

export function describeLedger(current: Current): void {
  const ledger = () => current().attempts
  const findOrphan = () => ledger().findOrphan({ key: KEY, sample: 0, round: 0, request_digest: REQUEST })
  const spend = async (id: string, given: Partial<PlannedAttempt> = {}, reply = goodReply()) => {
    await begin(current(), planAttempt(id, given))
    await ledger().finish(finishOk(id, reply))
  }

  describe('ledger', () => {
    test('a call stands in it before it is made', async () => {
      await begin(current(), planAttempt('att_1'))
      expect(await ledger().listForGrade('grd_a')).toEqual([
        { ...planAttempt('att_1'), ...UNFINISHED, item: undefined },
      ])
    })

    test('a good call is kept whole', async () => {
      await spend('att_1')
      const { raw, usage, request_id, model_resolved } = goodReply()
      const ended = { outcome: 'ok', message: null, raw_reply: raw, usage, cost_usd: 0.001, latency_ms: 12.5 } as const
      const { item: _, ...planned } = planAttempt('att_1')
      const entry: LedgerEntry = { ...planned, ...ended, request_id, model_resolved }
      expect(await ledger().listForGrade('grd_a')).toEqual([entry])
    })

    test('a call that costs nothing is begun and ended in one unit of work, once', async () => {
      await spend('att_1', { grade_id: 'grd_b' })
      await ledger().record(planAttempt('att_2'), finishOk('att_2'))
      const [begun] = await ledger().listForGrade('grd_b')
      const [recorded] = await ledger().listForGrade('grd_a')
      expect({ ...recorded, id: 'att_1', grade_id: 'grd_b' }).toEqual(begun)
      await expect(ledger().record(planAttempt('att_2'), finishOk('att_2'))).rejects.toThrow()
      // Nothing of one that ends another call is written.
      await expect(ledger().record(planAttempt('att_3', { grade_id: 'grd_c' }), finishOk('att_2'))).rejects.toThrow()
      expect(await ledger().listForGrade('grd_c')).toEqual([])
      expect(await ledger().markLost('')).toBe(0)
    })

    test('the history of a judge: its answered calls, and nobody else’s', async () => {
      const nothing = { answers: 0, questions: 0, output_tokens: 0 }
      expect(await ledger().outputHistory('openai')).toEqual(nothing)
      const usage = { input_tokens: 1, output_tokens: 700, cache_read_tokens: 0, cache_write_tokens: 0 }
      await spend('att_1')
      await spend('att_2', { purpose: 'repair' }, goodReply({ usage }))
      await spend('att_3', { judge: 'other' }, goodReply({ usage }))
      await spend('att_4', {}, goodReply({ usage: null }))
      await begin(current(), planAttempt('att_5'))
      await ledger().finish(finishFailed('att_5'))
      await begin(current(), planAttempt('att_6'))
      const history = { answers: 2, questions: 1, output_tokens: 710 }
      expect(await ledger().outputHistory('openai')).toEqual(history)
    })

    test.each([['{"error":"slow"}'], [null]])(
      'a failed call keeps its raw reply, usage and message: %s',
      async (raw) => {
        await begin(current(), planAttempt('att_1'))
        await ledger().finish(finishFailed('att_1', raw))
        const [entry] = await ledger().listForGrade('grd_a')
        const { message, reply } = finishFailed('att_1')
        expect(entry).toMatchObject({ outcome: 'timeout', message, raw_reply: raw, usage: reply.usage, cost_usd: null })
        expect(await findOrphan()).toBeNull()
      },
    )

    test('a call cannot end before it began, nor end twice, nor begin twice', async () => {
      await expect(ledger().finish(finishOk('att_none'))).rejects.toMatchObject({ code: 'storage_error' })
      await spend('att_1')
      await expect(ledger().finish(finishFailed('att_1'))).rejects.toMatchObject({ code: 'storage_error' })
      await expect(begin(current(), planAttempt('att_1'))).rejects.toMatchObject({ code: 'storage_error' })
      expect((await ledger().listForGrade('grd_a'))[0]?.outcome).toBe('ok')
    })

    test('lists one grade by time, and in the order of beginning within a millisecond', async () => {
      await begin(current(), planAttempt('att_z', { started_at: '2026-11-21T00:00:02.000Z' }))
      await begin(current(), planAttempt('att_y', { started_at: '2026-11-21T00:00:01.000Z', round: 2 }))
      await begin(
        current(),
        planAttempt('att_a', { started_at: '2026-11-21T00:00:01.000Z', round: 1, purpose: 'repair' }),
      )
      await begin(current(), planAttempt('att_other', { grade_id: 'grd_b', round: 3 }))
      const ids = (await ledger().listForGrade('grd_a')).map((entry) => entry.id)
      expect(ids).toEqual(['att_y', 'att_a', 'att_z'])
    })

    test('gives the calls of a batch in the order in which they were begun, with the grade that was stored for each', async () => {
      const record = makeRecord()
      await current().grades.put(record)
      for (const [round, [id, grade_id, batch]] of [
        ['att_b', 'grd_never', 'bat_1'],
        ['att_x', 'grd_never', 'bat_2'],
        ['att_a', record.grade.id, 'bat_1'],
      ].entries() as ArrayIterator<[number, [string, string, string]]>)
        await begin(current(), planAttempt(id, { grade_id, batch, round }))
      await ledger().finish(finishOk('att_b'))
      const { calls, next } = await ledger().listForBatch('bat_1', 0)
      expect([calls.map((call) => [call.id, call.grade_id, call.outcome]), next]).toEqual([
        [
          ['att_b', null, 'ok'],
          ['att_a', record.grade.id, 'sent'],
        ],
        null,
      ])
      expect(calls[0]?.raw_reply).toBe(goodReply().raw)
    })

    test('a stretch of the ledger holds at most a hundred calls of the batch', async () => {
      const ids = Array.from({ length: 101 }, (_, round) => `att_${String(round).padStart(3, '0')}`)
      for (const [round, id] of ids.entries()) await spend(id, { batch: 'bat_1', round })
      const stretches: string[][] = []
      for (let after: number | null = 0; after !== null; ) {
        const { calls, next } = await ledger().listForBatch('bat_1', after)
        stretches.push(calls.map(({ id }) => id))
        after = next
      }
      expect(stretches).toEqual([ids.slice(0, 100), ids.slice(100)])
    })

    test('gives the good replies of a grade by sample, then in the order in which they were asked', async () => {
      const at = (second: number) => ({ started_at: `2026-11-21T00:00:0${second}.000Z` })
      const [first, second] = [goodReply({ text: 'one' }), goodReply({ text: 'two', usage: null })]
      await spend('att_z', { sample: 1, ...at(1) }, first)
      await spend('att_y', { sample: 0, round: 0, purpose: 'window', ...at(2) }, second)
      await spend('att_x', { sample: 0, round: 1, purpose: 'repair', ...at(2) }, first)
      await spend('att_other', { grade_id: 'grd_b', round: 2 })
      await begin(current(), planAttempt('att_open', { round: 3 }))
      await begin(current(), planAttempt('att_bad'))
      await ledger().finish(finishFailed('att_bad'))
      const mark = { request_digest: REQUEST }
      // Those that its receipt names, whichever grade has paid for them.
      const { grade, ground_truth } = makeRecord()
      const named = ['att_z', 'att_y', 'att_x', 'att_bad'].map((id) => ({ ...SUMMARY, id }))
      await current().grades.put({ grade: { ...grade, receipt: { ...grade.receipt, attempts: named } }, ground_truth })
      expect(await ledger().listReplies(grade.id)).toEqual([
        { attempt_id: 'att_y', sample: 0, round: 0, purpose: 'window', reply: second, ...mark },
        { attempt_id: 'att_x', sample: 0, round: 1, purpose: 'repair', reply: first, ...mark },
        { attempt_id: 'att_z', sample: 1, round: 0, purpose: 'decide', reply: first, ...mark },
      ])
      expect(await ledger().listReplies('grd_none')).toEqual([])
    })
  })

  describe('orphans', () => {
    const REPLIES = [
      ['small', goodReply()],
      ['empty', goodReply({ text: '', raw: '', usage: null, model_resolved: null, request_id: null })],
      ['non-Latin with NUL', goodReply({ text: 'ψ\0🧪\ufeff', raw: '\ufeffψ\0' })],
      ['lone surrogates', goodReply({ text: 'cut \ud83d', raw: `${'\udc00'.repeat(2000)} end` })],
      ['large', goodReply({ text: 'answer '.repeat(500), raw: `{"t":"${'中文 '.repeat(100_000)}"}` })],
    ] as const

    test.each(REPLIES)('give back the reply exactly: %s', async (_name, reply) => {
      await spend('att_1', {}, reply)
      expect(await findOrphan()).toEqual({ attempt_id: 'att_1', grade_id: 'grd_a', reply, cost_usd: 0.001 })
    })

    const OTHERS: readonly [string, Partial<PlannedAttempt>][] = [
      ['key', { key: digestBytes('other') }],
      ['sample', { sample: 1 }],
      ['round', { round: 1 }],
      ['request', { request_digest: digestBytes('other') }],
    ]
    test.each(OTHERS)('answer only the very same question: another %s does not', async (_name, given) => {
      await spend('att_1', given)
      expect(await findOrphan()).toBeNull()
    })

    test('are the newest good call; a call in flight is none', async () => {
      await spend('att_2', { started_at: '2026-11-21T00:00:02.000Z' })
      await spend('att_9', { started_at: '2026-11-21T00:00:01.000Z' })
      await begin(current(), planAttempt('att_3', { started_at: '2026-11-21T00:00:03.000Z' }))
      expect((await findOrphan())?.attempt_id).toBe('att_2')
    })

    test('are no orphans once their grade is written, even a failed one', async () => {
      const record = makeRecord({ status: 'failed' })
      await spend('att_1', { grade_id: record.grade.id })
      await current().grades.put(record)
      expect(await findOrphan()).toBeNull()
    })

    test('move to the grade that adopts them', async () => {
      const record = makeRecord()
      await spend('att_1')
      await ledger().adopt('att_1', record.grade.id)
      expect(await ledger().listForGrade('grd_a')).toEqual([])
      expect((await ledger().listForGrade(record.grade.id)).map((entry) => entry.id)).toEqual(['att_1'])
      await current().grades.put(record)
      expect(await findOrphan()).toBeNull()
    })

    test('stay with a grade that was written meanwhile; an unknown one is refused', async () => {
      const record = makeRecord()
      await spend('att_1', { grade_id: record.grade.id })
      await current().grades.put(record)
      await ledger().adopt('att_1', 'grd_late')
      expect(await ledger().listForGrade('grd_late')).toEqual([])
      expect(await ledger().listForGrade(record.grade.id)).toHaveLength(1)
      await expect(ledger().adopt('att_none', 'grd_late')).rejects.toMatchObject({ code: 'storage_error' })
    })
  })
}
