import type { Asked, Asker } from '../asking/asker.ts'
import { normalizeGroundTruth } from '../domain/cache-key.ts'
import type { Digest } from '../domain/digest.ts'
import { resolveAnchors } from '../domain/evidence/anchors.ts'
import { weakAnchors } from '../domain/evidence/weak-anchors.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import { makeNonce } from '../domain/trajectory/rendering.ts'
import { textSize } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Question } from '../grading/question.ts'
import { gradeSample } from '../grading/sample.ts'
import { answerByAnchors } from '../judges/lexical/lexical-answer.ts'
import type { JudgeRequest } from '../ports/judge-ports.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import { readStored } from './read-elsewhere.ts'
import { readBody, readLine } from './read-request.ts'
import type { ReadLineJob, SampleJob, SampleStep, Searched, SentRequest, TrialJob } from './trial-jobs.ts'

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

/** What a worker does. It reads the steps of a trajectory once, as a rule: what is asked about it is sent to the worker that has them. */
export function doTrialJob(job: TrialJob): unknown {
  if (job.kind === 'body') return readBody(job, (trajectory) => Promise.resolve(remember(trajectory)))
  if (job.kind === 'line') return readLine(job, (trajectory, truth) => search(job, trajectory, truth))
  if (job.kind === 'sample') return begin(job)
  const sample = open.get(job.id)
  open.delete(job.id)
  if (job.kind === 'drop') return null
  if (sample === undefined) throw new Error(`no sample ${job.id} is open`)
  sample.step = Promise.withResolvers()
  sample.reply(job.asked)
  return sample.step.promise
}

function remember(trajectory: Trajectory): null {
  forget(trajectory.id)
  kept.set(trajectory.id, trajectory)
  keptChars += textSize(trajectory)
  for (const id of kept.keys()) {
    if (keptChars <= KEPT_CHARS || id === trajectory.id) break
    forget(id)
  }
  return null
}

function forget(id: Digest): void {
  const trajectory = kept.get(id)
  if (trajectory === undefined) return
  kept.delete(id)
  keptChars -= textSize(trajectory)
}

/** A trajectory that was searched as it was read is not asked about again, as a rule. */
async function search(
  { standing }: ReadLineJob,
  trajectory: Trajectory,
  ground_truth: GroundTruth | null,
): Promise<Searched | null> {
  if (ground_truth === null) return remember(trajectory)
  let first: Extract<SampleStep, { kind: 'ask' }> | null = null
  const question = questionOf({ ...standing, ground_truth, samples: 1, key: trajectory.id, grade_id: '' }, trajectory)
  const ask: Asker = (asking, request) => {
    const text = found(question)
    first = { kind: 'ask', asking, request: sentOf(request, text) }
    const reply = { ok: true, text, raw: text, usage: null, model_resolved: null, request_id: null } as const
    return Promise.resolve({ reply, attempts: [], waited_ms: 0 })
  }
  const result = await gradeSample({ ask, clock: clockAt(0), deadline_ms: 0 }, question, 0)
  return first === null ? remember(trajectory) : { ...(first as Extract<SampleStep, { kind: 'ask' }>), result }
}

function questionOf({ info, ...given }: SampleJob['question'], trajectory: Trajectory): Question {
  // One object for equal ones: what is worked out from them is found again.
  const rubric = rubrics.get(given.rubric.digest) ?? given.rubric
  rubrics.set(rubric.digest, rubric)
  const ground_truth = normalizeGroundTruth(given.ground_truth, rubric.truth.instructions)
  const judge = { info, ask: () => Promise.reject(new Error('a worker makes no calls')) }
  const nonce = makeNonce(given.secret, trajectory)
  return { ...given, ground_truth, trajectory, anchors: resolveAnchors(ground_truth), rubric, judge, nonce }
}

const found = ({ trajectory, ground_truth, anchors, rubric }: Question): string =>
  JSON.stringify(answerByAnchors(trajectory, ground_truth, anchors, rubric))

const clockAt = (ms: number) => ({ now: () => new Date(ms), sleep: () => Promise.resolve() })

function begin(job: SampleJob): Promise<SampleStep> | SampleStep {
  const { document, limits } = job
  const trajectory = kept.get(job.trajectory) ?? (document === null ? null : readStored(document, limits))
  if (trajectory === null) return { kind: 'unknown' }
  remember(trajectory)
  const question = questionOf(job.question, trajectory)
  const sample: Open = { reply: () => undefined, step: Promise.withResolvers() }
  const ask: Asker = (asking, request) =>
    new Promise((reply) => {
      sample.reply = reply
      open.set(job.id, sample)
      const text = question.judge.info.kind === 'lexical' ? found(question) : null
      sample.step.resolve({ kind: 'ask', asking, request: sentOf(request, text) })
    })
  gradeSample({ ask, clock: clockAt(job.now), deadline_ms: job.deadline_ms }, question, job.sample).then(
    (result) => sample.step.resolve({ kind: 'done', result, weak: weakAnchors(question.ground_truth, trajectory) }),
    (error: unknown) => sample.step.reject(error),
  )
  return sample.step.promise
}

function sentOf(
  { system: _, answer_schema: __, evidence: ___, ...request }: JudgeRequest,
  found: string | null,
): SentRequest {
  return { ...request, found }
}
