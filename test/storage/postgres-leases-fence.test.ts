import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { NO_CAPS } from '../../src/db/spending.ts'
import { readSpent } from './contract-spending.ts'
import { finishOk, KEY, planAttempt, REQUEST } from './make-attempt.ts'
import { ENDS, openBatch, readBatch } from './make-batch.ts'
import { makeRecord } from './make-grade.ts'
import { makeRequest } from './make-request.ts'
import { leasesOf, takeSurely } from './postgres-lease-tools.ts'
import { describePostgres } from './postgres-tools.ts'

const HOLDER = fileURLToPath(new URL('postgres-lease-holder.ts', import.meta.url))
const LOST = { name: 'StorageError', code: 'lease_lost' }

describePostgres('fencing of PostgreSQL', (tools) => {
  async function openTwo() {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    // Never renewed within the test: whose lease runs out here hears of it from the store alone.
    const given = { lease_seconds: 600 }
    const [one, other] = [await open(schema, given), await open(schema, given)]
    const expire = async (name: string) =>
      void (await server.query(
        `UPDATE "${schema}".leases SET until = clock_timestamp() - interval '1 ms' WHERE name = $1`,
        [name],
      ))
    const close = async () => {
      await one.close()
      await other.close()
    }
    return { one, other, a: leasesOf(one), b: leasesOf(other), expire, close, schema }
  }

  type Two = Awaited<ReturnType<typeof openTwo>>
  const WAYS: Readonly<Record<string, (two: Two, lease: { readonly name: string }) => Promise<unknown>>> = {
    'ran out': ({ expire }, { name }) => expire(name),
    'was taken over': async ({ expire, b }, { name }) => {
      await expire(name)
      await takeSurely(b, name)
    },
  }

  describe.each(Object.keys(WAYS))('a lease that %s', (way) => {
    test('queues no question for a provider: whoever has the batch now has queued it', async () => {
      const two = await openTwo()
      const { one, other, a } = two
      await openBatch(one, 'bat_1', 1)
      const lease = await takeSurely(a, 'provider:bat_1')
      await WAYS[way]?.(two, lease)
      const question = (id: string, leases: string[]) => makeRequest(id, 0, { leases })
      await expect(one.provider.enqueue(question('att_old', [lease.token]), NO_CAPS)).rejects.toMatchObject(LOST)
      expect(await other.provider.queuedJudges('bat_1')).toEqual([])
      expect(await readSpent(other, { batch: 'bat_1' })).toBe(0)
      const held = await takeSurely(a, 'provider:bat_1 and no other')
      expect(await one.provider.enqueue(question('att_new', [held.token]), NO_CAPS)).toBeNull()
      expect(await other.provider.queuedJudges('bat_1')).toHaveLength(1)
      await two.close()
    })

    test('begins nothing, publishes nothing and settles nothing, and its reply is kept for others', async () => {
      const two = await openTwo()
      const { one, other, a } = two
      await openBatch(one, 'bat_1', 2)
      const lease = await takeSurely(a, 'slice:bat_1:0')
      const leases = [lease.token]
      const [item, second] = [0, 1].map((index) => ({ batch: 'bat_1', index, lease: lease.token }))
      if (item === undefined || second === undefined) throw new Error('two items')
      const planned = { batch: 'bat_1', reserved_usd: 1, leases }
      await one.attempts.begin(planAttempt('att_1', planned), NO_CAPS)
      await one.batches.settle(second, ENDS.aligned)
      expect(await other.attempts.findOrphan(KEY, 0, 0, REQUEST)).toBeNull()
      await WAYS[way]?.(two, lease)

      expect(lease.lost.aborted).toBe(false)
      await expect(
        one.attempts.begin(planAttempt('att_2', planned), { ...NO_CAPS, batch_usd: 9 }),
      ).rejects.toMatchObject(LOST)
      const record = makeRecord({ key: 'fenced' })
      await expect(one.grades.put({ ...record, leases })).rejects.toMatchObject(LOST)
      await expect(one.grades.put({ ...record, item })).rejects.toMatchObject(LOST)
      await expect(one.batches.settle(item, ENDS.aligned)).rejects.toMatchObject(LOST)
      // Nor where the item has ended already: the holder must know.
      await expect(one.batches.settle(second, ENDS.aligned)).rejects.toMatchObject(LOST)
      expect(await other.grades.list({ limit: 9 })).toEqual([])
      expect(await readBatch(other, 'bat_1')).toMatchObject({ counts: { pending: 1, graded: 1 }, calls: { made: 1 } })
      expect(await readSpent(other, { batch: 'bat_1' })).toBe(1)

      await one.attempts.finish(finishOk('att_1'))
      expect(await other.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ attempt_id: 'att_1' })
      await two.close()
    })
  })

  test('under its leases everything goes as ever, and the reply of a held lease is nobody else’s', async () => {
    const { one, other, a, close } = await openTwo()
    await openBatch(one, 'bat_1', 2)
    const [slice, flight] = [await takeSurely(a, 'slice'), await takeSurely(a, 'flight')]
    const leases = [flight.token, slice.token]
    await one.attempts.begin(planAttempt('att_1', { batch: 'bat_1', leases }), NO_CAPS)
    await one.attempts.finish(finishOk('att_1'))
    expect(await other.attempts.findOrphan(KEY, 0, 0, REQUEST)).toBeNull()
    const item = { batch: 'bat_1', index: 0, lease: slice.token }
    await one.grades.put({ ...makeRecord(), item, leases: [flight.token] })
    await one.batches.settle({ ...item, index: 1 }, ENDS.ignored)
    await one.batches.settle({ ...item, index: 1 }, ENDS.aligned)
    expect(await readBatch(other, 'bat_1')).toMatchObject({ counts: { graded: 2 }, labels: { aligned: 1, ignored: 1 } })
    await a.release(flight)
    // Its question is nobody’s from now on, although the slice is still held.
    expect(await other.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ attempt_id: 'att_1' })
    await close()
  })

  test('an adopted reply is its new lease’s: a third one neither finds it nor takes it away', async () => {
    const { one, other, a, b, close } = await openTwo()
    const [first, second, third] = [await takeSurely(a, 'x'), await takeSurely(b, 'y'), await takeSurely(a, 'z')]
    await one.attempts.begin(planAttempt('att_1', { leases: [first.token] }), NO_CAPS)
    await one.attempts.finish(finishOk('att_1'))
    await a.release(first)
    const found = await other.attempts.findOrphan(KEY, 0, 0, REQUEST)
    expect(found).toMatchObject({ attempt_id: 'att_1' })
    await other.attempts.adopt('att_1', 'grd_second', second.token)
    await one.attempts.adopt('att_1', 'grd_third', third.token)
    expect(await one.attempts.findOrphan(KEY, 0, 0, REQUEST)).toBeNull()
    expect((await one.attempts.listForGrade('grd_second')).map(({ id }) => id)).toEqual(['att_1'])
    await b.release(second)
    await one.attempts.adopt('att_1', 'grd_third', third.token)
    expect((await one.attempts.listForGrade('grd_third')).map(({ id }) => id)).toEqual(['att_1'])
    await close()
  })

  test.each(['flight', 'slice'])('of two leases the %s is lost: nothing is written', async (which) => {
    const { one, a, expire, close } = await openTwo()
    await openBatch(one, 'bat_1', 1)
    const [slice, flight] = [await takeSurely(a, 'slice'), await takeSurely(a, 'flight')]
    await expire(which)
    const item = { batch: 'bat_1', index: 0, lease: slice.token }
    await expect(one.grades.put({ ...makeRecord(), item, leases: [flight.token] })).rejects.toMatchObject(LOST)
    const planned = planAttempt('att_1', { leases: [flight.token, slice.token] })
    await expect(one.attempts.begin(planned, NO_CAPS)).rejects.toMatchObject(LOST)
    expect(await readBatch(one, 'bat_1')).toMatchObject({ counts: { pending: 1 } })
    await close()
  })

  test('a lease that runs out in the middle of a commit is not taken over before its end', async () => {
    const { one, other, a, b, expire, close, schema } = await openTwo()
    const { server } = tools()
    await openBatch(one, 'bat_1', 1)
    const lease = await takeSurely(a, 'x')
    const record = makeRecord({ key: 'late' })
    const item = { batch: 'bat_1', index: 0, lease: lease.token }
    // Somebody holds the item’s row: the holder is past the fence, and waits before its commit.
    const blocked = server.query(
      `BEGIN; SELECT 1 FROM "${schema}".batch_items FOR UPDATE; SELECT pg_sleep(1.5); COMMIT`,
    )
    await delay(200)
    const putting = one.grades.put({ ...record, item })
    await delay(200)
    await expire('x')
    expect(await b.take('x')).toBeNull()
    expect(await other.grades.get(record.grade.id)).toBeNull()
    await takeSurely(b, 'x')
    expect(await other.grades.get(record.grade.id)).not.toBeNull()
    await Promise.all([putting, blocked])
    await close()
  })

  test('takeover against commit, many rounds: what the next holder does not see is never written', async () => {
    const { one, other, a, b, expire, close } = await openTwo()
    const ends = { written: 0, refused: 0 }
    for (let round = 0; round < 300; round++) {
      const name = `race:${round}`
      const lease = await takeSurely(a, name)
      const record = makeRecord({ key: name })
      const ofItem = planAttempt(`att_${round}`, { grade_id: `grd_${round}`, leases: [lease.token] })
      const taken = Promise.withResolvers<void>()
      // Mostly as it comes; in every tenth round surely after the takeover, whatever the machine does.
      const after = (ms: number) => (round % 10 === 0 ? taken.promise : delay(ms))
      const writing = Promise.allSettled([
        after(round % 7).then(() => one.grades.put({ ...record, leases: [lease.token] })),
        after(round % 5).then(() => one.attempts.begin(ofItem, NO_CAPS)),
      ])
      if (round % 10 === 1) await writing
      else await delay(round % 6)
      await expire(name)
      await takeSurely(b, name)
      const seen = await Promise.all([other.grades.get(record.grade.id), other.attempts.listForGrade(`grd_${round}`)])
      taken.resolve()
      const [put, begun] = await writing
      const later = await Promise.all([other.grades.get(record.grade.id), other.attempts.listForGrade(`grd_${round}`)])
      expect(later).toEqual(seen)
      expect(seen[0] === null).toBe(put.status === 'rejected')
      expect(seen[1].length === 0).toBe(begun.status === 'rejected')
      for (const end of [put, begun]) {
        if (end.status === 'rejected') expect(end.reason).toMatchObject(LOST)
        ends[end.status === 'rejected' ? 'refused' : 'written'] += 1
      }
    }
    expect(ends.written).toBeGreaterThanOrEqual(60)
    expect(ends.refused).toBeGreaterThanOrEqual(60)
    await close()
  })

  test('renewals do not wait for what is being written, and that does not wait for them', async () => {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const stores = await open(schema, { lease_seconds: 1 })
    await openBatch(stores, 'bat_1', 1)
    const lease = await takeSurely(leasesOf(stores), 'x')
    const blocked = server.query(
      `BEGIN; SELECT 1 FROM "${schema}".batch_items FOR UPDATE; SELECT pg_sleep(2.5); COMMIT`,
    )
    await delay(200)
    // It has locked the lease, and waits for longer than that lasts.
    await stores.grades.put({ ...makeRecord(), item: { batch: 'bat_1', index: 0, lease: lease.token } })
    await blocked
    expect(lease.lost.aborted).toBe(false)
    await stores.attempts.begin(planAttempt('att_1', { leases: [lease.token] }), NO_CAPS)
    await stores.close()
  })

  test('a process that was stopped and goes on knows that it has lost its lease, and the store does', async () => {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const stores = await open(schema, { lease_seconds: 1 })
    const holder = spawn(process.execPath, [HOLDER, server.url, schema], { stdio: ['pipe', 'pipe', 'inherit'] })
    const lines = createInterface(holder.stdout)[Symbol.asyncIterator]()
    expect((await lines.next()).value).toBe('holding')
    expect(await leasesOf(stores).take('x')).toBeNull()
    holder.kill('SIGSTOP')
    expect(await leasesOf(stores).wait('x')).toEqual({ result: null })
    await takeSurely(leasesOf(stores), 'x')
    holder.stdin.write('go on\n')
    holder.kill('SIGCONT')
    expect(JSON.parse(String((await lines.next()).value))).toEqual({ isLost: true, code: 'lease_lost' })
    await once(holder, 'exit')
    expect((await stores.attempts.listForGrade('grd_stalled')).map(({ id, outcome }) => [id, outcome])).toEqual([
      ['att_held', 'ok'],
    ])
    expect(await stores.attempts.findOrphan(KEY, 0, 0, REQUEST)).toMatchObject({ attempt_id: 'att_held' })
    await stores.close()
  })
})
