import type { Worker } from 'node:worker_threads'
import type { TrialReader } from '../archives/trials/trial-reader.ts'
import type { Asked } from '../asking/asker.ts'
import { isLarge, LARGE } from '../asking/turns.ts'
import type { Digest } from '../domain/digest.ts'
import { rememberWeakAnchors } from '../domain/evidence/weak-anchors.ts'
import { measureOf } from '../domain/trajectory/measure.ts'
import { fullCoverage } from '../domain/trajectory/rendering.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import type { Question } from '../grading/question.ts'
import { gradeSample } from '../grading/sample.ts'
import { type SampleDeps, type SampleResult, WORKER_LOST } from '../grading/sample-calls.ts'
import type { JudgeInfo, JudgeRequest } from '../ports/judge-ports.ts'
import { readAnywhere, withStandIn } from './read-elsewhere.ts'
import type {
  ReadBody,
  ReadBodyJob,
  ReadRequest,
  SampleStep,
  Searched,
  SentRequest,
  Standards,
  TrialJob,
} from './trial-jobs.ts'
import { createWorkerPool, WorkerGone, WorkerLost } from './worker-pool.ts'

/** One pool for the process: what it is divided by is the processors of the machine. */
const pool = createWorkerPool<TrialJob, unknown>(new URL('./trial-worker.ts', import.meta.url))
let threads = 0

/** Workers for many trials; 0: only large ones leave the main thread, for one worker. */
export function useThreads(count: number): void {
  threads = count
  pool.resize(count)
}

/** Which worker read a trajectory, and has its steps. */
const homes = new WeakMap<Trajectory, Worker>()
const rubricsOf = new WeakMap<Worker, Set<Digest>>()

/**
 * Parses a body and reads the trajectory in it; the document stays with the worker. Rejects with `WorkerLost` where it takes too much. `given` is
 * the worker’s from then on.
 */
export async function readBodyInPool(
  chunks: readonly Buffer[],
  limits: ReadBodyJob['limits'],
  given: readonly ArrayBuffer[],
): Promise<{ readonly value: unknown } | Refused> {
  const { output, worker } = await again(() => pool.run(() => ({ kind: 'body', chunks, limits }), { given }))
  const read = output as ReadBody
  return 'refused' in read ? read : { value: standIn(read, limits, worker) }
}

type Refused = Extract<ReadBody, { refused: unknown }>

/** Bytes of lines that are read here before workers are started: a handful of trials is done by then. */
const FIRST_BYTES = 4 * 1024 * 1024

/** Lines, and bytes of lines, that are being read. */
const MOST_LINES = 64
const MOST_HELD = 3 * 1024 * 1024

/** Reads the lines of files in the pool, once there are enough of them. */
export function createPoolReader(): TrialReader {
  let seen = 0
  let held = 0
  let free = Promise.withResolvers<void>()
  return {
    at_once: MOST_LINES,
    async ready() {
      while (held > MOST_HELD) await free.promise
    },
    trajectory: readAnywhere,
    line(bytes, limits) {
      seen += bytes.length
      if (threads === 0 || seen < FIRST_BYTES) return null
      held += bytes.length
      // The caller uses the memory again.
      return readLine(new Uint8Array(bytes), limits).finally(() => {
        held -= bytes.length
        free.resolve()
        free = Promise.withResolvers()
      })
    },
  }
}

async function readLine(bytes: Uint8Array, limits: ReadLimits): Promise<{ readonly value: unknown } | null> {
  const by = expected
  const job = (on: Worker): TrialJob => ({
    ...{ kind: 'line', bytes, limits },
    standards: by === null ? null : standardsOf(by, on),
  })
  try {
    const { output, worker } = await again(() => pool.run(job, { weight: bytes.length }))
    return { value: standIn(output as ReadRequest, limits, worker, by) }
  } catch (error) {
    if (error instanceof WorkerLost) return null
    throw error
  }
}

const standIn = (read: ReadRequest, limits: ReadLimits, worker: Worker, by: Standing | null = null): unknown =>
  withStandIn(read, limits, (trajectory, { searched, weak }) => {
    if (searched === null || weak === null || by === null) homes.set(trajectory, worker)
    else searches.set(trajectory, { ...searched, by, truth: JSON.stringify(weak.truth) })
  })

/** Grades a sample about a large trajectory, or about one that a worker has read, in the pool; all others here. */
export function gradeInPool({ limits, load }: PoolDeps): typeof gradeSample {
  return async (deps, question, sample) => {
    const { trajectory, judge, rubric, denied_acts, secret } = question
    expected = judge.info.kind === 'lexical' ? { info: judge.info, rubric, denied_acts, secret } : null
    if (measureOf(trajectory) === undefined && !isLarge(trajectory)) return gradeSample(deps, question, sample)
    const calls: Calls = { made: [], images: 0 }
    const searched = searches.get(trajectory)
    const known = searched !== undefined && fits(searched, question) ? searched : null
    const result = known && (await callForKnown(deps, question, sample, known, calls))
    if (result !== null) return result
    try {
      return await again(() => runSample({ limits, load }, deps, question, sample, calls))
    } catch (error) {
      if (error instanceof WorkerLost) return lost(trajectory, calls)
      throw error
    }
  }
}

