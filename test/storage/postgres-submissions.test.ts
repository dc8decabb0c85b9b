import { expect, test } from 'vitest'
import { NO_CAPS } from '../../src/db/spending.ts'
import { AT, openBatch } from './make-batch.ts'
import { BATCH, LIMITS, makeRequest } from './make-request.ts'
import { describePostgres } from './postgres-tools.ts'

describePostgres('submissions of several processes', (tools) => {
  async function openTwo() {
    const { newSchema, open, server } = tools()
    const schema = newSchema()
    const [one, other] = [await open(schema), await open(schema)]
    // Both are this process: as if they were on machines of their own.
    await server.query(`UPDATE "${schema}".processes SET host = id`)
    await openBatch(one, BATCH, 1)
    await one.provider.enqueue(makeRequest('att_1', 0), NO_CAPS)
    await one.provider.record({ id: 'sub_1', batch: BATCH, judge: 'openai', at: AT }, LIMITS)
    const close = () => Promise.all([one.close(), other.close()])
    return { one, other, close }
  }

  test('who was refused, and stood still, does not take back what another has sent since', async () => {
    const { one, other, close } = await openTwo()
    await other.provider.markSubmitted('sub_1', 'provider_1')
    await one.provider.withdraw('sub_1', 'too many', AT)
    expect(await one.provider.queuedJudges(BATCH)).toEqual([])
    expect(await one.provider.listOpen(BATCH)).toMatchObject([{ id: 'sub_1', provider_id: 'provider_1' }])
    // Whoever has seen that it failed at the provider does.
    await one.provider.withdraw('sub_1', 'refused', AT, 'provider_1')
    expect(await one.provider.queuedJudges(BATCH)).toHaveLength(1)
    await close()
  })

  test('nor what another sends right now', async () => {
    const { one, other, close } = await openTwo()
    await one.provider.sending('sub_1', true)
    await other.provider.sending('sub_1', true)
    expect(await one.provider.listOpen(BATCH)).toMatchObject([{ is_being_sent: true }])
    await one.provider.withdraw('sub_1', 'too many', AT)
    expect(await one.provider.queuedJudges(BATCH)).toEqual([])
    await one.provider.sending('sub_1', false)
    await other.provider.sending('sub_1', false)
    expect((await one.provider.listOpen(BATCH))[0]).not.toHaveProperty('is_being_sent')
    await close()
  })
})
