import type { ItemRef } from '../db/batches.ts'
import type { Freshness } from '../db/ledger.ts'
import type { Payer } from '../db/spending.ts'
import type { Digest } from '../domain/digest.ts'
import { metadataOf, type Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Failure, Grade } from '../schemas/grade.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'
import type { GradeRequest, TrialMetadata } from '../schemas/trial.ts'
import { type AskDeps, type Asker, askByProvider, askHere, askStored, Suspended } from './ask.ts'
import { askByCall } from './ask-by-call.ts'
import { assembleGrade } from './assemble.ts'
import type { SampleResult } from './calls.ts'
import type { Lane } from './lane.ts'
import type { Question, QuestionDeps } from './question.ts'
import {
  admitRequest,
  keyOfStored,
  loadTrajectory,
  nameRequest,
  readRun,
  refuseSelf,
  resolveQuestion,
  saveTrajectory,
} from './question.ts'
import { gradeSample } from './sample.ts'

/** For whom a question is asked, and by which way its answers come. */
export type GradingJob = Job &
  (
    | { readonly way: 'call' }
    /** Through the provider’s batch endpoint. */
    | { readonly way: 'provider'; readonly item: ItemRef }
    /** From the stored replies of a grade: no judge is asked. */
    | { readonly way: 'stored'; readonly grade_id: string }
  )

interface Job {
  /** Of a batch; null: one request, whose caller waits. */
  readonly item: ItemRef | null
  readonly payer: Payer | null
  /** Ends the waiting for a turn, or for a retry: calls in flight go on. */
  readonly signal: AbortSignal | undefined
  /** Hard cap of the batch. */
  readonly cap_usd: number | null
  /** Failures after which the item is asked again later: then no grade is written, and good replies wait to be used. */
  readonly isPassing: (failure: Failure) => boolean
}

/** The end of one run at a question. `cached`: a stored grade answered. */
export type ItemOutcome =
  | { readonly kind: 'graded'; readonly grade: Grade; readonly cached: boolean }
  /** The questions of the item lie with the provider. */
  | { readonly kind: 'waiting' }
  /** The grade was not written: the item is to be asked again. */
  | { readonly kind: 'passed_over'; readonly failure: Failure }

interface GradingDeps extends QuestionDeps, Omit<AskDeps, 'attempts' | 'making'> {
  readonly laneOf: (judge: string) => Lane
  /** Hard cap of a day (UTC) for all calls together. */
  readonly day_cap_usd: number | null
  /** Does the work of one grade, and tells others of its outcome. */
  readonly observe?: (job: GradingJob, work: () => Promise<ItemOutcome>) => Promise<ItemOutcome>
}
type JudgingDeps = GradingDeps & { readonly making: Set<string> }

/** The key of an item, and the grade that answers the key. */
interface Answer {
  readonly key: Digest | null
  readonly grade: Grade | null
}

/** Readings for an item that the caller has made for several items at once: its answer, and the stored bytes of its trajectory. */
export interface Ahead {
  readonly answer?: Answer | undefined
  readonly packed?: Uint8Array | null | undefined
}

export type GradingService = ReturnType<typeof createGradingService>

/**
 * Creates the grading that HTTP, batches and commands call. A failed judge is a `Grade` with `status: "failed"`, never an exception. A request that is
 * refused before any judge is asked rejects with a RequestError, whose `errors` name the places in the request.
 */