/** How the judge that searches is asked. */
type Standing = Pick<Question, 'rubric' | 'denied_acts' | 'secret'> & { readonly info: JudgeInfo }

/** What was asked last: most likely, the next line is asked the same, and is searched as it is read. */
let expected: Standing | null = null

interface KnownSearch extends Searched {
  readonly by: Standing
  readonly truth: string
}
const searches = new WeakMap<Trajectory, KnownSearch>()

const fits = ({ by, truth }: KnownSearch, { judge, rubric, denied_acts, secret, ground_truth }: Question): boolean =>
  by.info === judge.info &&
  by.rubric === rubric &&
  by.denied_acts === denied_acts &&
  by.secret === secret &&
  truth === JSON.stringify(ground_truth)

/** The call is made and recorded as any; null where it came to something else than what was checked. */
async function callForKnown(
  deps: SampleDeps,
  question: Question,
  sample: number,
  { asking: made, request, result }: Searched,
  calls: Calls,
): Promise<SampleResult | null> {
  const { grade_id, key } = question
  const deadline = deps.clock.now().getTime() + deps.deadline_ms
  const asked = await deps.ask({ ...made, grade_id, key, sample, deadline }, requestOf(question, request))
  calls.made.push(asked)
  if (!asked?.reply.ok || asked.reply.text !== request.found) return null
  return { ...result, attempts: asked.attempts, model_resolved: asked.reply.model_resolved }
}

interface PoolDeps {
  readonly limits: ReadLimits
  /** A trajectory as it is stored. */
  readonly load: (id: Digest) => Promise<Uint8Array | null>
}

/** The calls of a sample in their order: one that is begun anew, as its worker was lost to other work, asks the same again, and nobody is asked twice. */
interface Calls {
  readonly made: (Asked | null)[]
  /** That were shown last. */
  images: number
}

/** Until it is not in the way of other work. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof WorkerGone)) throw error
    }
  }
}

let lastId = 0

async function runSample(
  { limits, load }: PoolDeps,
  deps: SampleDeps,
  question: Question,
  sample: number,
  calls: Calls,
): Promise<SampleResult> {
  const id = ++lastId
  const { trajectory } = question
  const begin = (worker: Worker | undefined, document: Uint8Array | null) =>
    pool.run((on) => ({ ...sampleJob(deps, question, on), id, sample, limits, document }), { rather: worker, weight: measureOf(trajectory)?.text ?? LARGE })
  const home = homes.get(trajectory)
  let done = await begin(home, home === undefined ? await loaded(load, trajectory) : null)
  if ((done.output as SampleStep).kind === 'unknown') done = await begin(done.worker, await loaded(load, trajectory))
  const { worker } = done
  homes.set(trajectory, worker)
  for (let call = 0; ; call++) {
    const step = done.output as SampleStep
    if (step.kind === 'unknown') throw new Error('a worker does not have the trajectory that it was sent')
    if (step.kind === 'done') {
      rememberWeakAnchors(question.ground_truth, trajectory, step.weak)
      return step.result
    }
    calls.images = step.request.images.length
    let asked = calls.made[call]
    if (asked === undefined) {
      asked = await deps.ask(step.asking, requestOf(question, step.request)).catch((error: unknown) => {
        pool.run(() => ({ kind: 'drop', id }), { only: worker }).catch(() => undefined)
        throw error
      })
      calls.made.push(asked)
    }
    const reply: TrialJob = { kind: 'reply', id, asked }
    done = await pool.run(() => reply, { only: worker })
  }
}

async function loaded(load: PoolDeps['load'], { id }: Trajectory): Promise<Uint8Array> {
  const document = await load(id)
  if (document === null) throw new Error(`the trajectory ${id} is not stored`)
  // A copy: a view of a larger buffer would bring all of that along.
  return new Uint8Array(document)
}

function sampleJob(deps: SampleDeps, question: Question, worker: Worker) {
  const { ground_truth, samples, key, grade_id, judge, trajectory, rubric, denied_acts, secret } = question
  return {
    kind: 'sample' as const,
    trajectory: trajectory.id,
    question: { ...standardsOf({ info: judge.info, rubric, denied_acts, secret }, worker), ground_truth, samples, key, grade_id },
    now: deps.clock.now().getTime(),
    deadline_ms: deps.deadline_ms,
  }
}

/** A worker is sent each rubric once. */
function standardsOf({ info, rubric, denied_acts, secret }: Standing, worker: Worker): Standards {
  const sent = rubricsOf.get(worker) ?? new Set()
  rubricsOf.set(worker, sent)
  const isKnown = sent.has(rubric.digest)
  sent.add(rubric.digest)
  const own = new Uint8Array(secret)
  return { info, denied_acts, secret: own, rubric: isKnown ? null : rubric, rubric_digest: rubric.digest }
}

const requestOf = (
  { judge, rubric, trajectory, ground_truth }: Question,
  { found, ...request }: SentRequest,
): JudgeRequest => ({
  ...request,
  system: judge.info.kind === 'lexical' ? '' : rubric.system,
  answer_schema: rubric.answer_schema,
  evidence: { trajectory, ground_truth, ...(found !== null && { found }) },
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
