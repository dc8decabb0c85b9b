import type { Generated, Selectable } from 'kysely'
import type { Digest } from '../domain/digest.ts'
import type { AttemptSummary } from '../schemas/grade.ts'
import type { BatchKind, BatchMode, ItemStatus } from '../schemas/vocabulary.ts'

/** The outcome of a call; `queued`, `sent` and `void` of a provider’s batch too. */
export type AttemptOutcome = AttemptSummary['outcome'] | 'queued' | 'void'

/** A call of a judge, before it is made. */
export interface PlannedCall {
  id: string
  grade_id: string
  /** The cache key of the grade. */
  key: Digest
  sample: number
  round: number
  purpose: AttemptSummary['purpose']
  /** Digest of everything that is sent. */
  request_digest: Digest
  judge: string
  started_at: string
  /** The batch for which the call is made. */
  batch: string | null
  /** The index of the item in the batch. */
  item: number | null
  /** The key that pays; null: no key in particular. */
  payer: string | null
  /** Upper bound of the cost; null: unknown. */
  reserved_usd: number | null
}

/** The columns of the end of a call; null in a call without an end. */
export interface EndColumns extends ReplyColumns {
  message: string | null
  cost_usd: number | null
  latency_ms: number | null
}

export interface ReplyColumns {
  reply_text: Buffer | null
  raw_reply: Buffer | null
  usage: string | null
  request_id: string | null
  model_resolved: string | null
}

/** The tables of a database, on SQLite and on PostgreSQL alike. Times are ISO 8601 in UTC, JSON is text, `seq` is the order of writing. */
export interface Tables {
  readonly trajectories: {
    id: Digest
    format: string
    /** The document as it was sent, compressed with zstd. */
    document: Buffer
    created_at: string
  }
  readonly grades: {
    id: string
    /** The cache key. */
    key: string
    status: string
    label: string | null
    claimed_label: string | null
    judge: string
    rubric: string
    /** The rubric without its version; computed by the database. */
    rubric_id: Generated<string>
    trajectory: string
    agent: string | null
    model: string | null
    task: string | null
    batch: string | null
    ground_truth: string
    signals: string | null
    /** The public JSON of the grade. */
    body: string
    created_at: string
    /** 1: the grade only checked stored replies again, and never answers its key. */
    silent: number
    /** `sha256:…/sha256:…`, the trajectory and the ground truth. */
    question: string
    /** 1: the grade answers its key. */
    is_current: number
  }
  readonly attempts: PlannedCall &
    EndColumns & {
      seq: Generated<number>
      /** The process that makes the call. */
      process: string | null
      outcome: AttemptOutcome
      /** The submission of a provider’s batch that carries the call; null: a direct call, or a call that is not sent yet. */
      submission: string | null
      /** The line for the provider’s batch, compressed; dropped with the answer. */
      line: Buffer | null
      /** The length of the line in bytes, its line feed included; null: a direct call. */
      bytes: number | null
      /** The failure of an answer of a provider’s batch, as JSON. */
      failure: string | null
    }
  readonly submissions: {
    seq: Generated<number>
    id: string
    judge: string
    batch: string
    status: 'recorded' | 'submitted' | 'ended' | 'failed'
    provider_id: string | null
    requests: number
    detail: string | null
    recorded_at: string
    ended_at: string | null
    /** Until when a process sends the submission. */
    sending_until: string | null
  }
  readonly batches: {
    seq: Generated<number>
    id: string
    kind: BatchKind
    mode: BatchMode
    name: string | null
    key: string | null
    status: 'draft' | 'running' | 'parked' | 'cancelling' | 'cancelled' | 'done'
    max_cost_usd: number | null
    parked_reason: string | null
    resumes_at: string | null
    payer: string | null
    payer_cap_usd: number | null
    total: Generated<number>
    created_at: string
    finished_at: string | null
    /** The counts of the items by their states, as JSON, of a batch that has ended; null: they are counted. */
    tallies: string | null
    /** The process that takes a draft in. */
    process: string | null
  }
  readonly batch_items: {
    /** `seq` of the batch. */
    batch: number
    idx: number
    item_id: string
    trajectory: Digest
    /** The grade request as JSON, without its trajectory. */
    request: string
    /** The judge of the request; null in rows of earlier versions. */
    judge: string | null
    base_grade: string | null
    status: Generated<ItemStatus | 'pending' | 'waiting'>
    label: string | null
    grade_id: string | null
    failure_code: string | null
    failure: string | null
    cached: Generated<number>
  }
  readonly reviews: {
    id: string
    grade_id: string
    question: string
    rater: string
    label: string | null
    body: string
    created_at: string
  }
  readonly api_keys: {
    seq: Generated<number>
    id: string
    secret_sha256: Buffer
    name: string
    /** `default`; keys of earlier versions named their project. */
    project: string
    scopes: string
    max_requests_per_minute: number | null
    max_cost_usd_per_day: number | null
    created_at: string
    expires_at: string | null
    revoked_at: string | null
    last_used_at: string | null
  }
  readonly idempotency_keys: {
    key: string
    request_digest: string
    /** The HTTP status of the answer; 0: a request is being answered. */
    status: number
    body: string
    created_at: string
  }
  readonly spending: {
    /** `day:2026-11-21` (UTC), `batch:bat_…` or `key:key_…:2026-11-21`. */
    scope: string
    settled_usd: number
    reserved_usd: number
    uncertain_usd: number
    calls: number
    unknown_calls: number
    unpriced_calls: number
  }
  readonly judges: {
    name: string
    /** Milliseconds since the epoch before which no process calls the judge. */
    paused_until: Generated<number>
    /** The failure that paused the judge, as JSON. */
    failure: string | null
    /** Silent failures in a row. */
    strikes: Generated<number>
    /** Pauses in a row that silence has caused. */
    rests: Generated<number>
    /** Milliseconds since the epoch at which a worker with the judge last said so. */
    seen_at: Generated<number>
  }
  readonly settings: {
    name: string
    value: Buffer
  }
}

/** Names of the tables that hold the data of a service. */
export type TableName = keyof Tables

/** Rows as they are read. */
export type Attempt = Selectable<Tables['attempts']>
export type Spending = Selectable<Tables['spending']>
export type Submission = Selectable<Tables['submissions']>
export type JudgeRow = Selectable<Tables['judges']>
export type IdempotencyRow = Selectable<Tables['idempotency_keys']>
export type GradeRow = Selectable<Tables['grades']>
export type KeyRow = Selectable<Tables['api_keys']>
