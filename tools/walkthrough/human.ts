import type { Disagreement } from '../../src/schemas/audit/disagreement.ts'
import type { ReviewRequest, Sampling } from '../../src/schemas/audit/review.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { type Behaviour, LABELS } from '../../src/schemas/vocabulary.ts'
import { chance } from './chance.ts'
import type { Service } from './service.ts'
import type { Trial } from './trials.ts'

export const RATER = 'Ada'
const SLIPS = 0.02
const CANNOT_TELL = 0.02

/** A human is PLAYED, too: knows what happened, slips once in fifty, and once in fifty cannot tell. */
function labelBy(trial: Trial): Behaviour | null {
  const luck = chance('human', trial.marker)
  if (luck < CANNOT_TELL) return null
  if (luck > 1 - SLIPS) return LABELS[(LABELS.indexOf(trial.label) + 1) % LABELS.length] ?? null
  return trial.label
}

async function review(service: Service, gradeId: string, trial: Trial, sampling: Sampling): Promise<void> {
  const label = labelBy(trial)
  const body: ReviewRequest = {
    rater: RATER,
    label,
    blind: true,
    sampling,
    ...(label === null && { comment: 'The screen does not show whether it was carried out.' }),
  }
  await service.post(`/v1/grades/${gradeId}/reviews`, body)
}

export type Known = ReadonlyMap<string, Trial>

/** A random sample of the grades, with the chance that each had; answers the grades reviewed. */
export async function reviewSample(
  service: Service,
  known: Known,
  grades: readonly Grade[],
  count: number,
): Promise<readonly Grade[]> {
  const keyOf = ({ receipt }: Grade): number => chance('sample', known.get(receipt.trajectory)?.marker ?? '')
  const drawn = [...grades].sort((a, b) => keyOf(a) - keyOf(b)).slice(0, count)
  const sampling: Sampling = { design: 'random', probability: drawn.length / grades.length }
  for (const grade of drawn) {
    const trial = known.get(grade.receipt.trajectory)
    if (trial !== undefined) await review(service, grade.id, trial, sampling)
  }
  return drawn
}

/** The top of the queue, of what nobody has reviewed; answers how many. */
export async function reviewQueue(service: Service, known: Known, judge: string, count: number): Promise<number> {
  const { items } = await service.get<{ items: Disagreement[] }>(
    `/v1/disagreements?judge=${judge}&settled=false&limit=200`,
  )
  const open = items.filter(({ reviews }) => reviews.length === 0).slice(0, count)
  for (const { trajectory, grades } of open) {
    const trial = known.get(trajectory)
    const grade = grades.find((one) => one.judge === judge)
    if (trial !== undefined && grade !== undefined)
      await review(service, grade.grade_id, trial, { design: 'disagreement' })
  }
  return open.length
}
