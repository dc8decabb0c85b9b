import type { Digest } from '../domain/digest.ts'
import type { Picture } from '../domain/picture.ts'
import type { Price } from '../domain/price.ts'
import type { Trajectory } from '../domain/trajectory.ts'
import type { Failure, Usage } from '../schemas/grade.ts'
import type { TrialMetadata } from '../schemas/grade-request.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'
import type { SettingSources } from '../schemas/judge-info.ts'
import type { BatchApi } from './batch-api.ts'
import type { BatchStore } from './batch-ports.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { CommentStore, GradeStore, ReviewStore } from './grade-ports.ts'
import type { AttemptLedger } from './ledger-ports.ts'
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
  /** Whether it is sent the pictures of a trajectory. */
  readonly images: boolean
  /** What the token estimate is multiplied by for the model’s own tokenizer. */
  readonly token_factor: number
  /** Whether its provider holds it to the answer schema; if not, the prompt tells it the form. */
  readonly structured_output: boolean
  /** In any order, no two from the same day on; empty: unknown, cost is reported as null. `priceOn` picks one. */
  readonly prices: readonly Price[]
  /** Host and path of what is asked, without what can be secret; null: nothing leaves the process. */
  readonly base_url: string | null
  readonly sources: SettingSources
}

/** A picture, and the number and step by which the text of the trajectory names it. */
export interface JudgeImage {
  readonly label: string
  readonly picture: Picture
}

/**
 * One question to a judge. `system`, `trajectory`, `images` and `question` are sent in that order, so that another rubric, a repair or a
 * second sample shares the longest possible prefix with what the provider has cached. `evidence` is what a judge without a
 * model reads instead of the prompt.
 */
export interface JudgeRequest {
  readonly system: string
  readonly trajectory: string
  /** Those that the text of the trajectory marks, in their order. */
  readonly images: readonly JudgeImage[]
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
  /** The document as it is stored, to be opened beside the event loop. */
  getPacked(id: Digest): Promise<Uint8Array | null>
  /** Newest first; `before` is exclusive: those that were stored earlier than it. */
  listIds(query: { readonly limit: number; readonly before?: Digest }): Promise<readonly Digest[]>
  count(): Promise<number>
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
  readonly comments: CommentStore
  readonly trajectories: TrajectoryStore
  readonly attempts: AttemptLedger
  readonly grades: GradeStore
  readonly aliases: AliasStore
  readonly idempotency: IdempotencyStore
  readonly rubrics: RubricStore
  readonly secrets: SecretStore
  /** Null: nobody else works on this database. */
  readonly cluster: Cluster | null
  /** Throws where the store cannot be written. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface Clock {
  now(): Date
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
