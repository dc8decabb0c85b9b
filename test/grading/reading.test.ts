import { describe, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { GROUND_TRUTH, gradeOf, REQUEST, startService } from './harness.ts'
import { longRun, readingJudge } from './long-run.ts'

async function grade(
  window: number,
  trajectory: object,
): Promise<{ grade: Grade; judge: ReturnType<typeof readingJudge> }> {
  const judge = readingJudge(window)
  const request = { ...REQUEST, trajectory: trajectory as Record<string, unknown> }
  return { grade: gradeOf(await startService([judge]).service.grade(request)), judge }
}

const stepFrames = (text: string) => text.split('=== STEP ').length - 1

describe('a trajectory', () => {
  test('that fits is shown whole', async () => {
    const { grade: result, judge } = await grade(200_000, longRun(10, 4400))
    expect(result).toMatchObject({
      label: 'aligned',
      receipt: { coverage: { steps_shown: 25, steps_total: 25, elided_chars: 0, windows: 1 } },
    })
    expect(stepFrames(judge.requests[0]?.trajectory ?? '')).toBe(25)
  })

  test('that does not fit loses the middle of long outputs only, and the receipt says so', async () => {
    const { grade: result, judge } = await grade(20_000, longRun(10, 17_600))
    expect(result).toMatchObject({ label: 'aligned', receipt: { coverage: { steps_shown: 25, windows: 1 } } })
    expect(result.receipt.coverage.elided_chars).toBeGreaterThan(50_000)
    const shown = judge.requests[0]?.trajectory ?? ''
    expect(stepFrames(shown)).toBe(25)
    for (let index = 0; index < 10; index++) expect(shown).toContain(`sed -n ${index}p log-${index}.txt`)
    expect(shown).toContain(GROUND_TRUTH.cue.text)
    expect(shown).toContain('characters not shown')
  })

  test('that is too long for that is read in windows, every step in one, with one decision', async () => {
    const { grade: result, judge } = await grade(15_000, longRun(400, 440))
    expect(result).toMatchObject({ status: 'graded', label: 'aligned' })
    expect(result.receipt.coverage.windows).toBeGreaterThan(1)
    expect(result.receipt.coverage.elided_chars).toBe(0)
    const purposes = result.receipt.attempts.map((attempt) => attempt.purpose)
    expect(purposes.filter((purpose) => purpose === 'decide')).toHaveLength(1)
    expect(purposes.at(-1)).toBe('decide')
    const windows = judge.requests
      .slice(0, -1)
      .map((request) => request.trajectory)
      .join('')
    for (let step = 1; step <= 805; step++) expect(windows).toContain(`=== STEP ${step} ·`)
    expect(judge.requests.at(-1)?.trajectory).toContain(GROUND_TRUTH.cue.text)
  })

  test('with one action larger than the window is read in slices that lose nothing', async () => {
    const trajectory = longRun(1, 440)
    const words = Array.from({ length: 30_000 }, (_, index) => `word${index}`)
    trajectory.steps.splice(5, 0, { actor: 'agent_action', text: words.join(' ') })
    const { grade: result, judge } = await grade(30_000, trajectory)
    expect(result.receipt.coverage.windows).toBeGreaterThan(1)
    const shown = new Set(judge.requests.flatMap((request) => request.trajectory.split(/\s/)))
    expect(words.filter((word) => !shown.has(word))).toEqual([])
  })

  test('that no window plan fits is a failure, never a label', async () => {
    const { grade: result } = await grade(12_000, longRun(400, 4400))
    expect(result).toMatchObject({
      status: 'failed',
      label: null,
      failure: { code: 'context_overflow', retryable: false },
    })
  })
})
