import type { Generated, Insertable, Selectable } from 'kysely'
import type { KeyRecord } from '../access/keys.ts'
import type { Digest } from '../domain/digest.ts'
import type { Batch } from '../schemas/batch.ts'
import type { AttemptSummary, Failure, Usage } from '../schemas/grade.ts'
import type { GradeRequest, GroundTruth, Signals } from '../schemas/trial.ts'
import type { ItemStatus } from '../schemas/vocabulary.ts'

/** A call of a judge, before it is made. */
export interface PlannedAttempt {
  readonly id: string
  readonly grade_id: string
  /** The cache key of the grade. */
  readonly key: Digest
  readonly sample: number
  readonly round: number
  readonly purpose: AttemptSummary['purpose']
  /** Digest of everything that is sent. */
  readonly request_digest: Digest
  readonly judge: string
  readonly started_at: string
  /** The batch for which the call is made. */
  readonly batch: string | null
  /** The index of the item in the batch. */
  readonly item: number | null
  /** The key that pays; null: no key in particular. */
  readonly payer: string | null
  /** Upper bound of the cost; null: unknown. */
  readonly reserved_usd: number | null
}

/** The columns of the end of a call; null in a call without an end. */
export type EndColumns = ReplyColumns & OptionalTexts<'message'> & Record<'cost_usd' | 'latency_ms', number | null>

type ReplyTexts = OptionalTexts<'reply_text' | 'raw_reply' | 'request_id' | 'model_resolved'>
export type ReplyColumns = ReplyTexts & { usage: Usage | null }

/** Dollars and numbers of calls. */
export type Amounts = Readonly<
  Record<'settled_usd' | 'reserved_usd' | 'uncertain_usd' | 'calls' | 'unknown_calls' | 'unpriced_calls', number>
>

/** A number of items of a batch in one state. */
export interface Tally {
  readonly status: ItemStatus | 'waiting' | 'pending'
  readonly detail: string | null
  /** 0 and 1 in the rows of earlier versions. */
  readonly cached: number | boolean
  readonly n: number
}

type Texts<K extends string> = Record<K, string>
type OptionalTexts<K extends string> = Record<K, string | null>

/** The tables of both databases, with the values of their rows as `text.ts` decodes them. Times are ISO 8601 in UTC, `seq` is the order of writing. */
export interface Tables {
  /** The JSON text of the document, compressed with zstd. */
  readonly trajectories: Texts<'format' | 'created_at'> & { id: Digest; document: Buffer }
  /** `key`: the cache key; `question`: `sha256:…/sha256:…`, the trajectory and the ground truth; `body`: the public JSON of the grade. */
  readonly grades: Texts<
    'id' | 'key' | 'status' | 'judge' | 'rubric' | 'trajectory' | 'body' | 'created_at' | 'question'
  > &
    OptionalTexts<'label' | 'claimed_label' | 'agent' | 'model' | 'task' | 'batch'> & {
      /** The rubric without its version; computed by the database. */
      rubric_id: Generated<string>
      ground_truth: GroundTruth
      signals: Signals | null
      /** 1: the grade only checked stored replies again, and never answers its key. */
      silent: number | boolean
      /** 1: the grade answers its key. */
      is_current: number | boolean
    }
  readonly attempts: PlannedAttempt &
    EndColumns & {
      seq: Generated<number>
      /** The process that makes the call. */
      process: string | null
      /** `queued`, `sent` and `void` of a provider’s batch too. */
      outcome: AttemptSummary['outcome'] | 'queued' | 'void'
      /** The submission of a provider’s batch that carries the call; null: a direct call, or a call that is not sent yet. */
      submission: string | null
      /** The line for the provider’s batch; dropped with the answer. */
      line: string | null
      /** The length of the line in bytes, its line feed included; null: a direct call. */
      bytes: number | null
      /** The failure of an answer of a provider’s batch. */
      failure: Failure | null
    }
  readonly submissions: Texts<'id' | 'judge' | 'batch' | 'recorded_at'> &
    OptionalTexts<'provider_id' | 'detail' | 'ended_at'> & {
      seq: Generated<number>
      status: 'recorded' | 'submitted' | 'ended' | 'failed'
      requests: number
    }
  readonly batches: Texts<'id' | 'created_at'> &
    OptionalTexts<'name' | 'key' | 'parked_reason' | 'resumes_at' | 'payer' | 'finished_at'> & {
      seq: Generated<number>
      kind: Batch['kind']
      mode: Batch['mode']
      status: 'draft' | 'running' | 'parked' | 'cancelling' | 'cancelled' | 'done'
      max_cost_usd: number | null
      payer_cap_usd: number | null
      total: Generated<number>
      /** The counts of the items by their states, of a batch that has ended; null: they are counted. */
      tallies: readonly Tally[] | null
    }
  readonly batch_items: OptionalTexts<'base_grade' | 'label' | 'grade_id' | 'failure_code'> & {
    /** `seq` of the batch. */
    batch: number
    idx: number
    item_id: string
    trajectory: Digest
    request: Omit<GradeRequest, 'trajectory'>
    /** The judge of the request; null in ended items of earlier versions. */
    judge: string | null
    status: Generated<ItemStatus | 'pending' | 'waiting'>
    failure: Failure | null
    cached: Generated<number | boolean>
  }
  readonly reviews: Texts<'id' | 'grade_id' | 'question' | 'rater' | 'body' | 'created_at'> & { label: string | null }
  /** `class`: the class of findings, or `signoff`. */
  readonly dispositions: Texts<'id' | 'batch' | 'class' | 'body' | 'created_at'>
  /** `project`: `default`; keys of earlier versions named their project. */
  readonly api_keys: KeyRecord & { seq: Generated<number>; project: string }
  /** `status`: the HTTP status of the answer; 0: a request is being answered. */
  readonly idempotency_keys: Texts<'key' | 'request_digest' | 'body' | 'created_at'> & { status: number }
  /** `scope`: `day:2026-11-21` (UTC), `batch:bat_…` or `key:key_…:2026-11-21`. */
  readonly spending: Amounts & { scope: string }
  readonly judges: {
    name: string
    /** Milliseconds since the epoch before which no process calls the judge. */
    paused_until: Generated<number>
    /** The failure that paused the judge; null: none did. */
    failure: Failure | null
    /** Silent failures in a row. */
    strikes: Generated<number>
    /** Pauses in a row that silence has caused. */
    rests: Generated<number>
    /** Milliseconds since the epoch at which a worker with the judge last said so. */
    seen_at: Generated<number>
  }
  readonly settings: { name: string; value: Buffer }
}

export type TableName = keyof Tables
export type Row<T extends TableName> = Insertable<Tables[T]>

export type Attempt = Selectable<Tables['attempts']>
export type BatchRow = Selectable<Tables['batches']>
export type GradeRow = Selectable<Tables['grades']>
export type ItemRow = Selectable<Tables['batch_items']>
export type Spending = Tables['spending']
export type Submission = Selectable<Tables['submissions']>
