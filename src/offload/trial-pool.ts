import type { Worker } from 'node:worker_threads'
import type { TrialReader } from '../archives/trials/trial-item.ts'
import type { Asked, Asking } from '../asking/asker.ts'
import { isLarge, LARGE } from '../asking/turns.ts'
import type { Digest } from '../domain/digest.ts'
import { rememberWeakAnchors } from '../domain/evidence/weak-anchors.ts'
import { fullCoverage } from '../domain/trajectory/rendering.ts'
import { measureOf } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import type { Question } from '../grading/question.ts'
import type { gradeSample } from '../grading/sample.ts'
import { type SampleDeps, type SampleResult, WORKER_LOST } from '../grading/sample-calls.ts'
import type { JudgeRequest } from '../ports/judge-ports.ts'
import { SharedMemory } from './shared-memory.ts'
import { trialCode } from './trial-code.ts'
import type {
  ReadBody,
  ReadBodyJob,
  ReadRequest,
  SampleStep,
  Searched,
  SentRequest,
  Standing,
  TrialJob,
} from './trial-jobs.ts'
import { createWorkerPool, type PoolOptions, WorkerGone, WorkerLost } from './worker-pool.ts'

/** Bytes of lines that are read here before workers are started: a handful of trials is done by then. */
const FIRST_BYTES = 4 * 1024 * 1024
/** Lines that are being read, and the memory that they take. */
const MOST_LINES = 64
const MOST_HELD = 3 * 1024 * 1024

export interface GradingInPool {
  readonly limits: ReadLimits
  /** A trajectory as it is stored. */
  readonly load: (id: Digest) => Promise<Uint8Array | null>
}

/** What was found in a trajectory as it was read, how it was asked for, and for which ground truth. */
interface Known extends Searched {
  readonly by: Standing
  readonly truth: string
}

/** The calls of a sample in their order: one that is begun anew, as its worker was lost to other work, finds them, and no judge is asked twice. */
interface Calls {
  readonly made: (Asked | null)[]
  /** Pictures that were shown last. */
  images: number
}

/**
 * Workers that read trajectories and grade what they have read; calls of judges are made here. A worker that is lost takes with it the one piece
 * of work that it was at; all else is begun anew in another.
 */
export class TrialPool {
  private readonly pool: ReturnType<typeof createWorkerPool<TrialJob, unknown>>
  private readonly first_bytes: number
  private threads = 0
  private lastId = 0
  /** Which worker has the steps of a trajectory. */
  private readonly homes = new WeakMap<Trajectory, Worker>()
  private readonly known = new WeakMap<Trajectory, Known>()
  /** How the judge that searches was asked last: most likely, the next line is asked about in the same way, and is searched as it is read. */
  private expected: Standing | null = null

  constructor(module: URL, { first_bytes = FIRST_BYTES, ...options }: PoolOptions & { first_bytes?: number } = {}) {
    this.pool = createWorkerPool(module, options)
    this.first_bytes = first_bytes
  }

  /** Workers for many trials; 0: only large ones leave the main thread, for one worker. */
  useThreads(threads: number): void {
    this.threads = threads
    this.pool.resize(threads)
  }

  /**
   * Parses a body and reads the trajectory in it, whose document stays with the worker. Rejects with `WorkerLost` where that takes too much. `given`
   * is the worker’s from then on.
   */
  async readBody(
    chunks: readonly Buffer[],
    limits: ReadBodyJob['limits'],
    given: readonly ArrayBuffer[],
  ): Promise<{ readonly value: unknown } | Extract<ReadBody, { refused: unknown }>> {
    const { output, worker } = await this.pool.run(() => ({ kind: 'body', chunks, limits }), { given })
    const read = output as ReadBody
    return 'refused' in read ? read : { value: await this.standIn(read, limits, worker) }
  }

  /** Reads the lines of files in the pool: once there are enough of them, and where the judge that searches is asked. */
  async reader(): Promise<TrialReader> {
    const { readAnywhere } = await trialCode()
    let seen = 0
    let held = 0
    const memory = new SharedMemory(MOST_HELD)
    let free = Promise.withResolvers<void>()
    return {
      at_once: MOST_LINES,
      trajectory: readAnywhere,
      async ready() {
        while (held > MOST_HELD) await free.promise
      },
      line: (bytes, limits) => {
        seen += bytes.length
        const { expected } = this
        if (this.threads === 0 || seen < this.first_bytes || expected === null) return null
        // The caller uses its own memory again.
        const copy = memory.copyOf(bytes)
        held += copy.buffer.byteLength
        const read = async () => {
          const line = await this.readLine(copy, limits, expected)
          // A worker that was lost may still read it.
          if (line !== null) memory.release(copy)
          held -= copy.buffer.byteLength
          free.resolve()
          free = Promise.withResolvers()
          return line
        }
        return read()
      },
    }
  }

  /** Grades a sample about a large trajectory, or about one that a worker has read, in the pool; all others here. */
  grader(given: GradingInPool): typeof gradeSample {
    return async (deps, question, sample) => {
      const { trajectory, judge, rubric, denied_acts, secret } = question
      this.expected = judge.info.kind === 'lexical' ? { info: judge.info, rubric, denied_acts, secret } : null
      if (measureOf(trajectory) === undefined && !isLarge(trajectory))
        return (await trialCode()).gradeSample(deps, question, sample)
      const calls: Calls = { made: [], images: 0 }
      const result = await this.useKnown(deps, question, sample, calls)
      if (result !== null) return result
      try {
        return await again(() => this.grade(given, deps, question, sample, calls))
      } catch (error) {
        if (error instanceof WorkerLost) return lost(trajectory, calls)
        throw error
      }
    }
  }

