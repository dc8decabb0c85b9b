import type { Asked, Asker } from '../asking/asker.ts'
import { normalizeGroundTruth } from '../domain/cache-key.ts'
import type { Digest } from '../domain/digest.ts'
import { resolveAnchors } from '../domain/evidence/anchors.ts'
import { weakAnchors } from '../domain/evidence/weak-anchors.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { makeNonce } from '../domain/trajectory/rendering.ts'
import { textSize } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import { gradeSample } from '../grading/sample.ts'
import { answerByAnchors } from '../judges/lexical/lexical-answer.ts'
import type { JudgeRequest } from '../ports/judge-ports.ts'
import { readStored } from './read-elsewhere.ts'
import { readBody, readLine } from './read-request.ts'
import { serveWorker } from './serve-worker.ts'
import type { SampleJob, SampleStep, SentRequest, TrialJob } from './trial-jobs.ts'

/** UTF-16 units of the trajectories that are kept; the last one is, whatever its size. */
const KEPT_CHARS = 16 * 1024 * 1024

const kept = new Map<Digest, Trajectory>()
let keptChars = 0
const rubrics = new Map<Digest, Rubric>()

/** A sample that waits for its call. */
interface Open {
  reply(asked: Asked | null): void
  /** Hears of the next step. */
  step: PromiseWithResolvers<SampleStep>
}
const open = new Map<number, Open>()

serveWorker((job: TrialJob): unknown => {
  if (job.kind === 'body') return readBody(job, keep)
  if (job.kind === 'line') return readLine(job, keep)
  if (job.kind === 'sample') return begin(job)
  const sample = open.get(job.id)
  open.delete(job.id)
  if (job.kind === 'drop') return null
  if (sample === undefined) throw new Error(`no sample ${job.id} is open`)
  sample.step = Promise.withResolvers()
  sample.reply(job.asked)
  return sample.step.promise
})

function keep(trajectory: Trajectory): void {
  forget(trajectory.id)
  kept.set(trajectory.id, trajectory)
  keptChars += textSize(trajectory)
  for (const id of kept.keys()) {
    if (keptChars <= KEPT_CHARS || id === trajectory.id) break
    forget(id)
  }
}

function forget(id: Digest): void {
  const trajectory = kept.get(id)
  if (trajectory === undefined) return
  kept.delete(id)
  keptChars -= textSize(trajectory)
}

function begin(job: SampleJob): Promise<SampleStep> | SampleStep {
  const { document, limits } = job
  const trajectory = kept.get(job.trajectory) ?? (document === null ? null : readStored(document, limits))
  if (trajectory === null) return { kind: 'unknown' }
  keep(trajectory)
  const { info, rubric: sent, rubric_digest, ...rest } = job.question
  // One object for equal ones: anchors are worked out once for each.
  const given = { ...rest, ground_truth: normalizeGroundTruth(rest.ground_truth) }
  if (sent !== null) rubrics.set(rubric_digest, sent)
  const rubric = rubrics.get(rubric_digest)
  if (rubric === undefined) throw new Error('the rubric was never sent')
  const anchors = resolveAnchors(given.ground_truth)
  const judge = { info, ask: () => Promise.reject(new Error('a worker asks nobody')) }
  const nonce = makeNonce(given.secret, trajectory)
  const question = { ...given, trajectory, anchors, rubric, judge, nonce }
  const sample: Open = { reply: () => undefined, step: Promise.withResolvers() }
  const ask: Asker = (asking, request) => {
    const found =
      info.kind === 'lexical' ? JSON.stringify(answerByAnchors(trajectory, given.ground_truth, anchors)) : null
    return new Promise((reply) => {
      sample.reply = reply
      open.set(job.id, sample)
      sample.step.resolve({ kind: 'ask', asking, request: sentOf(request, found) })
    })
  }
  const clock = { now: () => new Date(job.now), sleep: () => Promise.resolve() }
  gradeSample({ ask, clock, deadline_ms: job.deadline_ms }, question, job.sample).then(
    (result) =>
      sample.step.resolve({ kind: 'done', result, weak: weakAnchors(given.ground_truth, trajectory) }),
    (error: unknown) => sample.step.reject(error),
  )
  return sample.step.promise
}

function sentOf({ system: _, answer_schema: __, evidence: ___, ...request }: JudgeRequest, found: string | null) {
  return { ...request, found } satisfies SentRequest
}
