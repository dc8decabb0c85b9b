import { afterEach, describe, expect, test } from 'vitest'
import { createStatisticsWorker, MOST_WAITING } from '../../src/audit/statistics-worker.ts'
import type { AgreementRequest } from '../../src/schemas/agreement.ts'

let worker = createStatisticsWorker()
afterEach(async () => {
  await worker.close()
  worker = createStatisticsWorker()
})

const makeRequest = (items: number, seed = 1): AgreementRequest => ({
  ratings: Array.from({ length: items * 2 }, (_, index) => ({
    item: `i${index >> 1}`,
    rater: `r${index & 1}`,
    label: (index * 7919) % 5 < 3 ? 'yes' : 'no',
  })),
  bootstrap: { draws: 500, seed },
})

describe('statistics in a process of their own', () => {
  test('what the function throws fails that one alone', async () => {
    const broken = worker.run('agreement', { ratings: null } as unknown as AgreementRequest)
    const good = worker.run('agreement', makeRequest(10))
    await expect(broken).rejects.toThrow(/null/)
    expect((await good).ok).toBe(true)
  })

  test('more than may wait are refused, the others answered', async () => {
    const ends = await Promise.allSettled(
      Array.from({ length: MOST_WAITING + 3 }, (_, seed) => worker.run('agreement', makeRequest(10, seed))),
    )
    const busy = ends.filter((end) => end.status === 'rejected')
    expect(busy.map((end) => end.reason.code)).toEqual(['busy', 'busy'])
  })
})
