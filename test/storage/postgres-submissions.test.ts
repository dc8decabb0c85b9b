import { expect, test } from 'vitest'
import { NO_CAPS } from '../../src/db/spending.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { ask, kindOf } from './contract-reserve.ts'
import { AT, openBatch, readBatch } from './make-batch.ts'
import { answered, BATCH, LIMITS, makeRequest } from './make-request.ts'
import { describePostgres, type PostgresTools } from './postgres-tools.ts'

/** Opens the stores of two processes over one schema. */
async function openTwo({ newSchema, open }: PostgresTools) {
  const schema = newSchema()
  const [one, other] = [await open(schema), await open(schema)]
  return { one, other, close: () => Promise.all([one.close(), other.close()]) }
}

describePostgres('submissions of several processes', (tools) => {
  async function openSubmitted() {
    const both = await openTwo(tools())
    await openBatch(both.one, BATCH, 1)
    await both.one.provider.enqueue(makeRequest('att_1', 0), NO_CAPS)
    await both.one.provider.record({ id: 'sub_1', batch: BATCH, judge: 'openai', at: AT }, LIMITS)
    return both
  }

  test('who was refused, and stood still, does not take back what another has sent since', async () => {
    const { one, other, close } = await openSubmitted()
    await other.provider.markSubmitted('sub_1', 'provider_1')
    await one.provider.withdraw('sub_1', 'too many', AT)
    const again = { id: 'sub_2', batch: BATCH, judge: 'openai', at: AT }
    expect(await one.provider.record(again, LIMITS)).toBeNull()
    expect(await one.provider.listOpen(BATCH)).toMatchObject([{ id: 'sub_1', provider_id: 'provider_1' }])
    // Whoever has seen that it failed at the provider does.
    await one.provider.withdraw('sub_1', 'refused', AT, 'provider_1')
    expect(await one.provider.record(again, LIMITS)).not.toBeNull()
    await close()
  })

  test('two that end the last two questions of an item at the same time wake it', async () => {
    const { one, other, close } = await openSubmitted()
    const rounds = 25
    await openBatch(one, 'bat_2', rounds)
    const request = (id: string, index: number, sample: number) => {
      const made = makeRequest(id, index, { sample, batch: 'bat_2' })
      return { ...made, item: { batch: 'bat_2', index } }
    }
    for (let index = 0; index < rounds; index++) {
      for (const sample of [0, 1]) {
        await one.provider.enqueue(request(`att_${index}_${sample}`, index, sample), NO_CAPS)
        await one.provider.record({ id: `prb_${index}_${sample}`, batch: 'bat_2', judge: 'openai', at: AT }, LIMITS)
      }
      const ends = [one, other].map(({ provider }, sample) =>
        provider.storeEnds(`prb_${index}_${sample}`, [answered(`att_${index}_${sample}`)]),
      )
      expect(await Promise.all(ends)).toEqual([1, 1])
    }
    expect((await readBatch(one, 'bat_2')).counts).toMatchObject({ pending: rounds, running: 0 })
    await close()
  })

  test('a question of two items that two processes ask at the same time is queued once', async () => {
    const { one, other, close } = await openSubmitted()
    const rounds = 20
    await openBatch(one, 'bat_2', 2 * rounds)
    for (let at = 0; at < rounds; at++) {
      const requests = [one, other].map((stores, n) => {
        const index = 2 * at + n
        const made = makeRequest(`att_${index}`, index, { batch: 'bat_2', key: digestBytes(`question ${at}`) })
        return stores.provider.enqueue({ ...made, item: { batch: 'bat_2', index } }, NO_CAPS)
      })
      expect(await Promise.all(requests)).toEqual([null, null])
    }
    expect((await readBatch(one, 'bat_2')).counts).toMatchObject({ pending: rounds, running: rounds })
    await close()
  })

  test('the same ends, read by two at the same time, count once', async () => {
    const { one, other, close } = await openSubmitted()
    await openBatch(one, 'bat_2', 30)
    for (let index = 0; index < 30; index++) {
      const { planned, line } = makeRequest(`att_b${index}`, index, { batch: 'bat_2' })
      await one.provider.enqueue({ planned, line, item: { batch: 'bat_2', index } }, NO_CAPS)
    }
    const both = [one, other]
    const recorded = await Promise.all(
      both.map(({ provider }, at) =>
        provider.record({ id: `prb_${at}`, batch: 'bat_2', judge: 'openai', at: AT }, LIMITS),
      ),
    )
    const id = recorded.find((submission) => submission?.requests === 30)?.id ?? ''
    expect(recorded.filter((submission) => submission !== null)).toHaveLength(1)
    const ends = Array.from({ length: 30 }, (_, index) => answered(`att_b${index}`))
    expect((await Promise.all(both.map(({ provider }) => provider.storeEnds(id, ends)))).sort()).toEqual([0, 30])
    expect(await readBatch(other, 'bat_2')).toMatchObject({ calls: { made: 30 }, cost_usd: 7.5 })
    await close()
  })
})

describePostgres('the end of a cancelled batch', (tools) => {
  test('one process at a time cancels the open items; another does not wait for that process', async () => {
    const { one, other, close } = await openTwo(tools())
    await openBatch(one, 'bat_1', 1)
    await one.batches.requestCancel('bat_1')
    const at = '2026-11-21T10:00:00.000Z'
    await one.db.write(async (sql) => {
      await sql.query("SELECT seq FROM batches WHERE id = 'bat_1' FOR UPDATE")
      expect(await other.batches.finishCancel('bat_1', at)).toBe(false)
    })
    expect(await other.batches.finishCancel('bat_1', at)).toBe(true)
    expect((await one.batches.get('bat_1'))?.counts).toMatchObject({ pending: 0, cancelled: 1 })
    await close()
  })
})

describePostgres('turns of calls over several processes', (tools) => {
  async function openTurns() {
    const { one, other, close } = await openTwo(tools())
    return { of: (n: number) => (n % 2 === 0 ? one : other), close }
  }
  const kinds = async (asked: readonly ReturnType<typeof ask>[]) =>
    Object.groupBy(await Promise.all(asked.map(kindOf)), (kind) => kind)
  const many = Array.from({ length: 40 }, (_, n) => n)

  test('of equal questions at the same time one is asked', async () => {
    const { of, close } = await openTurns()
    const { call, wait } = await kinds(many.map((n) => ask(of(n), `att_${n}`, 0, { limit: 99 })))
    expect([call?.length, wait?.length]).toEqual([1, 39])
    await close()
  })

  test('of many at the same time no more calls begin than the judge takes', async () => {
    const { of, close } = await openTurns()
    const questions = many.map((n) => ask(of(n), `att_${n}`, 0, { limit: 5, key: digestBytes(`${n}`) }))
    const { call, wait } = await kinds(questions)
    expect([call?.length, wait?.length]).toEqual([5, 35])
    await close()
  })

  test('no call is lost while the server is young: a process may hold the reply', async () => {
    const { of, close } = await openTurns()
    const { server } = tools()
    await ask(of(0), 'att_1')
    await server.stop()
    await server.start()
    expect(await kindOf(ask(of(1), 'att_2', 3_600_000))).toBe('wait')
    expect(await of(1).attempts.markLost('2027')).toBe(0)
    await close()
  })
})
