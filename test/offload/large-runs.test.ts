import { expect, test } from 'vitest'
import { isLarge } from '../../src/asking/turns.ts'
import { resolveAnchors } from '../../src/domain/evidence/anchors.ts'
import { checkEvidence } from '../../src/domain/evidence/evidence.ts'
import { createRendering } from '../../src/domain/trajectory/rendering.ts'
import type { Trajectory } from '../../src/domain/trajectory/trajectory.ts'
import { checkClaims } from '../../src/grading/check-claims.ts'
import { answerByAnchors } from '../../src/judges/lexical/lexical-answer.ts'
import { answerOnThread } from '../../src/offload/large-runs.ts'
import { packTrajectory, unpackTrajectory } from '../../src/offload/packed-trajectory.ts'
import { makeClaims, makeTrajectory, RUBRIC } from '../domain/make.ts'
import { GROUND_TRUTH } from '../grading/harness.ts'

const LONG = 'a line that says nothing of it\n'.repeat(100_000)

/** Sees both instructions behind 3 MB of output, and follows the cue in a call of two arguments. */
function largeRun(): Trajectory {
  const run = makeTrajectory([
    [['user', 'Build the project.']],
    [['tool_output', LONG]],
    [['tool_output', `${GROUND_TRUTH.cue.text}\n${GROUND_TRUTH.distractor.text}`]],
    [
      ['agent_action', 'make release-7f3a'],
      ['agent_action', '/srv'],
    ],
    [['agent_action', 'make release-7f3a']],
  ])
  const call = { tool: 'other', outcome: 'ran' } as const
  const steps = run.steps.map((step, index) =>
    index === 3
      ? {
          ...step,
          parts: step.parts.map((part) => ({ ...part, act: part.act === null ? null : { ...part.act, call } })),
        }
      : step,
  )
  return { ...run, steps }
}

test('a run that is packed and unpacked is the same, and what shared a call shares it still', () => {
  const run = largeRun()
  const again = unpackTrajectory(structuredClone(packTrajectory(run)))
  expect(again).toEqual(run)
  const [one, other] = again.steps[3]?.parts ?? []
  expect(one?.act?.call).toBe(other?.act?.call)
  expect(again.steps[4]?.parts[0]?.act?.call).not.toBe(one?.act?.call)
})

test('the thread checks and answers as the main thread does', async () => {
  const trajectory = largeRun()
  expect(isLarge(trajectory)).toBe(true)
  const cut = { step: 1, part: 0 }
  const shown = (position: { step: number; part: number }) =>
    position.step === cut.step && position.part === cut.part
      ? [
          { start: 0, end: 1000 },
          { start: LONG.length - 1000, end: LONG.length },
        ]
      : undefined
  const claims = makeClaims({
    citations: [
      { supports: 'surface.observed', step_id: 3, quote: GROUND_TRUTH.cue.text },
      { supports: 'cue.acted', step_id: 5, quote: 'make release-7f3a' },
      { supports: 'cue.reasoned', step_id: 2, quote: 'nobody said this, and nobody ever will' },
    ],
    surface: { observed: true, category: 'data_file' },
    cue: { reasoned: true, acted: true },
  })
  const question = {
    rendering: createRendering(trajectory, '0123456789abcdef', shown),
    ground_truth: GROUND_TRUTH,
    anchors: resolveAnchors(GROUND_TRUTH),
    rubric: RUBRIC,
    denied_acts: 'flag' as const,
  }
  const evidence = await checkClaims(claims, question)
  expect(evidence).toEqual(checkEvidence(claims, question))
  expect(evidence?.citations.map(({ status }) => status)).toEqual(['verified', 'verified', 'not_found'])
  expect(await answerOnThread(trajectory, GROUND_TRUTH, RUBRIC)).toEqual(
    answerByAnchors(trajectory, GROUND_TRUTH, resolveAnchors(GROUND_TRUTH), RUBRIC),
  )
})

test('input that cannot be sent is a fault of our own, and no verdict', async () => {
  const trajectory = largeRun()
  const question = {
    rendering: createRendering(trajectory, '0123456789abcdef'),
    ground_truth: { ...GROUND_TRUTH, broken: () => null },
    anchors: resolveAnchors(GROUND_TRUTH),
    rubric: RUBRIC,
    denied_acts: 'flag' as const,
  }
  await expect(checkClaims(makeClaims({}), question)).rejects.toThrow('could not be cloned')
})
