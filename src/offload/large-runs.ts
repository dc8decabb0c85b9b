import type { Evidence } from '../domain/evidence/evidence.ts'
import type { EvidenceQuestion } from '../domain/evidence/evidence-question.ts'
import type { Claims } from '../domain/rubric/claims.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { ShownPicture } from '../domain/trajectory/shown-pictures.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Range } from '../domain/trajectory/view.ts'
import type { LexicalAnswer } from '../judges/lexical/lexical-answer.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { LargeJob, ReadBody, ReadJob } from './large-job.ts'
import { createOffload } from './offload.ts'
import { packTrajectory } from './packed-trajectory.ts'

/** One thread for both: a run that is answered by search and then checked is there once. */
const thread = createOffload<LargeJob, unknown>(new URL('./large-runs-thread.ts', import.meta.url))

/** Parses a body and reads the trajectory in it; rejects where the thread dies. `given` is the thread’s from then on. */
export const readOnThread = (
  chunks: readonly Buffer[],
  limits: ReadJob['limits'],
  given: readonly ArrayBuffer[],
): Promise<ReadBody> => thread.run(() => ({ kind: 'read', chunks, limits }), given) as Promise<ReadBody>

/** The answer of the judge that searches; rejects where the thread dies. */
export const answerOnThread = (
  trajectory: Trajectory,
  ground_truth: GroundTruth,
  rubric: Rubric,
): Promise<LexicalAnswer> =>
  thread.run(() => ({
    ...{ kind: 'answer', trajectory: packTrajectory(trajectory), ground_truth, rubric },
  })) as Promise<LexicalAnswer>

/** The check of an answer; rejects where the thread dies. */
export const checkOnThread = (claims: Claims, question: EvidenceQuestion): Promise<Evidence> =>
  thread.run(() => checkJob(claims, question)) as Promise<Evidence>

function checkJob(claims: Claims, { rendering, ground_truth, rubric, denied_acts }: EvidenceQuestion): LargeJob {
  const { trajectory, nonce } = rendering
  const hidden: [number, number, readonly Range[]][] = []
  const pictures: [number, number, ShownPicture][] = []
  for (const [step, { parts }] of trajectory.steps.entries())
    for (const [part, one] of parts.entries()) {
      const ranges = rendering.hidden({ step, part })
      if (ranges.length > 0) hidden.push([step, part, ranges])
      const shown = rendering.pictures.get(one)
      if (shown !== undefined) pictures.push([step, part, { ...shown, picture: { ...shown.picture, data: '' } }])
    }
  return {
    ...{ kind: 'check', trajectory: packTrajectory(trajectory), ground_truth, rubric, denied_acts },
    ...{ claims, nonce, hidden, pictures },
  }
}
