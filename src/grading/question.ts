import type { KeyObject } from 'node:crypto'
import type { Stores } from '../db/stores.ts'
import { type Anchors, normalizeGroundTruth, resolveAnchors } from '../domain/anchors/anchors.ts'
import type { Clock } from '../domain/clock.ts'
import type { Digest } from '../domain/digest.ts'
import { cacheKey } from '../domain/evidence/evidence.ts'
import type { DeniedActs } from '../domain/evidence/observations.ts'
import type { Issue, Result } from '../domain/result.ts'
import { findRubric } from '../domain/rubric/claims.ts'
import { type Rubric, sightClaim } from '../domain/rubric/rubric.ts'
import { makeNonce } from '../domain/trajectory/rendering.ts'
import { referenceIn, type Trajectory } from '../domain/trajectory/trajectory.ts'
import { areOneModel } from '../domain/words.ts'
import type { Judge } from '../judges/judge.ts'
import { inputIssues } from '../schemas/check.ts'
import { faultAt, RequestError } from '../schemas/problem.ts'
import type { GradeRequest, GroundTruth, TrialMetadata } from '../schemas/trial.ts'
import { SURFACE_CATEGORIES } from '../schemas/vocabulary.ts'

/** The judge and the rubric that a request names, and its ground truth in the normal form of that rubric. */
interface Named {
  readonly judge: Judge
  readonly rubric: Rubric
  readonly ground_truth: GroundTruth
}

/** A request that can be graded: its names are known and its trajectory can be read. */
export interface Admitted extends Named {
  readonly trajectory: Trajectory
  /** The trajectory’s document, where the request brought it. */
  readonly document: Record<string, unknown> | null
}

/** One question, everything looked up: the run that is graded, by which rubric, by which judge, under which key. */
export interface Question extends Named {
  readonly trajectory: Trajectory
  readonly anchors: Anchors
  readonly samples: number
  readonly denied_acts: DeniedActs
  readonly key: Digest
  /** Made when first asked for: the mark in the frames of the text that a judge is shown. */
  readonly nonce: string
  /** The grade that the answer will become. */
  readonly grade_id: string
}

/** Trajectories that were read lately, by id: the items of one trajectory follow each other. */
interface RecentTrajectories {
  get(id: string): Trajectory | undefined
  set(id: string, trajectory: Trajectory): unknown
  delete(id: string): unknown
}

export interface QuestionDeps {
  readonly stores: Stores
  readonly recent: RecentTrajectories
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that cannot be asked, each with its remedy. */
  readonly unready: ReadonlyMap<string, string>
  readonly rubrics: ReadonlyMap<string, Rubric>
  readonly default_judge: string
  readonly default_rubric: string
  /** Reads any supported document; its issues name places in the document. */
  readonly read: (document: unknown) => Result<Trajectory, Issue[]>
  /** Reads a run as the store keeps it. */
  readonly readStored: (packed: Uint8Array) => Promise<Trajectory>
  /** The service’s own secret, which makes frame marks unknown to the author of the trajectory. */
  readonly secret: Uint8Array | KeyObject
  /** The meaning of an act that is denied against a given action anchor. */
  readonly denied_acts: DeniedActs
  readonly clock: Clock
  readonly newId: (prefix: string) => string
}

/** Looks up the names of a request, and checks its ground truth. Throws a RequestError for a name that is unknown and a truth that does not fit. */
export function nameRequest(deps: QuestionDeps, request: GradeRequest): Named {
  const asked = request.judge ?? deps.default_judge
  const judge = deps.judges.get(asked)
  if (judge === undefined) {
    const todo = deps.unready.get(asked)
    const why =
      todo === undefined ? `there is no such judge: ${asked}` : `the judge ${asked} is not configured: ${todo}`
    throw faultAt('/judge', `configured judges: ${[...deps.judges.keys()].join(', ')}`, 'unknown_judge', why)
  }
  const rubric = findRubric(deps.rubrics, request.rubric ?? deps.default_rubric)
  if (rubric === null) {
    const loaded = `loaded rubrics: ${[...deps.rubrics.keys()].join(', ')}`
    throw faultAt('/rubric', loaded, 'unknown_rubric', `there is no such rubric: ${request.rubric}`)
  }
  const { name, truth } = rubric
  if (judge.info.kind === 'lexical' && !canSearch(rubric)) {
    const remedy = `name a model; ${name} has no claim that a search answers`
    throw faultAt('/judge', remedy, 'invalid_request', LEXICAL_CANNOT)
  }
  const issues = inputIssues(truth.schema, request.ground_truth)
  if (issues.length > 0)
    throw misread('/ground_truth', issues, `the ground truth is not what ${name} wants to know of a trial`)
  return { judge, rubric, ground_truth: normalizeGroundTruth(request.ground_truth, truth.instructions) }
}

/** Refuses a judge whose model is that of the agent, by the harness’s metadata, else by the record. */
export function refuseSelf(
  { info }: Judge,
  { model }: TrialMetadata,
  { allow_self }: Pick<GradeRequest, 'allow_self'>,
  place = '',
) {
  if (allow_self === true || !areOneModel([info.identity.model], [model])) return
  const why = `the judge ${info.name} is the model that the metadata of the trial name as its agent’s`
  throw faultAt(`${place}/judge`, 'name another judge, or allow it by allow_self (--allow-self)', 'self_judging', why)
}

