import type { TrajectoryStore } from '../db/trajectories.ts'
import { resolveAnchors } from '../domain/anchors/anchors.ts'
import { cacheKey, normalizeGroundTruth } from '../domain/cache-key.ts'
import type { Digest } from '../domain/digest.ts'
import type { DeniedActs } from '../domain/evidence/evidence-question.ts'
import type { Issue, Result } from '../domain/result.ts'
import { findRubric } from '../domain/rubric/claim-values.ts'
import { type Rubric, sightClaim } from '../domain/rubric/rubric.ts'
import { makeNonce } from '../domain/trajectory/rendering.ts'
import { referenceIn, type Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Clock } from '../ports/clock.ts'
import type { Judge } from '../ports/judge.ts'
import { inputIssues } from '../schemas/check.ts'
import type { GradeRequest } from '../schemas/trial.ts'
import { SURFACE_CATEGORIES } from '../schemas/vocabulary.ts'
import type { Admitted, Named, Question, Refusal, Refused, Resolved } from './service.ts'

/** Trajectories that were read lately, by id: the items of one trajectory follow each other. */
export interface RecentTrajectories {
  get(id: string): Trajectory | undefined
  set(id: string, trajectory: Trajectory): unknown
}

export interface ResolveDeps {
  readonly trajectories: TrajectoryStore
  readonly recent: RecentTrajectories
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, with what to do to have them. */
  readonly unready: ReadonlyMap<string, string>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly default_judge: string
  readonly default_rubric: string
  /** Reads any supported document; its issues name places in the document. */
  readonly read: (document: unknown) => Result<Trajectory, Issue[]>
  /** Reads a run as the store keeps it. */
  readonly readStored: (packed: Uint8Array, id: Digest) => Promise<Trajectory>
  /** The service’s own secret, which makes frame marks unknown to the author of the trajectory. */
  readonly secret: Uint8Array
  /** The meaning of an act that is denied against a given action anchor. */
  readonly denied_acts: DeniedActs
  readonly clock: Clock
  readonly newId: (prefix: string) => string
}

/** The judge and the rubric that a request names, and its ground truth as that rubric wants it. */
export function nameRequest(deps: ResolveDeps, request: GradeRequest): Named | Refused {
  const asked = request.judge ?? deps.default_judge
  const judge = deps.judges.get(asked)
  if (judge === undefined) {
    const names = [...deps.judges.keys()].join(', ')
    const todo = deps.unready.get(asked)
    const why =
      todo === undefined ? `there is no such judge: ${asked}` : `the judge ${asked} is not configured: ${todo}`
    return refuse('unknown_judge', why, '/judge', `configured judges: ${names}`)
  }
  const rubric = findRubric(deps.rubrics, request.rubric ?? deps.default_rubric)
  if (rubric === null) {
    const names = [...deps.rubrics.keys()].join(', ')
    return refuse('unknown_rubric', `there is no such rubric: ${request.rubric}`, '/rubric', `loaded rubrics: ${names}`)
  }
  const { name, truth } = rubric
  if (judge.info.kind === 'lexical' && !canSearch(rubric))
    return refuse(
      'invalid_request',
      LEXICAL_CANNOT,
      '/judge',
      `name a model; ${name} has no claim that a search answers`,
    )
  const issues = inputIssues(truth.schema, request.ground_truth)
  if (issues.length > 0)
    return refuseIssues('/ground_truth', issues, `the ground truth is not what ${name} wants to know of a trial`)
  return { ok: true, judge, rubric, ground_truth: normalizeGroundTruth(request.ground_truth, truth.instructions) }
}

const LEXICAL_CANNOT = 'the judge lexical searches for instructions, and this rubric asks about none'

/** One run where several are asked about, or the other way round. */
function refuseAbout({ name, about }: Rubric) {
  const form =
    about === 'runs'
      ? 'send several: {"runs": [{"id": …, "trajectory": …}], "documents": [{"name": …, "text": …}]}'
      : 'send one by itself'
  const detail = `${name} asks about ${about === 'runs' ? 'several runs of one task' : 'one run'}`
  return refuse('invalid_request', detail, '/trajectory', form)
}

