import type { Payer } from '../db/ledger.ts'
import type { Digest } from '../domain/digest.ts'
import { metadataOf, type Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Failure, Grade } from '../schemas/grade.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'
import type { GradeRequest, TrialMetadata } from '../schemas/trial.ts'
import { type GradingJob, type Judged, type JudgingDeps, judgeQuestion } from './judge-question.ts'
import {
  admitRequest,
  keyOfStored,
  loadTrajectory,
  nameRequest,
  type QuestionDeps,
  readRun,
  refuseSelf,
  resolveQuestion,
  saveTrajectory,
} from './question.ts'

interface GradingDeps extends Omit<QuestionDeps, 'trajectories'>, Omit<JudgingDeps, 'making'> {
  /** Does the work of one grade, and tells others of its outcome. */
  readonly observe?: (job: GradingJob, work: () => Promise<ItemOutcome>) => Promise<ItemOutcome>
}

/** The end of one run at a question. `cached`: a stored grade answered. */
export type ItemOutcome = Judged | { readonly kind: 'graded'; readonly grade: Grade; readonly cached: boolean }

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
  const deps = { ...given, trajectories: given.stores.trajectories, making: new Set<string>() }
  const flights = new Map<string, Promise<Judged>>()

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

  /**
   * Asks equal questions of this process once; of several processes the ledger makes one call. The second caller gets the first caller’s grade; a
   * flight without a grade is repeated for the second caller itself, and a flight that rejects rejects for both.
   */
  async function shareFlight(
    key: string,
    judge: () => Promise<Judged>,
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
    /**
     * Grades a request that has passed `GradeRequestSchema`; its trajectory is read here. Equal requests in flight share one judge call, which its
     * first payer pays.
     */
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
  ...{ way: 'call', item: null, signal: undefined, cap_usd: null },
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