export function createGradingService({ observe = (_job, work) => work(), ...given }: GradingDeps) {
  const deps: JudgingDeps = { ...given, making: new Set() }
  const flights = new Map<string, Promise<ItemOutcome>>()

  async function gradeTrial(request: GradeRequest, job: GradingJob, ahead: Ahead): Promise<ItemOutcome> {
    const mode = request.cache ?? 'use'
    const freshness = { since: deps.clock.now().getTime(), isRefresh: mode === 'refresh' }
    const named = nameRequest(deps, request)
    const findCurrent = async (key: Digest | null) =>
      key === null || mode === 'refresh' ? null : deps.stores.grades.findByKey(key)
    // An item has all of its metadata, and its trajectory is stored: a stored grade is found without reading that.
    const isItem = job.item !== null && job.way !== 'stored'
    const itemKey = isItem ? keyOfStored(deps, request, named) : null
    const { key, grade } = ahead.answer ?? { key: itemKey, grade: await findCurrent(itemKey) }
    if (isItem && grade !== null) return hit(grade, request.metadata ?? grade.metadata)
    const { question, document } = await resolveQuestion(deps, request, { named, packed: ahead.packed }, key)
    const metadata = metadataOf(question.trajectory, request.metadata)
    // The intake of a batch has asked this of its items.
    if (job.item === null) refuseSelf(question.judge, metadata, request)
    const judge = () => {
      // Stored beside the reservation of the first call: on SQLite both share one commit.
      const saved = document === null ? Promise.resolve() : saveTrajectory(deps, question.trajectory, document)
      return judgeQuestion(deps, question, metadata, job, freshness, saved)
    }
    if (job.way === 'stored') return judge()
    const answerWith = (grade: Grade) => hit(grade, metadataOf(question.trajectory, request.metadata ?? grade.metadata))
    const known = key === null ? await findCurrent(question.key) : null
    if (known !== null) return answerWith(known)
    if (mode === 'only') throw faultAt('/cache', ONLY_STORED, 'not_cached', 'no grade is stored for this request')
    return shareFlight(`${mode}/${question.key}`, judge, answerWith, job)
  }

  /** Asks equal questions of this process once. A flight without a grade is repeated for the next caller; one that rejects rejects for all. */
  async function shareFlight(
    key: string,
    judge: () => Promise<ItemOutcome>,
    answerWith: (grade: Grade) => ItemOutcome,
    job: GradingJob,
  ): Promise<ItemOutcome> {
    for (;;) {
      const flying = flights.get(key)
      if (flying === undefined) {
        const own = judge().finally(() => flights.delete(key))
        flights.set(key, own)
        return own
      }
      const value = await flying
      if (value.kind !== 'graded' || isOnlyTheirs(value.grade.failure, job)) continue
      return value.grade.status === 'failed' ? value : answerWith(value.grade)
    }
  }

  const gradeItem = (request: GradeRequest, job: GradingJob, ahead: Ahead = {}): Promise<ItemOutcome> =>
    observe(job, () => gradeTrial(request, job, ahead))

  /** Stores a trajectory that will be asked for by its id. A trajectory that comes with its question is not kept in memory: it is asked about once, as a rule. */
  async function store(trajectory: Trajectory, document: Record<string, unknown>): Promise<boolean> {
    const created = await saveTrajectory(deps, trajectory, document)
    deps.recent.set(trajectory.id, trajectory)
    return created
  }

  return {
    /** Grades a request that fits its schema. Equal requests in flight share a call, which its first payer pays. */
    async grade(request: GradeRequest, payer: Payer | null = null) {
      const outcome = await gradeItem(request, { ...SINGLE, payer })
      if (outcome.kind !== 'graded') throw new Error('a single request neither waits nor is passed over')
      return outcome
    },
    /** Grades an item of a batch; a new grade settles the item in the unit of work that stores the grade. */
    gradeItem,
    /** Finds the grades that answer requests whose trajectories are stored. */
    async findAnswers(requests: readonly GradeRequest[]): Promise<readonly Answer[]> {
      const keys = requests.map((request) => {
        try {
          return keyOfStored(deps, request, nameRequest(deps, request))
        } catch (error) {
          // The run of the item meets the refusal again.
          if (error instanceof RequestError) return null
          throw error
        }
      })
      const grades = await deps.stores.grades.findByKeys(keys.flatMap((key) => key ?? []))
      return requests.map(({ cache }, at) => {
        const key = keys[at] ?? null
        return { key, grade: key === null || cache === 'refresh' ? null : (grades.get(key) ?? null) }
      })
    },
    /** Looks up and reads all that a request names. `read`: the run of its document, where it was read before. Nothing is stored or asked. */
    admit: (request: GradeRequest, read: Trajectory | null = null) => admitRequest(deps, request, { read }),
    /** Makes the whole question, with its key. Nothing is stored or asked. */
    resolve: (request: GradeRequest) => resolveQuestion(deps, request),
    store,
    /** Gives the memory of a read trajectory back, of which nothing is asked any more. */
    release: (trajectory: string): void => void deps.recent.delete(trajectory),
    /** Stores one run in any supported format: an object, or an array of records. */
    async upload(given: Record<string, unknown> | readonly unknown[]) {
      const document = isList(given) ? { records: given } : given
      const trajectory = readRun(deps, document, '')
      return { trajectory, created: await store(trajectory, document) }
    },
    /** Reads a stored trajectory; null for an unknown id. */
    trajectory: (id: string) => loadTrajectory(deps, id),
  }
}

/** A request whose caller waits for its grade. */
const SINGLE: Omit<GradingJob, 'payer'> & { readonly way: 'call' } = {
  way: 'call',
  item: null,
  signal: undefined,
  cap_usd: null,
  isPassing: () => false,
}

const ONLY_STORED = 'only stored grades are answered: leave only out to grade it'

const isList = (given: unknown): given is readonly unknown[] => Array.isArray(given)

/** Tells whether a failure says nothing about this request: the cap of another payer, and a failure that this job would ask again. */
const isOnlyTheirs = (failure: Failure | null, job: GradingJob): boolean =>
  failure !== null && (failure.code === 'budget_exceeded' || job.isPassing(failure))

/** Makes the answer to another request of a stored grade: the same grade, with the metadata of that request. */
const hit = (grade: Grade, metadata: TrialMetadata): ItemOutcome => ({
  kind: 'graded',
  cached: true,
  grade: { ...grade, metadata, receipt: { ...grade.receipt, cache: 'hit' } },
})

