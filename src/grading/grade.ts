import type { Freshness } from '../db/attempts.ts'
import type { Digest } from '../domain/digest.ts'
import { metadataOf, referenceIn, type Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Failure, Grade } from '../schemas/grade.ts'
import type { GradeRequest, TrialMetadata } from '../schemas/trial.ts'
import { type JudgingDeps, judgeQuestion } from './judging.ts'
import {
  admitRequest,
  keyOfStored,
  loadTrajectory,
  nameRequest,
  type RecentTrajectories,
  type ResolveDeps,
  refuse,
  refuseIssues,
  resolveQuestion,
  storeTrajectory,
} from './resolve.ts'
import type {
  Answer,
  GradeOutcome,
  GradingJob,
  GradingService,
  ItemOutcome,
  Judged,
  Named,
  Resolved,
  UploadOutcome,
} from './service.ts'

interface GradingDeps extends Omit<ResolveDeps, 'trajectories'>, Omit<JudgingDeps, 'making'> {
  readonly recent: RecentTrajectories
  /** Does the work of one grade, and tells others of its outcome. */
  readonly observe?: (job: GradingJob, work: () => Promise<ItemOutcome>) => Promise<ItemOutcome>
}

/** The use cases of one grade. HTTP, batch and CLI all run through here. */
export function createGradingService({ observe = (_job, work) => work(), ...given }: GradingDeps): GradingService {
  const deps = { ...given, trajectories: given.stores.trajectories, making: new Set<string>() }
  const flights = new Map<string, Promise<Judged>>()

  const answer = (request: GradeRequest, job: GradingJob) => observe(job, () => gradeTrial(request, job))

  async function gradeTrial(request: GradeRequest, job: GradingJob): Promise<ItemOutcome> {
    const mode = request.cache ?? 'use'
    const freshness: Freshness = { since: deps.clock.now().getTime(), isRefresh: mode === 'refresh' }
    const named = nameRequest(deps, request)
    if (!named.ok) return { kind: 'refused', refusal: named.refusal }
    // An item has all of its metadata, and its trajectory is stored: a stored grade is found without reading that.
    const isItem = job.item !== null && job.way !== 'stored'
    const { key, grade: stored } = isItem ? (job.ahead?.answer ?? (await findAnswer(request, named))) : NO_ANSWER
    if (stored !== null) return hit(stored, request.metadata ?? stored.metadata)
    await readAhead(request, job)
    const asked = await resolveQuestion(deps, request, named, key)
    if (!asked.ok) return { kind: 'refused', refusal: asked.refusal }
    const { question } = asked
    const { trajectory } = question
    const judge = () => storeAndJudge(asked, metadataOf(trajectory, request.metadata), job, freshness)
    if (job.way === 'stored') return judge()
    const answerWith = (grade: Grade) => hit(grade, metadataOf(trajectory, request.metadata ?? grade.metadata))
    const known = key === null ? await findGrade(request, question.key) : null
    if (known !== null) return answerWith(known)
    if (mode === 'only')
      return {
        kind: 'refused',
        refusal: refuse(
          'not_cached',
          NOT_CACHED,
          '/cache',
          'only stored grades are answered: leave only out to grade it',
        ).refusal,
      }
    return shareFlight(`${mode}/${question.key}`, judge, answerWith, job)
  }

  const findGrade = async ({ cache }: GradeRequest, key: Digest | null): Promise<Grade | null> =>
    key === null || cache === 'refresh' ? null : deps.stores.grades.findByKey(key)

  async function findAnswer(request: GradeRequest, named: Named): Promise<Answer> {
    const key = keyOfStored(deps, request, named)
    return { key, grade: await findGrade(request, key) }
  }

  /** Reads the trajectory of which the caller has the stored bytes: the question finds it among the recent ones. */
  async function readAhead({ trajectory }: GradeRequest, { ahead }: GradingJob): Promise<void> {
    const id = referenceIn(trajectory)
    if (id !== null && ahead?.packed != null) await loadTrajectory(deps, id, ahead.packed)
  }

  async function storeAndJudge(asked: Resolved, metadata: TrialMetadata, job: GradingJob, freshness: Freshness) {
    const { question, document } = asked
    if (document !== null) await storeTrajectory(deps, question.trajectory, document)
    return judgeQuestion(deps, question, metadata, job, freshness)
  }

  /** Stores a trajectory that will be asked for by its id. A trajectory that comes with its question is not kept in memory: it is asked about once, as a rule. */
  async function store(trajectory: Trajectory, document: Record<string, unknown>): Promise<boolean> {
    const created = await storeTrajectory(deps, trajectory, document)
    deps.recent.set(trajectory.id, trajectory)
    return created
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

  return {
    async grade(request, payer = null): Promise<GradeOutcome> {
      const outcome = await answer(request, {
        ...{ way: 'call', item: null, payer, signal: undefined, cap_usd: null },
        isPassing: () => false,
      })
      if (outcome.kind === 'refused') return { ok: false, refusal: outcome.refusal }
      if (outcome.kind === 'graded') return { ok: true, grade: outcome.grade, cached: outcome.cached }
      throw new Error('a single request neither waits nor is passed over')
    },
    gradeItem: answer,
    async findAnswers(requests) {
      const keys = requests.map((request) => {
        const named = nameRequest(deps, request)
        return named.ok ? keyOfStored(deps, request, named) : null
      })
      const grades = await deps.stores.grades.findByKeys(keys.flatMap((key) => key ?? []))
      return requests.map(({ cache }, at) => {
        const key = keys[at] ?? null
        return { key, grade: key === null || cache === 'refresh' ? null : (grades.get(key) ?? null) }
      })
    },
    admit: (request, read) => admitRequest(deps, request, read),
    resolve: (request) => resolveQuestion(deps, request),
    store,
    async upload(given): Promise<UploadOutcome> {
      const document = isList(given) ? { records: given } : given
      const read = await deps.read(document)
      if (!read.ok) return refuseIssues('', read.error)
      return { ok: true, trajectory: read.value, created: await store(read.value, document) }
    },
    trajectory: (id) => loadTrajectory(deps, id),
  }
}

const NO_ANSWER: Answer = { key: null, grade: null }

const isList = (given: unknown): given is readonly unknown[] => Array.isArray(given)

/** Another’s cap, and what this job would ask again, say nothing about this request. */
const isOnlyTheirs = (failure: Failure | null, job: GradingJob): boolean =>
  failure !== null && (failure.code === 'budget_exceeded' || job.isPassing(failure))

const NOT_CACHED = 'no grade is stored for this request'

/** A stored grade as the answer to another request: the same grade, with that one’s metadata. */
const hit = (grade: Grade, metadata: TrialMetadata): ItemOutcome => ({
  kind: 'graded',
  cached: true,
  grade: { ...grade, metadata, receipt: { ...grade.receipt, cache: 'hit' } },
})
