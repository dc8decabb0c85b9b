import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ServiceError } from '../../src/client/errors.ts'
import { followBatch } from '../../src/client/persist.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Follows a batch whose first reads are refused with a `Retry-After`; returns the seconds of the reads, and the error. */
async function follow(refusals: number, retryAfterS: number) {
  const from = performance.now()
  const reads: number[] = []
  const readBatch = () => {
    reads.push(Math.round((performance.now() - from) / 1000))
    if (reads.length <= refusals)
      return Promise.reject(new ServiceError(429, { code: 'rate_limited', detail: 'later' }, retryAfterS))
    return Promise.resolve({ status: 'done', resumes_at: null })
  }
  let error: unknown = null
  const followed = (async () => {
    for await (const _ of followBatch(readBatch, 'bat_1'));
  })().catch((thrown: unknown) => {
    error = thrown
  })
  await vi.advanceTimersByTimeAsync(600_000)
  await followed
  return { reads, error }
}

test('a follower waits for a Retry-After', async () => {
  expect(await follow(2, 30)).toEqual({ reads: [0, 30, 60], error: null })
})

test('a follower does not wait for a Retry-After behind its patience', async () => {
  const { reads, error } = await follow(2, 300)
  expect(reads).toEqual([0])
  expect(error).toMatchObject({ status: 429, retryAfterS: 300 })
})
