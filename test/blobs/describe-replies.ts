import { describe, expect, test } from 'vitest'
import { NO_CAPS } from '../../src/ports/ledger-ports.ts'
import { failedReply, finishOk, goodReply, KEY, planAttempt, REQUEST } from '../storage/make-attempt.ts'
import { openBatch } from '../storage/make-batch.ts'
import { makeRequest } from '../storage/make-request.ts'
import { AT, beginOutside, keysOf, LARGE_REPLY, type TestDatabase } from './outside-tools.ts'

const LIMITS = { most_requests: 10, most_bytes: 1_000_000 }

/** Replies that were paid for, over any database; `make` gives an empty one. */
export function describeReplies(make: () => TestDatabase): void {
  describe('replies outside', () => {
    test('come back in every reading, under names of their attempt', async () => {
      const { s3, database, stores } = await beginOutside(make)
      await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
      await stores.attempts.finish(finishOk('att_1', LARGE_REPLY))
      expect(
        keysOf(s3).map((key) => key.replace(/^.*default\/replies\/[0-9a-f]{2}\/(.*)-[0-9a-f]{64}$/, '$1')),
      ).toEqual(['att_1', 'att_1'])
      expect(await stores.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ reply: LARGE_REPLY })
      expect(await stores.attempts.listForGrade('grd_a')).toMatchObject([{ raw_reply: LARGE_REPLY.raw }])
      const [row] = await database.query('SELECT outside_bytes FROM attempts')
      expect(Number(row?.['outside_bytes'])).toBe(
        [...s3.objects.values()].reduce((sum, bytes) => sum + bytes.length, 0),
      )
    })

    test('an id that is no plain name does not lead anywhere else', async () => {
      const { s3, stores } = await beginOutside(make)
      const id = '../../../other/replies/ab/att'
      await stores.attempts.begin(planAttempt(id), NO_CAPS)
      await stores.attempts.finish(finishOk(id, LARGE_REPLY))
      for (const key of keysOf(s3))
        expect(key).toMatch(/^veridict-test\/some\/prefix\/default\/replies\/..\/[0-9a-f-]+$/)
      expect(await stores.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ reply: LARGE_REPLY })
    })

    test.each([
      [{ status: 503, code: 'SlowDown' }, 'storage_busy'],
      [{ status: 507, code: 'InsufficientStorage' }, 'storage_full'],
      ['cut', 'storage_busy'],
    ] as const)(
      'that cannot be put for a while (%j) leave the call open, and are stored later',
      async (fault, code) => {
        const { s3, database, stores } = await beginOutside(make)
        await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
        s3.always = fault
        await expect(stores.attempts.finish(finishOk('att_1', LARGE_REPLY))).rejects.toMatchObject({ code })
        expect(await database.query('SELECT outcome FROM attempts')).toEqual([{ outcome: 'sent' }])
        s3.always = null
        await stores.attempts.finish(finishOk('att_1', LARGE_REPLY))
        expect(await stores.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ reply: LARGE_REPLY })
      },
    )

    test('that are refused stay in their row: what was paid for is not lost for a wrong setting', async () => {
      const { s3, database, stores } = await beginOutside(make)
      await stores.attempts.begin(planAttempt('att_1'), NO_CAPS)
      s3.always = { status: 403, code: 'AccessDenied' }
      await stores.attempts.finish(finishOk('att_1', LARGE_REPLY))
      expect(await database.query('SELECT outcome, outside_bytes FROM attempts')).toEqual([
        { outcome: 'ok', outside_bytes: null },
      ])
      expect(await stores.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ reply: LARGE_REPLY })
    })

    test('of a provider’s batch are held too, and none of them is lost', async () => {
      const { s3, stores } = await beginOutside(make)
      await openBatch(stores, 'bat_1', 2, { mode: 'provider' })
      const requests = [makeRequest('att_p0', 0), makeRequest('att_p1', 1)]
      for (const request of requests) await stores.provider.enqueue(request, NO_CAPS)
      await stores.provider.record({ id: 'sub_1', batch: 'bat_1', judge: 'openai', at: AT }, LIMITS)
      const ends = [
        { id: 'att_p0', end: 'answered', reply: LARGE_REPLY, cost_usd: 0.5 },
        { id: 'att_p1', end: 'answered', reply: failedReply('refused', { raw: LARGE_REPLY.raw }), cost_usd: null },
        { id: 'att_p0', end: 'answered', reply: goodReply(), cost_usd: 9 },
      ] as const
      s3.faults.push(
        null,
        { status: 503, code: 'SlowDown' },
        { status: 503, code: 'SlowDown' },
        'cut',
        'cut',
        'cut',
        'cut',
      )
      await expect(stores.provider.storeEnds('sub_1', ends, AT)).rejects.toMatchObject({ code: 'storage_busy' })
      s3.faults.length = 0
      expect(await stores.provider.storeEnds('sub_1', ends, AT)).toBe(2)
      const answers = await Promise.all(
        requests.map(({ planned: { key, sample, round, request_digest } }) =>
          stores.provider.find({ batch: 'bat_1', key, sample, round, request_digest }),
        ),
      )
      expect(answers).toMatchObject([
        { state: 'answered', reply: LARGE_REPLY, cost_usd: 0.5 },
        { state: 'answered', reply: { ok: false, raw: LARGE_REPLY.raw } },
      ])
    })
  })
}