const LEXICAL_CANNOT = 'the judge lexical searches for instructions, and this rubric asks about none'

/** Tells whether a search can answer in the form of a rubric: the rubric asks for a sight, and all else can be unclear. */
const canSearch = (rubric: Rubric): boolean =>
  sightClaim(rubric) !== null &&
  rubric.claims.every(
    ({ type, runs_of, unclear, values }) =>
      type !== 'list' && runs_of === null && (unclear !== 'never' || values.join() === SURFACE_CATEGORIES.join()),
  )

/** Finds everything that can be wrong with a request, before anything is stored or paid for. `read`: the run of its document, where it was read before. */
export async function admitRequest(
  deps: QuestionDeps,
  request: GradeRequest,
  { named = nameRequest(deps, request), read = null, packed = null }: Readings = {},
): Promise<Admitted> {
  const id = read === null ? referenceIn(request.trajectory) : null
  const stored = id === null ? null : await loadTrajectory(deps, id, packed)
  if (id !== null && stored === null)
    throw faultAt('/trajectory/id', 'unknown id', 'unknown_trajectory', 'no trajectory has this id; upload it first')
  const trajectory = stored ?? read ?? readRun(deps, request.trajectory, '/trajectory')
  const { name, about } = named.rubric
  if ((about === 'runs') !== (trajectory.format === 'runs')) {
    const detail = `${name} asks about ${about === 'runs' ? 'several runs of one task' : 'one run'}`
    throw faultAt('/trajectory', about === 'runs' ? SEND_RUNS : 'send one by itself', 'invalid_request', detail)
  }
  return { ...named, trajectory, document: id === null ? request.trajectory : null }
}

const SEND_RUNS = 'send several: {"runs": [{"id": …, "trajectory": …}], "documents": [{"name": …, "text": …}]}'

/** Readings that the caller has made already. */
interface Readings {
  readonly named?: Named
  readonly read?: Trajectory | null
  /** The stored bytes of the trajectory. */
  readonly packed?: Uint8Array | null | undefined
}

/** Computes the cache key of a request whose trajectory is stored, without reading the trajectory; null where the request brings the trajectory. */
export function keyOfStored(deps: QuestionDeps, request: GradeRequest, named: Named): Digest | null {
  const id = referenceIn(request.trajectory)
  return id === null ? null : keyOf(deps, request, named, id as Digest)
}

const keyOf = (
  { denied_acts }: QuestionDeps,
  { samples = 1 }: GradeRequest,
  { judge, rubric, ground_truth }: Named,
  trajectory: Digest,
): Digest =>
  cacheKey({
    trajectory,
    ground_truth,
    samples,
    denied_acts,
    rubric_digest: rubric.digest,
    judge: judge.info.identity,
  })

/** Makes the question of a request. `known`: the key of the question, where the caller has it. */
export async function resolveQuestion(
  deps: QuestionDeps,
  request: GradeRequest,
  readings: Readings = {},
  known: Digest | null = null,
): Promise<{ readonly question: Question; readonly document: Admitted['document'] }> {
  const admitted = await admitRequest(deps, request, readings)
  const { document, ...asked } = admitted
  let nonce: string | undefined
  const question: Question = {
    ...asked,
    anchors: resolveAnchors(asked.ground_truth),
    samples: request.samples ?? 1,
    denied_acts: deps.denied_acts,
    key: known ?? keyOf(deps, request, asked, asked.trajectory.id),
    get nonce() {
      nonce ??= makeNonce(deps.secret, asked.trajectory)
      return nonce
    },
    grade_id: deps.newId('grd'),
  }
  return { question, document }
}

/** Reads the run of a document. Throws a RequestError with the faults, whose places begin with `place`. */
export function readRun(deps: QuestionDeps, document: object, place: string): Trajectory {
  const read = deps.read(document)
  if (!read.ok) throw misread(place, read.error, 'the trajectory cannot be read')
  return read.value
}

const misread = (place: string, issues: readonly Issue[], detail: string): RequestError =>
  new RequestError('invalid_request', detail, {
    errors: issues.map(({ path, message }) => ({ path: place + path, message })),
  })

/** Reads a stored trajectory, of its stored bytes where the caller has them; null for an unknown id. */
export async function loadTrajectory(
  deps: QuestionDeps,
  id: string,
  stored: Uint8Array | null = null,
): Promise<Trajectory | null> {
  const recent = deps.recent.get(id)
  if (recent !== undefined) return recent
  const packed = stored ?? (await deps.stores.trajectories.getPacked(id as Digest))
  if (packed === null) return null
  const trajectory = await deps.readStored(packed)
  deps.recent.set(id, trajectory)
  return trajectory
}

/** Stores a trajectory; false where it was stored before. */
export const saveTrajectory = (
  { stores, clock }: QuestionDeps,
  { id, format }: Trajectory,
  document: Record<string, unknown>,
): Promise<boolean> => stores.trajectories.put({ id, format, document }, clock.now().toISOString())
