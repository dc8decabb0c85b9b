import { describe, expect, test } from 'vitest'
import { collect } from '../collect.ts'
import { startMockBatches } from '../mock-provider/batches.ts'
import {
  APIS,
  ended,
  failureOf,
  never,
  resultsFrom,
  startBatches,
  submissionOf,
  submitted,
} from './judge-under-test.ts'

// A crash between sending a submission and recording that it was sent: the submission must be found again, and never paid for twice.
describe.each(APIS)('%s', (api) => {
  test('an accepted submission whose answer was lost is found', async () => {
    const { provider, batch } = await startBatches(api, {
      plan: (nth) => ({ drop: nth === 1, polls: 0 }),
      page_size: 2,
    })
    await submitted(batch, submissionOf(batch, 'sub_1', ['a1', 'a2']))
    const lost = submissionOf(batch, 'sub_2', ['b1', 'b2'])
    expect(await failureOf(batch.submit(lost, never()))).toMatchObject({ code: 'judge_unreachable' })
    for (const one of ['c', 'd', 'e']) await submitted(batch, submissionOf(batch, `sub_${one}`, [`${one}1`, `${one}2`]))
    expect(await batch.find(lost, never())).toBe(provider.batches[1]?.id)
    expect(provider.counts.lists).toBeGreaterThan(1)
    expect(provider.counts.submits).toBe(5)
  })

  test('one that never arrived is not found, whatever others there are', async () => {
    const { batch } = await startBatches(api, { plan: () => ({ polls: 0 }) })
    for (const one of ['a', 'b']) await submitted(batch, submissionOf(batch, `sub_${one}`, [`${one}1`, `${one}2`]))
    expect(await batch.find(submissionOf(batch, 'sub_lost', ['x1', 'x2']), never())).toBeNull()
  })

  test('the search ends with the page that is older than the record', async () => {
    let now = Date.now() - 48 * 3_600_000
    const { provider, batch } = await startBatches(api, { now: () => now, page_size: 3 })
    for (let one = 0; one < 12; one++) await submitted(batch, submissionOf(batch, `sub_${one}`, [`a${one}`]))
    now = Date.now()
    expect(await batch.find(submissionOf(batch, 'sub_x', ['x']), never())).toBeNull()
    expect(provider.counts.lists).toBe(1)
  })

  test('a list that never ends is a failure, not an answer', async () => {
    const page = (id: string) => ({
      id,
      created_at: api === 'messages' ? new Date().toISOString() : Math.floor(Date.now() / 1000),
      request_counts: { processing: 9, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    })
    const body = JSON.stringify({ data: [page('batch_1')], has_more: true, first_id: 'batch_1', last_id: 'batch_1' })
    const { batch } = await startBatches(api, {
      intercept: () => ({ status: 200, body, headers: { 'content-type': 'application/json' } }),
    })
    const failure = await failureOf(batch.find(submissionOf(batch, 'sub_x', ['x']), never()))
    expect(failure).toMatchObject({ code: 'judge_unreachable' })
  })
})

describe('messages', () => {
  test('one that still runs is not taken for ours, nor is it said that there is none', async () => {
    const { provider, batch } = await startBatches('messages', { plan: (nth) => ({ drop: nth === 1, polls: 1 }) })
    const other = await submitted(batch, submissionOf(batch, 'sub_1', ['a1', 'a2']))
    const lost = submissionOf(batch, 'sub_2', ['b1', 'b2'])
    await failureOf(batch.submit(lost, never()))
    expect(await failureOf(batch.find(lost, never()))).toMatchObject({ retryable: true })
    await ended(batch, other)
    await ended(batch, provider.batches[1]?.id ?? '')
    expect(await batch.find(lost, never())).toBe(provider.batches[1]?.id)
  })

  test('a batch of another size is never waited for', async () => {
    const { batch } = await startBatches('messages', { plan: () => ({ polls: 1000 }) })
    await submitted(batch, submissionOf(batch, 'sub_1', ['a1', 'a2', 'a3']))
    expect(await batch.find(submissionOf(batch, 'sub_2', ['b1']), never())).toBeNull()
  })

  test('results are not fetched from an address that the provider names', async () => {
    const { provider, batch } = await startBatches('messages', { plan: () => ({ polls: 0 }) })
    const elsewhere = await startMockBatches()
    const asked: string[] = []
    elsewhere.controls.intercept = (_method, path) => {
      asked.push(path)
      return undefined
    }
    const id = await submitted(batch, submissionOf(batch, 'sub_1', ['a1']))
    await ended(batch, id)
    provider.origin = elsewhere.origin
    expect(await collect(resultsFrom(batch, id))).toMatchObject([{ custom_id: 'a1' }])
    expect(asked).toEqual([])
  })
})