/** The words of a receipt for the way by which the answers came. */
const MODES = { call: 'direct', provider: 'provider', stored: 'stored' } as const

/** Asks for every sample, assembles the grade and stores it, once the trajectory is stored: the only writer of grades. */
async function judgeQuestion(
  deps: JudgingDeps,
  question: Question,
  metadata: TrialMetadata,
  job: GradingJob,
  freshness: Freshness,
  saved: Promise<unknown>,
): Promise<ItemOutcome> {
  // A question that breaks off before its grade leaves the refusal of its trajectory alone.
  saved.catch(() => undefined)
  const base = job.way === 'stored' ? await deps.stores.grades.get(job.grade_id) : null
  const asked = base === null ? question : asAsked(question, base)
  const ask = await askerFor(deps, asked, job, freshness)
  const sampling = { ask, clock: deps.clock, deadline_ms: deps.retry.deadline_ms }
  deps.making.add(question.grade_id)
  try {
    const samples = await gradeSamples((index) => gradeSample(sampling, asked, index), asked, job)
    if (samples === null) return { kind: 'waiting' }
    const passing = samples.find((sample) => sample.kind === 'failed' && job.isPassing(sample.failure))
    if (passing?.kind === 'failed') return { kind: 'passed_over', failure: passing.failure }
    const made = assembleGrade(asked, samples, metadata, deps.clock.now(), MODES[job.way])
    const grade = base === null ? made : underOldName(made, base)
    await saved
    await deps.stores.grades.put({
      grade,
      ground_truth: question.ground_truth,
      ...(job.item !== null && { item: job.item }),
      ...(job.way === 'stored' && { silent: true }),
    })
    return { kind: 'graded', grade, cached: false }
  } finally {
    deps.making.delete(question.grade_id)
  }
}

/** A stored reply is held against the pictures that its judge was shown: whether today’s configuration would show pictures says nothing of it. */
const asAsked = ({ judge, ...question }: Question, { receipt }: Grade): Question => ({
  ...question,
  judge: { ...judge, info: { ...judge.info, images: (receipt.coverage.media_shown ?? 0) > 0 } },
})

/** A recheck keeps the judge that gave the answer, and the question that it was asked. */
function underOldName(grade: Grade, { receipt }: Grade): Grade {
  const { key, judge, provider, model_requested, settings = null } = receipt
  return { ...grade, receipt: { ...grade.receipt, key, judge, provider, model_requested, settings } }
}

async function askerFor(deps: JudgingDeps, { judge }: Question, job: GradingJob, freshness: Freshness): Promise<Asker> {
  const { attempts, provider: queue } = deps.stores
  if (job.way === 'stored') return askStored(await attempts.listReplies(job.grade_id))
  const { item, payer, signal } = job
  const caps = { batch_usd: job.cap_usd, key_usd: payer?.max_cost_usd_per_day ?? null, day_usd: deps.day_cap_usd }
  const account = { item, payer, caps, signal, freshness }
  if (job.way === 'provider' && judge.batch !== undefined)
    return askByProvider({ ...deps, queue, attempts }, judge, judge.batch, { ...account, item: job.item })
  if (judge.info.kind === 'lexical') return askHere({ ...deps, attempts }, judge, account)
  return askByCall({ ...deps, attempts, lane: deps.laneOf(judge.info.name) }, judge, account)
}

/** Grades the samples, the first alone, which fills the provider’s cache; null while a sample waits for the provider. */
async function gradeSamples(
  grade: (index: number) => Promise<SampleResult>,
  { samples }: Question,
  { way }: GradingJob,
): Promise<SampleResult[] | null> {
  const first = way === 'provider' ? [] : [await grade(0)]
  const others = Array.from({ length: samples - first.length }, (_, index) => grade(first.length + index))
  // All of them end before any error is told: a call that goes on would be made again beside itself.
  const ends = await Promise.allSettled(others)
  const broken = ends.find((end) => end.status === 'rejected' && !(end.reason instanceof Suspended))
  if (broken?.status === 'rejected') throw broken.reason
  const done = [...first, ...ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []))]
  if (done.length < samples) return null
  return way === 'call' && samples > 1 ? askAgainWithBudget(grade, done) : done
}

/** Asks a sample once more, alone, that found no budget while others had reserved it: the budget that they did not use is free again. */
async function askAgainWithBudget(
  grade: (index: number) => Promise<SampleResult>,
  samples: readonly SampleResult[],
): Promise<SampleResult[]> {
  const asked: SampleResult[] = []
  for (const [index, sample] of samples.entries()) {
    const lacksBudget =
      sample.kind === 'failed' && sample.failure.code === 'budget_exceeded' && sample.failure.retryable
    const again = lacksBudget ? await grade(index) : null
    asked.push(again === null ? sample : { ...again, attempts: [...sample.attempts, ...again.attempts] })
  }
  return asked
}
