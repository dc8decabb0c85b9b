import { expect, test, vi } from 'vitest'
import { PNG, runWithPictures } from '../pictures.ts'
import { GOOD_ANSWER, GROUND_TRUTH, REQUEST, scriptedJudge, startService } from './harness.ts'

vi.mock('../../src/grading/check-claims.ts', () => ({ checkClaims: () => Promise.resolve(null) }))

test('a check that came to nothing fails, and does not ask again without the pictures that the provider took', async () => {
  const judge = scriptedJudge([GOOD_ANSWER], { images: true })
  const trajectory = runWithPictures([{ media_type: 'image/png', path: 'board.png', data: PNG }])
  const { service } = startService([judge])
  const made = await service.grade({ ...REQUEST, trajectory, ground_truth: GROUND_TRUTH })
  expect(made).toMatchObject({
    ok: true,
    grade: {
      status: 'failed',
      failure: { code: 'internal' },
      receipt: { coverage: { media_shown: 1 } },
    },
  })
  expect(judge.requests).toHaveLength(1)
})
