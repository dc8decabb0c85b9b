import type { Digest } from '../domain/digest.ts'
import type { BatchApi } from './batch-api.ts'
import type { BatchStore } from './batch-ports.ts'
import type { GradeOverviewReader, GradeStore, ReviewStore } from './grade-ports.ts'
import type { JudgeInfo, JudgeReply, JudgeRequest } from './judge-ports.ts'
import type { AttemptLedger } from './ledger-ports.ts'
import type { ProviderQueue } from './provider-ports.ts'
import type { Cluster } from './slice-ports.ts'

/** What answers a rubric: a model or code. Never throws for what a provider does; never retries by itself. */
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

/** The lock of an SQLite file whose holder, one process at a time, runs the batches of the file. */
export interface RunLock {
  /** Takes the lock unless another process holds it; answers whether this process holds the lock. Throws where the lock cannot be used. */
  take(): boolean
  /** Tells whether a process, this one or another, holds the lock. */
  isTaken(): boolean
  release(): void
}

/** The judges of the process that runs the batches of an SQLite file, for other processes. */
export interface RunnerJudges {
  put(judges: readonly string[]): Promise<void>
  /** Null before a process ran batches. */
  get(): Promise<readonly string[] | null>
}

export interface Stores {
  readonly batches: BatchStore
  readonly provider: ProviderQueue
  readonly reviews: ReviewStore
  readonly trajectories: TrajectoryStore
  readonly attempts: AttemptLedger
  readonly grades: GradeStore
  readonly overview: GradeOverviewReader
  readonly idempotency: IdempotencyStore
  readonly rubrics: RubricStore
  readonly secrets: SecretStore
  /** The shared work of processes on a PostgreSQL; null on SQLite. */
  readonly cluster: Cluster | null
  /** Null on PostgreSQL, where processes run batches in slices. */
  readonly run_lock: RunLock | null
  /** The judges of the process that took the run lock last. */
  readonly runner_judges: RunnerJudges
  /** Throws where the store cannot be written. */
  check(): Promise<void>
  close(): Promise<void>
}

export interface Clock {
  now(): Date
  /** Resolves after `ms`, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
