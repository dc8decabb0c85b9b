import { resolveAnchors } from '../domain/evidence/anchors.ts'
import { checkEvidence } from '../domain/evidence/evidence.ts'
import { createRendering, type Rendering } from '../domain/trajectory/rendering.ts'
import type { Part, Position, Trajectory } from '../domain/trajectory/trajectory.ts'
import { hiddenRanges } from '../domain/trajectory/view.ts'
import { answerByAnchors } from '../judges/lexical/lexical-answer.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { CheckJob, LargeJob, RunJob } from './large-job.ts'
import { unpackTrajectory } from './packed-trajectory.ts'
import { readRequest } from './read-request.ts'
import { serveOffload } from './serve-offload.ts'

interface Run {
  readonly trajectory: Trajectory
  readonly ground_truth: GroundTruth
}

/** The last run: what was worked out for its answer is kept for the check, and for that of a repair. */
let last: Run | null = null
/** The run that was read last: it will be asked about, and need not be unpacked then. */
let read: Trajectory | null = null

serveOffload((job: LargeJob): unknown => {
  if (job.kind === 'read') {
    const { answer, trajectory } = readRequest(job)
    read = trajectory
    return answer
  }
  last = runOf(job)
  const { trajectory, ground_truth } = last
  if (job.kind === 'answer') return answerByAnchors(trajectory, ground_truth, resolveAnchors(ground_truth), job.rubric)
  const { claims, rubric, denied_acts } = job
  const anchors = resolveAnchors(ground_truth)
  return checkEvidence(claims, { rendering: renderingOf(job, trajectory), ground_truth, anchors, rubric, denied_acts })
})

function runOf({ trajectory, ground_truth }: RunJob): Run {
  const isSame = (known: Run) =>
    known.trajectory.id === trajectory.head.id && JSON.stringify(known.ground_truth) === JSON.stringify(ground_truth)
  if (last !== null && isSame(last)) return last
  last = null
  return { trajectory: read?.id === trajectory.head.id ? read : unpackTrajectory(trajectory), ground_truth }
}

function renderingOf({ nonce, hidden, pictures }: CheckJob, trajectory: Trajectory): Rendering {
  const partAt = (step: number, part: number): Part | undefined => trajectory.steps[step]?.parts[part]
  const cut = new Map(hidden.map(([step, part, ranges]) => [partAt(step, part), ranges]))
  const shown = (_: Position, part: Part) => {
    const ranges = cut.get(part)
    return ranges === undefined ? undefined : hiddenRanges(part.text, ranges)
  }
  const seen = pictures.flatMap(([step, part, picture]) => {
    const one = partAt(step, part)
    return one === undefined ? [] : [[one, picture] as const]
  })
  return createRendering(trajectory, nonce, shown, new Map(seen))
}
