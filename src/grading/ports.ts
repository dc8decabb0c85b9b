import type { Digest } from '../domain/digest.ts'
import type { Price } from '../domain/price.ts'
import type { Trajectory } from '../domain/trajectory.ts'
import type { AttemptSummary, Failure, Grade, Usage } from '../schemas/grade.ts'
import type { TrialMetadata } from '../schemas/grade-request.ts'
import type { GroundTruth, Signals } from '../schemas/ground-truth.ts'
import type { Review } from '../schemas/review.ts'
import type { BatchApi } from './batch-api.ts'
import type { BatchStore, ItemRef } from './batch-ports.ts'
import type { ProviderQueue } from './provider-ports.ts'

export type { Price } from '../domain/price.ts'

/** What may differ between two judges so that they could answer differently. Part of the cache key, whole. */
export interface JudgeIdentity {
  readonly provider: string | null
  readonly base_url: string | null
  readonly model: string | null
  /** API flavour, effort, output limit, … and for `lexical` its rule version. */
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface JudgeInfo {
  readonly name: string
  readonly kind: 'lexical' | 'model'
  readonly description: string
  readonly identity: JudgeIdentity
  /** Input the judge can take, in tokens; null: no limit. */
  readonly window_tokens: number | null
  readonly max_output_tokens: number | null
  /** What the token estimate is multiplied by for the model’s own tokenizer. */
  readonly token_factor: number
  /** In any order, no two from the same day on; empty: unknown, cost is reported as null. `priceOn` picks one. */
  readonly prices: readonly Price[]
}

/**
 * One question to a judge. `system`, `trajectory` and `question` are sent in that order, so that another rubric, a repair or a
 * second sample shares the longest possible prefix with what the provider has cached. `evidence` is what a judge without a
 * model reads instead of the prompt.
 */
export interface JudgeRequest {
  readonly system: string
  readonly trajectory: string
  readonly question: string
  /** The judge's rejected answer and what was wrong with it, oldest first; empty on the first round. */
  readonly repairs: readonly { readonly answer: string; readonly complaint: string }[]
  readonly answer_schema: object
  /** Stable per trajectory: routes equal prefixes to the same provider cache. */
  readonly cache_hint: string
  /** Doubled once after a truncated answer. */
  readonly max_output_tokens: number | null
  readonly evidence: { readonly trajectory: Trajectory; readonly ground_truth: GroundTruth }
}

/** What came back. `raw` is the provider's whole answer as text, kept whatever the outcome. */
export type JudgeReply =
  | {
      readonly ok: true
      readonly text: string
      readonly raw: string
      readonly usage: Usage | null
      readonly model_resolved: string | null
      readonly request_id: string | null
    }
  | {
      readonly ok: false
      readonly failure: Failure
      readonly raw: string | null
      readonly usage: Usage | null
      readonly model_resolved: string | null
      readonly request_id: string | null
    }

/** Whatever answers a rubric. Never throws for what a provider does; never retries by itself. */
export interface Judge {
  readonly info: JudgeInfo
  ask(request: JudgeRequest, signal: AbortSignal): Promise<JudgeReply>
  /** The provider’s batch endpoint, where it has one. */
  readonly batch?: BatchApi
}

export interface StoredTrajectory {
  readonly id: Digest
  readonly format: string
  /** The source document, as parsed JSON. */
  readonly document: Record<string, unknown>
  readonly created_at: string
}

export interface TrajectoryStore {
  /** Stores once; answers whether it was new. */
  put(trajectory: { id: Digest; format: string; document: Record<string, unknown> }, at: string): Promise<boolean>
  get(id: Digest): Promise<StoredTrajectory | null>
}

/** One call of a judge, before it is made. */
export interface PlannedAttempt {
  readonly id: string
  readonly grade_id: string
  /** Cache key of the grade that it is for. */
  readonly key: Digest
  readonly sample: number
  readonly round: number
  readonly purpose: AttemptSummary['purpose']
  /** Digest of everything that is sent. */
  readonly request_digest: Digest
  readonly judge: string
  readonly started_at: string
  /** The batch that it is made for. */
  readonly batch: string | null
  /** Upper bound of its cost; null where it is unknown. */
  readonly reserved_usd: number | null
}

/** Dollars that may be spent; null: no cap. A day is a day of UTC. */
export interface Caps {
  readonly batch_usd: number | null
  readonly day_usd: number | null
}
export const NO_CAPS: Caps = { batch_usd: null, day_usd: null }

/** The cap that a call would break, with what was spent or reserved before it. */
export interface OverBudget {
  readonly cap: 'batch' | 'day'
  readonly cap_usd: number
  readonly spent_usd: number
  /** Of `spent_usd`: upper bounds of calls in flight, which come back but for what they cost. */
  readonly reserved_usd: number
}

export interface FinishedAttempt {
  readonly id: string
  readonly outcome: AttemptSummary['outcome']
  readonly message: string | null
  readonly reply: JudgeReply
  readonly latency_ms: number
  readonly cost_usd: number | null
}

/** A stored call, as `GET /v1/grades/{id}` and the audit see it. */
export interface LedgerEntry extends PlannedAttempt {
  readonly outcome: AttemptSummary['outcome']
  readonly message: string | null
  readonly raw_reply: string | null
  readonly usage: Usage | null
  readonly cost_usd: number | null
  readonly latency_ms: number | null
  readonly request_id: string | null
  readonly model_resolved: string | null
}

/** A good reply that is kept. */
export interface StoredReply {
  readonly attempt_id: string
  readonly sample: number
  readonly round: number
  readonly purpose: AttemptSummary['purpose']
  readonly request_digest: Digest
  readonly reply: Extract<JudgeReply, { ok: true }>
}

export interface AttemptLedger {
  /**
   * Durable before it resolves: the call may only be made afterwards. Reserves its upper bound in the same unit of work; answers
   * the cap that it would break, and then nothing is written.
   */
  begin(attempt: PlannedAttempt, caps: Caps): Promise<OverBudget | null>
  /** Durable before it resolves: the reply may only be used afterwards. */
  finish(attempt: FinishedAttempt): Promise<void>
  /**
   * The stored good reply of an interrupted grade (its grade was never written) to the very same request, so that it is not
   * paid for twice. Null where there is none.
   */
  findOrphan(
    key: Digest,
    sample: number,
    round: number,
    requestDigest: Digest,
  ): Promise<{
    attempt_id: string
    grade_id: string
    reply: Extract<JudgeReply, { ok: true }>
    cost_usd: number | null
  } | null>
  /** Gives an orphan to the grade that uses its reply. */
  adopt(attemptId: string, gradeId: string): Promise<void>
  /** Calls that were in flight when their process died become `unknown`. Answers how many. */
  markInterrupted(): Promise<number>
  listForGrade(gradeId: string): Promise<readonly LedgerEntry[]>
  /** The good replies of a grade, as they were used: to be checked again without a call. */
  listReplies(gradeId: string): Promise<readonly StoredReply[]>
}

export interface GradeQuery {
  readonly label?: string
  readonly status?: string
  readonly judge?: string
  readonly rubric?: string
  readonly agent?: string
  readonly model?: string
  readonly task?: string
  readonly batch?: string
  readonly limit: number
  /** Exclusive: grades older than this id. */
  readonly before?: string
}

/** A grade with the digests that are not part of its public form. */
export interface GradeRecord {
  readonly grade: Grade
  readonly ground_truth: GroundTruth
  /** The batch item that it settles, in the same unit of work. */
  readonly item?: ItemRef
  /** Kept beside the others without answering its key: what was checked again must not stand for what would be asked. */
  readonly silent?: boolean
}

export interface GradeStore {
  /**
   * One unit of work: the grade, its ground truth, and (unless it failed) that it now answers its key. A failed grade never
   * replaces a good one.
   */
  put(record: GradeRecord): Promise<void>
  get(id: string): Promise<Grade | null>
  getGroundTruth(id: string): Promise<GroundTruth | null>
  /** The grade that answers the key now. */
  findByKey(key: Digest): Promise<Grade | null>
  /** Newest first. */
  list(query: GradeQuery): Promise<readonly Grade[]>
  /**
   * Newest first: of each key the grade that answers it, or, where it never got one, its newest failure. What only checked
   * stored replies again is left out.
   */
  listStanding(query: GradeQuery): Promise<readonly StandingGrade[]>
  /** The standing grades of one question, newest first. */
  listForQuestion(question: string): Promise<readonly StandingGrade[]>
}

/** A grade with what the harness measured in its trial. */
export interface StandingGrade {
  readonly grade: Grade
  readonly signals: Signals
}

/** What is graded, apart from by whom: `sha256:…/sha256:…`, the trajectory and its ground truth. */
export const questionOf = ({ receipt }: Pick<Grade, 'receipt'>): string =>
  `${receipt.trajectory}/${receipt.ground_truth}`

export interface ReviewQuery {
  readonly rater?: string
  readonly grade_id?: string
  readonly question?: string
  readonly limit: number
  /** Exclusive: reviews older than this id. */
  readonly before?: string
}

/** Human labels, append-only. */
export interface ReviewStore {
  put(review: Review): Promise<void>
  /** Newest first. */
  list(query: ReviewQuery): Promise<readonly Review[]>
}

/**
 * Digest of raw request bytes → the key they mean and the metadata they carry: the way to answer without parsing.
 */
export interface AliasStore {
  put(rawDigest: string, key: Digest, metadata: TrialMetadata): Promise<void>
  find(rawDigest: string): Promise<{ key: Digest; metadata: TrialMetadata } | null>
}

export interface IdempotencyRecord {
  readonly request_digest: string
  readonly status: number
  readonly body: string
}

export interface IdempotencyStore {
  find(key: string): Promise<IdempotencyRecord | null>
  /** First write wins. */
  put(key: string, record: IdempotencyRecord, at: string): Promise<void>
}

export interface RubricStore {
  /** Answers the digest stored under the name before, storing this one where there was none. */
  register(name: string, digest: Digest, content: string, at: string): Promise<Digest>
}

export interface SecretStore {
  /** The service's own secret for marker nonces: made once, then stable, so that prompts stay byte-equal. */
  renderingSecret(make: () => Uint8Array): Promise<Uint8Array>
}

/** This process, as the others of the same database see it. */
export interface ProcessRegistry {
  /** Says that this process lives; to be called every few seconds. */
  beat(): Promise<void>
}

export interface Stores {
  readonly batches: BatchStore
  readonly provider: ProviderQueue
  readonly processes: ProcessRegistry
  readonly reviews: ReviewStore
  readonly trajectories: TrajectoryStore
  readonly attempts: AttemptLedger
  readonly grades: GradeStore
  readonly aliases: AliasStore
  readonly idempotency: IdempotencyStore
  readonly rubrics: RubricStore
  readonly secrets: SecretStore
  /** Throws where the store cannot be written. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface Clock {
  now(): Date
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
