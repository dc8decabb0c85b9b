import type { Digest } from '../domain/digest.ts'
import { metadataOf, type Trajectory } from '../domain/trajectory/trajectory.ts'
import { isLeaseLost, type Lease } from '../ports/lease-ports.ts'
import type { Clock, Stores } from '../ports/ports.ts'
import type { Failure, Grade } from '../schemas/grade.ts'
import type { GradeRequest, TrialMetadata } from '../schemas/grade-request.ts'
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
  GradeOutcome,
  GradingJob,
  GradingService,
  ItemOutcome,
  Judged,
  Resolved,
  UploadOutcome,
} from './service.ts'

interface GradingDeps extends Omit<ResolveDeps, 'trajectories'>, JudgingDeps {
  readonly recent: RecentTrajectories
}

/** The use cases of one grade. HTTP, batch and CLI all run through here. */
export function createGradingService(given: GradingDeps): GradingService {
  const deps = { ...given, trajectories: given.stores.trajectories }
  const fly = createFlights(given.stores, given.clock)

  async function answer(request: GradeRequest, job: GradingJob): Promise<ItemOutcome> {
    const mode = request.cache ?? 'use'
    const named = nameRequest(deps, request)
    if (!named.ok) return { kind: 'refused', refusal: named.refusal }
    const find = async (key: Digest | null) =>
      key === null || mode === 'refresh' ? null : deps.stores.grades.findByKey(key)
    // An item has all of its metadata, and its trajectory is stored: a stored grade is found without reading that.
    const isItem = job.item !== null && job.way !== 'stored'
    const key = isItem ? keyOfStored(deps, request, named) : null
    const stored = await find(key)
    if (stored !== null) return hit(stored, request.metadata ?? stored.metadata)
    const asked = await resolveQuestion(deps, request, named, key)
    if (!asked.ok) return { kind: 'refused', refusal: asked.refusal }
    const { question } = asked
    const { trajectory } = question
    const judge = (lease: Lease | null) => storeAndJudge(asked, metadataOf(trajectory, request.metadata), job, lease)
    if (job.way === 'stored') return judge(null)
    const answerWith = (grade: Grade) => hit(grade, metadataOf(trajectory, request.metadata ?? grade.metadata))
    const known = key === null ? await find(question.key) : null
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
    const flight = { key: `${mode}/${question.key}`, look: () => find(question.key), judge, signal: job.signal }
    return flyTogether(flight, answerWith, job)
  }

  async function storeAndJudge(asked: Resolved, metadata: TrialMetadata, job: GradingJob, lease: Lease | null) {
    const { question, document } = asked
    if (document !== null) await storeTrajectory(deps, question.trajectory, document)
    return judgeQuestion(deps, question, metadata, job, lease)
  }

  /** For one that will be asked for by its id. (One that came with its question is asked about once, as a rule, and would only take memory.) */
  async function store(trajectory: Trajectory, document: Record<string, unknown>): Promise<boolean> {
    const created = await storeTrajectory(deps, trajectory, document)
    deps.recent.set(trajectory.id, trajectory)
    return created
  }

  /** The second caller gets the first one’s grade; what ended in no grade is asked again for the second itself. */
  async function flyTogether(flight: Flight, answerWith: (grade: Grade) => ItemOutcome, job: GradingJob) {
    for (;;) {
      const { led, value } = await fly(flight)
      if (led) return value
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

/** Who asks a question, and how. */
interface Flight {
  /** Equal keys are asked once at a time, by whatever process. */
  readonly key: string
  /** What answers it already; null: nothing does. */
  look(): Promise<Grade | null>
  /** Asks, under the lease of the question where several processes share the database. */
  judge(lease: Lease | null): Promise<Judged>
  /** Ends the waiting for another process. */
  readonly signal: AbortSignal | undefined
}

interface Flown {
  /** This call did the work. */
  readonly led: boolean
  readonly value: Judged
}

/** A lost lease is taken again, for what its holder has paid for: so often in one flight. */
const MOST_LOSSES = 3
/** A lease that has run out is not free before its last holder’s commit has ended. */
const TAKE_AGAIN_MS = 50

/** Equal questions in flight are asked once: in this process, and over all processes of the database. */
function createFlights(stores: Pick<Stores, 'cluster' | 'grades'>, clock: Clock): (flight: Flight) => Promise<Flown> {
  const local = new Map<string, Promise<Flown>>()
  return async (flight) => {
    const flying = local.get(flight.key)
    if (flying !== undefined) return { ...(await flying), led: false }
    const flown = fly(stores, clock, flight).finally(() => local.delete(flight.key))
    local.set(flight.key, flown)
    return flown
  }
}

async function fly(stores: Pick<Stores, 'cluster' | 'grades'>, clock: Clock, flight: Flight): Promise<Flown> {
  if (stores.cluster === null) return { led: true, value: await flight.judge(null) }
  const { leases } = stores.cluster
  const name = `flight:${flight.key}`
  for (let losses = 0; ; ) {
    const lease = await leases.take(name)
    if (lease === null) {
      const released = await leases.wait(name, flight.signal)
      if (released === null) return { led: true, value: { kind: 'passed_over', failure: CANCELLED } }
      const grade = released.result === null ? null : await stores.grades.get(released.result)
      if (grade !== null) return { led: false, value: { kind: 'graded', grade, cached: false } }
      await clock.sleep(TAKE_AGAIN_MS)
      continue
    }
    const flown = await lead(flight, lease).catch((error: unknown) => {
      void leases.release(lease)
      losses += 1
      if (!isLeaseLost(error) || losses >= MOST_LOSSES || flight.signal?.aborted) throw error
      return null
    })
    if (flown === null) continue
    // No caller that has its answer waits for that.
    void leases.release(lease, flown.value.kind === 'graded' ? flown.value.grade.id : undefined)
    return flown
  }
}

/** The holder before may have answered the question meanwhile. */
async function lead(flight: Flight, lease: Lease): Promise<Flown> {
  const known = await flight.look()
  if (known !== null) return { led: false, value: { kind: 'graded', grade: known, cached: false } }
  return { led: true, value: await flight.judge(lease) }
}

const CANCELLED: Failure = {
  code: 'cancelled',
  message: 'the item was called away while another process asked its question',
  retryable: true,
  retry_after_s: null,
}