/** Tells whether a search can answer in the form of a rubric: it asks what was seen, and all else can be unclear. */
const canSearch = (rubric: Rubric): boolean =>
  sightClaim(rubric) !== null &&
  rubric.claims.every(
    ({ type, runs_of, unclear, values }) =>
      type !== 'list' && runs_of === null && (unclear !== 'never' || values.join() === SURFACE_CATEGORIES.join()),
  )

/** Everything that can be wrong with a request is found here, before anything is stored or paid for. */
export async function admitRequest(
  deps: ResolveDeps,
  request: GradeRequest,
  given: Trajectory | null = null,
  named = nameRequest(deps, request),
): Promise<Admitted> {
  if (!named.ok) return named
  const read =
    given === null
      ? await readRequested(deps, request)
      : { ok: true as const, trajectory: given, document: request.trajectory }
  if (read.ok && (named.rubric.about === 'runs') !== (read.trajectory.format === 'runs'))
    return refuseAbout(named.rubric)
  return read.ok ? { ...named, trajectory: read.trajectory, document: read.document } : read
}

/** The cache key of a request whose trajectory is stored, without reading the trajectory; null where it brings one. */
export function keyOfStored(deps: ResolveDeps, request: GradeRequest, named: Named): Digest | null {
  const id = referenceIn(request.trajectory)
  return id === null ? null : keyOf(deps, request, named, id as Digest)
}

const keyOf = (
  { denied_acts }: ResolveDeps,
  { samples = 1 }: GradeRequest,
  { judge, rubric, ground_truth }: Named,
  trajectory: Digest,
): Digest =>
  cacheKey({
    trajectory,
    ground_truth,
    rubric_digest: rubric.digest,
    judge: judge.info.identity,
    samples,
    denied_acts,
  })

/** The question that a request asks, everything looked up; `named`, `known`: what it names, and its key, where the caller has them. */
export async function resolveQuestion(
  deps: ResolveDeps,
  request: GradeRequest,
  named = nameRequest(deps, request),
  known: Digest | null = null,
): Promise<Resolved | Refused> {
  const admitted = await admitRequest(deps, request, null, named)
  if (!admitted.ok) return admitted
  const { judge, rubric, ground_truth, trajectory, document } = admitted
  let nonce: string | undefined
  const question: Question = {
    trajectory,
    ground_truth,
    anchors: resolveAnchors(ground_truth),
    rubric,
    judge,
    samples: request.samples ?? 1,
    denied_acts: deps.denied_acts,
    key: known ?? keyOf(deps, request, admitted, trajectory.id),
    get nonce() {
      nonce ??= makeNonce(deps.secret, trajectory)
      return nonce
    },
    grade_id: deps.newId('grd'),
  }
  return { ok: true, question, document }
}

async function readRequested(deps: ResolveDeps, request: GradeRequest) {
  const given = request.trajectory
  const id = referenceIn(given)
  if (id !== null) {
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

/** Reads a stored trajectory, of its stored bytes where the caller has them; null: there is none. */
export async function loadTrajectory(deps: ResolveDeps, id: string, read?: Uint8Array): Promise<Trajectory | null> {
  const recent = deps.recent.get(id)
  if (recent !== undefined) return recent
  const packed = read ?? (await deps.trajectories.getPacked(id as Digest))
  if (packed === null) return null
  const trajectory = await deps.readStored(packed, id as Digest)
  deps.recent.set(id, trajectory)
  return trajectory
}

/** Answers whether it was new. */
export const storeTrajectory = (
  { trajectories, clock }: ResolveDeps,
  { id, format }: Trajectory,
  document: Record<string, unknown>,
): Promise<boolean> => trajectories.put({ id, format, document }, clock.now().toISOString())

export const refuse = (code: Refusal['code'], detail: string, path: string, message: string) => ({
  ok: false as const,
  refusal: { code, detail, errors: [{ path, message }] },
})

export const refuseIssues = (prefix: string, issues: readonly Issue[], detail = 'the trajectory cannot be read') => ({
  ok: false as const,
  refusal: {
    code: 'invalid_request' as const,
    detail,
    errors: issues.map((issue) => ({ path: prefix + issue.path, message: issue.message })),
  },
})
