import { resolveAnchors } from '../domain/anchors.ts'
import { cacheKey, normalizeGroundTruth } from '../domain/cache-key.ts'
import { makeNonce } from '../domain/rendering.ts'
import type { Issue, Result } from '../domain/result.ts'
import type { Rubric } from '../domain/rubric.ts'
import type { Trajectory } from '../domain/trajectory.ts'
import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest, TrialMetadata } from '../schemas/grade-request.ts'
import type { AskDeps } from './ask.ts'
import { assembleGrade } from './assemble.ts'
import type { Judge, Stores } from './ports.ts'
import type { Question } from './question.ts'
import { gradeSample } from './sample.ts'
import type { GradeOutcome, GradingService, Refusal, UploadOutcome } from './service.ts'
import { createSingleFlight } from './single-flight.ts'

export interface GradingDeps extends Omit<AskDeps, 'attempts' | 'budget'> {
  readonly stores: Stores
  readonly judges: ReadonlyMap<string, Judge>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly default_judge: string
  readonly default_rubric: string
  /** Reads any supported document; its issues name places in the document. */
  readonly read: (document: unknown) => Result<Trajectory, Issue[]>
  /** The service’s own secret, which makes frame marks unknown to whoever wrote the trajectory. */
  readonly secret: Uint8Array
  readonly budgetOf: (judge: string) => AskDeps['budget']
}

/** The use cases of one grade. HTTP, batch and CLI all run through here. */
export function createGradingService(deps: GradingDeps): GradingService {
  const flights = createSingleFlight<Grade>()

  async function grade(request: GradeRequest): Promise<GradeOutcome> {
    const asked = await resolveQuestion(deps, request)
    if (!asked.ok) return asked
    const { question, document } = asked
    const mode = request.cache ?? 'use'
    const metadata = request.metadata
    if (mode !== 'refresh') {
      const known = await deps.stores.grades.findByKey(question.key)
      if (known !== null) return hit(known, metadata)
      if (mode === 'only')
        return refuse('not_cached', 'no grade is stored for this request', '/cache', 'nothing is cached')
    }
    const flight = await flights.run(`${mode}/${question.key}`, async () => {
      if (document !== null) await storeTrajectory(deps, question.trajectory, document)
      return judgeQuestion(deps, question, metadata ?? {})
    })
    return flight.led || flight.value.status === 'failed'
      ? { ok: true, grade: flight.value, cached: false }
      : hit(flight.value, metadata)
  }

  async function upload(document: Record<string, unknown>): Promise<UploadOutcome> {
    const read = deps.read(document)
    if (!read.ok) return refuseIssues('', read.error)
    return { ok: true, trajectory: read.value, created: await storeTrajectory(deps, read.value, document) }
  }

  return { grade, upload, trajectory: (id) => loadTrajectory(deps, id) }
}

/** Asks for every sample, assembles the grade and stores it: the only writer of grades. */
async function judgeQuestion(deps: GradingDeps, question: Question, metadata: TrialMetadata): Promise<Grade> {
  const ask: AskDeps = { ...deps, attempts: deps.stores.attempts, budget: deps.budgetOf(question.judge.info.name) }
  const first = await gradeSample(ask, question, 0)
  const others = Array.from({ length: question.samples - 1 }, (_, index) => gradeSample(ask, question, index + 1))
  const samples = [first, ...(await Promise.all(others))]
  const grade = assembleGrade(question, samples, metadata, deps.clock.now())
  await deps.stores.grades.put({ grade, ground_truth: normalizeGroundTruth(question.ground_truth) })
  return grade
}

type Resolved =
  | { readonly ok: true; readonly question: Question; readonly document: Record<string, unknown> | null }
  | { readonly ok: false; readonly refusal: Refusal }

/** Everything that can be wrong with a request is found here, before anything is stored or paid for. */
async function resolveQuestion(deps: GradingDeps, request: GradeRequest): Promise<Resolved> {
  const judge = deps.judges.get(request.judge ?? deps.default_judge)
  if (judge === undefined) {
    const names = [...deps.judges.keys()].join(', ')
    return refuse('unknown_judge', 'there is no such judge', '/judge', `configured judges: ${names}`)
  }
  const rubric = findRubric(deps, request.rubric)
  if (rubric === undefined) {
    const names = [...deps.rubrics.keys()].join(', ')
    return refuse('unknown_rubric', 'there is no such rubric', '/rubric', `loaded rubrics: ${names}`)
  }
  const read = await readRequested(deps, request)
  if (!read.ok) return read
  const groundTruth = request.ground_truth
  const samples = request.samples ?? 1
  const key = cacheKey({
    trajectory: read.trajectory.id,
    ground_truth: groundTruth,
    rubric_digest: rubric.digest,
    judge: judge.info.identity,
    samples,
  })
  const question: Question = {
    trajectory: read.trajectory,
    ground_truth: groundTruth,
    anchors: resolveAnchors(groundTruth),
    rubric,
    judge,
    samples,
    key,
    nonce: makeNonce(deps.secret, read.trajectory),
    grade_id: deps.newId('grd'),
  }
  return { ok: true, question, document: read.document }
}

async function readRequested(deps: GradingDeps, request: GradeRequest) {
  const given = request.trajectory
  const id = given['id']
  if (typeof id === 'string' && Object.keys(given).length === 1) {
    const trajectory = await loadTrajectory(deps, id)
    if (trajectory === null)
      return refuse('unknown_trajectory', 'no trajectory has this id; upload it first', '/trajectory/id', 'unknown id')
    return { ok: true as const, trajectory, document: null }
  }
  const read = deps.read(given)
  return read.ok
    ? { ok: true as const, trajectory: read.value, document: given }
    : refuseIssues('/trajectory', read.error)
}

async function loadTrajectory(deps: GradingDeps, id: string): Promise<Trajectory | null> {
  const stored = await deps.stores.trajectories.get(id as Trajectory['id'])
  if (stored === null) return null
  const read = deps.read(stored.document)
  if (!read.ok) throw new Error(`the stored trajectory ${id} can no longer be read`)
  return read.value
}

const storeTrajectory = (
  deps: GradingDeps,
  trajectory: Trajectory,
  document: Record<string, unknown>,
): Promise<boolean> =>
  deps.stores.trajectories.put(
    { id: trajectory.id, format: trajectory.format, document },
    deps.clock.now().toISOString(),
  )

/** `id@version`, or an id alone for its newest version. */
function findRubric(deps: GradingDeps, name = deps.default_rubric): Rubric | undefined {
  const exact = deps.rubrics.get(name)
  if (exact !== undefined || name.includes('@')) return exact
  return [...deps.rubrics.values()].filter((rubric) => rubric.id === name).sort((a, b) => b.version - a.version)[0]
}

/** A stored grade as the answer to this request: the same grade, with the caller’s own metadata where given. */
const hit = (grade: Grade, metadata: TrialMetadata | undefined): GradeOutcome => ({
  ok: true,
  cached: true,
  grade: { ...grade, metadata: metadata ?? grade.metadata, receipt: { ...grade.receipt, cache: 'hit' } },
})

const refuse = (code: Refusal['code'], detail: string, path: string, message: string) => ({
  ok: false as const,
  refusal: { code, detail, errors: [{ path, message }] },
})

const refuseIssues = (prefix: string, issues: readonly Issue[]) => ({
  ok: false as const,
  refusal: {
    code: 'invalid_request' as const,
    detail: 'the trajectory cannot be read',
    errors: issues.map((issue) => ({ path: prefix + issue.path, message: issue.message })),
  },
})