  private async readLine(bytes: Uint8Array, limits: ReadLimits, by: Standing) {
    try {
      const make = (): TrialJob => ({ kind: 'line', bytes, limits, standing: by })
      const { output, worker } = await again(() => this.pool.run(make, { weight: bytes.length }))
      const read = output as ReadRequest | null
      return read === null ? null : { value: await this.standIn(read, limits, worker, by) }
    } catch {
      // Whatever it was, it was this line: those behind it are read.
      return null
    }
  }

  private async standIn(read: ReadRequest, limits: ReadLimits, worker: Worker, by: Standing | null = null) {
    const { withStandIn } = await trialCode()
    return withStandIn(read, limits, (trajectory, { searched, weak }) => {
      if (searched === null || weak === null || by === null) this.homes.set(trajectory, worker)
      else this.known.set(trajectory, { ...searched, by, truth: JSON.stringify(weak.truth) })
    })
  }

  /** The call is made and recorded as any. Null: nothing fitting is known, or the call came to something else than what was checked. */
  private async useKnown(
    deps: SampleDeps,
    question: Question,
    sample: number,
    calls: Calls,
  ): Promise<SampleResult | null> {
    const known = this.known.get(question.trajectory)
    if (known === undefined || !fits(known, question)) return null
    const { grade_id, key } = question
    const deadline = deps.clock.now().getTime() + deps.deadline_ms
    const asked = await deps.ask(
      { ...known.asking, grade_id, key, sample, deadline },
      requestOf(question, known.request),
    )
    calls.made.push(asked)
    if (!asked?.reply.ok || asked.reply.text !== known.request.found) return null
    return { ...known.result, attempts: asked.attempts, model_resolved: asked.reply.model_resolved }
  }

  private async grade(
    { limits, load }: GradingInPool,
    deps: SampleDeps,
    question: Question,
    sample: number,
    calls: Calls,
  ): Promise<SampleResult> {
    const { trajectory } = question
    const job = { kind: 'sample' as const, id: ++this.lastId, sample, limits, ...sentQuestion(deps, question) }
    const weight = measureOf(trajectory)?.text ?? LARGE
    const begin = (rather: Worker | undefined, document: Uint8Array | null) =>
      this.pool.run(() => ({ ...job, document }), { rather, weight })
    const home = this.homes.get(trajectory)
    let { output, worker } = await begin(home, home === undefined ? await loaded(load, trajectory) : null)
    if ((output as SampleStep).kind === 'unknown')
      ({ output, worker } = await begin(worker, await loaded(load, trajectory)))
    this.homes.set(trajectory, worker)
    for (let call = 0; ; call++) {
      const step = output as SampleStep
      if (step.kind === 'unknown') throw new Error('a worker does not have the trajectory that it was sent')
      if (step.kind === 'done') {
        rememberWeakAnchors(question.ground_truth, trajectory, step.weak)
        return step.result
      }
      calls.images = step.request.images.length
      const asked =
        calls.made[call] ?? (await this.ask(deps, requestOf(question, step.request), step.asking, worker, job.id))
      calls.made[call] = asked
      output = (await this.pool.run(() => ({ kind: 'reply', id: job.id, asked }), { only: worker })).output
    }
  }

  /** Makes the call of a sample that waits for it in a worker. */
  private async ask(deps: SampleDeps, request: JudgeRequest, asking: Asking, worker: Worker, id: number) {
    const release = this.pool.hold(worker)
    try {
      return await deps.ask(asking, request)
    } catch (error) {
      this.pool.run(() => ({ kind: 'drop', id }), { only: worker }).catch(() => undefined)
      throw error
    } finally {
      release()
    }
  }
}

/** One pool for the process: what it divides are the processors of the machine. */
export const trialPool = new TrialPool(new URL('./trial-worker.ts', import.meta.url))

const fits = ({ by, truth }: Known, { judge, rubric, denied_acts, secret, ground_truth }: Question): boolean =>
  by.info === judge.info &&
  by.rubric === rubric &&
  by.denied_acts === denied_acts &&
  by.secret === secret &&
  truth === JSON.stringify(ground_truth)

/** Begins anew what came to nothing because of other work. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error
    }
  }
}

async function loaded(load: GradingInPool['load'], { id }: Trajectory): Promise<Uint8Array> {
  const document = await load(id)
  if (document === null) throw new Error(`the trajectory ${id} is not stored`)
  // A copy: a view of a larger buffer would bring all of that along.
  return new Uint8Array(document)
}

function sentQuestion({ clock, deadline_ms }: SampleDeps, question: Question) {
  const { ground_truth, samples, key, grade_id, judge, trajectory, rubric, denied_acts, secret } = question
  return {
    trajectory: trajectory.id,
    question: { info: judge.info, rubric, denied_acts, secret, ground_truth, samples, key, grade_id },
    now: clock.now().getTime(),
    deadline_ms,
  }
}

const requestOf = (
  { judge, rubric, trajectory, ground_truth }: Question,
  { found, ...request }: SentRequest,
): JudgeRequest => ({
  ...request,
  system: judge.info.kind === 'lexical' ? '' : rubric.system,
  answer_schema: rubric.answer_schema,
  evidence: { trajectory, ground_truth, rubric, ...(found !== null && { found }) },
})

/** What was paid for is told all the same. */
function lost(trajectory: Trajectory, { made, images }: Calls): SampleResult {
  const asked = made.filter((one) => one !== null)
  const coverage = measureOf(trajectory)?.coverage ?? fullCoverage(trajectory)
  return {
    kind: 'failed',
    failure: WORKER_LOST,
    attempts: asked.flatMap(({ attempts }) => attempts),
    coverage: { ...coverage, media_shown: images },
    model_resolved: asked.findLast(({ reply }) => reply.model_resolved !== null)?.reply.model_resolved ?? null,
  }
}
