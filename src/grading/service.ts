import type { Payer } from '../db/attempts.ts'
import type { ItemRef } from '../db/items.ts'
import type { Anchors } from '../domain/anchors/anchors.ts'
import type { Digest } from '../domain/digest.ts'
import type { DeniedActs } from '../domain/evidence/evidence-question.ts'
import type { Issue } from '../domain/result.ts'
import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Judge } from '../ports/judge.ts'
import type { Failure, Grade } from '../schemas/grade.ts'
import { RequestError } from '../schemas/problem.ts'
import type { GradeRequest, GroundTruth } from '../schemas/trial.ts'

/** One question, everything looked up: what is graded, by which rubric, by whom, under which key. */
export interface Question {
  readonly trajectory: Trajectory
  /** In its normal form. */
  readonly ground_truth: GroundTruth
  readonly anchors: Anchors
  readonly rubric: Rubric
  readonly judge: Judge
  readonly samples: number
  readonly denied_acts: DeniedActs
  readonly key: Digest
  /** Made when first asked for: the mark in the frames of what a judge is shown. */
  readonly nonce: string
  /** The grade that the answer will become. */
  readonly grade_id: string
}

/** Why a request was refused before any judge was asked. `errors` name their places in the request by JSON pointer. */
export interface Refusal {
  readonly code:
    | 'invalid_request'
    | 'unknown_judge'
    | 'unknown_rubric'
    | 'unknown_trajectory'
    | 'not_cached'
    | 'too_many_items'
  readonly detail: string
  readonly errors: readonly Issue[]
}

/** Passes on an outcome. Throws the RequestError of a refusal. */
export function accepted<T extends { readonly ok: true }>(outcome: T | Refused): T {
  if (outcome.ok) return outcome
  const { code, detail, errors } = outcome.refusal
  throw new RequestError(code, detail, { errors })
}

export interface Resolved {
  readonly ok: true
  readonly question: Question
  /** The trajectory’s document, where the request brought it. */
  readonly document: Record<string, unknown> | null
}

export interface Named {
  readonly ok: true
  readonly judge: Judge
  readonly rubric: Rubric
  /** In its normal form. */
  readonly ground_truth: GroundTruth
}

export interface Refused {
  readonly ok: false
  readonly refusal: Refusal
}

/** A request that can be graded: its names are known and its trajectory can be read. */
export type Admitted =
  | (Named & {
      readonly trajectory: Trajectory
      /** The trajectory’s document, where the request brought it. */
      readonly document: Record<string, unknown> | null
    })
  | Refused

/** For whom a question is asked, and by which way its answers come. */
export type GradingJob = Job &
  (
    | { readonly way: 'call' }
    /** Through the provider’s batch endpoint. */
    | { readonly way: 'provider'; readonly item: ItemRef }
    /** From the stored replies of a grade: no judge is asked. */
    | { readonly way: 'stored'; readonly grade_id: string }
  )

interface Job {
  /** Of a batch; null: one request, whose caller waits. */
  readonly item: ItemRef | null
  readonly payer: Payer | null
  /** Ends the waiting for a turn, or for a retry: what is in flight goes on. */
  readonly signal: AbortSignal | undefined
  /** Hard cap of the batch. */
  readonly cap_usd: number | null
  /** Failures after which the item is asked again later: then no grade is written, and good replies wait to be used. */
  readonly isPassing: (failure: Failure) => boolean
  /** Readings that the caller has made for several items at once. */
  readonly ahead?: Ahead
}

/** The key of an item, and the grade that answers the key. */
export interface Answer {
  readonly key: Digest | null
  readonly grade: Grade | null
}

/** Readings for an item: its answer, and the stored bytes of its trajectory. */
export interface Ahead {
  readonly answer?: Answer | undefined
  readonly packed?: Uint8Array | null | undefined
}

export type Judged =
  | { readonly kind: 'graded'; readonly grade: Grade; readonly cached: false }
  /** The questions of the item lie with the provider. */
  | { readonly kind: 'waiting' }
  /** Nothing was written: it is to be asked again. */
  | { readonly kind: 'passed_over'; readonly failure: Failure }

export type GradeOutcome =
  | { readonly ok: true; readonly grade: Grade; readonly cached: boolean }
  | { readonly ok: false; readonly refusal: Refusal }

/** The end of one run at an item of a batch; only the first settles the item. */
export type ItemOutcome =
  | Judged
  | { readonly kind: 'graded'; readonly grade: Grade; readonly cached: boolean }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

export type UploadOutcome =
  | { readonly ok: true; readonly trajectory: Trajectory; readonly created: boolean }
  | { readonly ok: false; readonly refusal: Refusal }

/** The grading that HTTP, batches and commands call. A failed judge is a `Grade` with `status: "failed"`, never an exception. */
export interface GradingService {
  /**
   * `request` has passed `GradeRequestSchema`; its trajectory is read here. Equal requests in flight share one judge call, which its first payer
   * pays.
   */
  grade(request: GradeRequest, payer?: Payer | null): Promise<GradeOutcome>
  /** The same for an item of a batch, which a new grade settles in the unit of work that stores it. */
  gradeItem(request: GradeRequest, job: GradingJob): Promise<ItemOutcome>
  /** Finds the grades that answer requests whose trajectories are stored. */
  findAnswers(requests: readonly GradeRequest[]): Promise<readonly Answer[]>
  /**
   * Whether a request can be graded: its names are known, its trajectory can be read. `read`: the request's document, where the caller has read it
   * already. Nothing is stored or asked.
   */
  admit(request: GradeRequest, read?: Trajectory | null): Promise<Admitted>
  /** The whole question, with its key. Nothing is stored or asked. */
  resolve(request: GradeRequest): Promise<Resolved | Refused>
  /** Stores a trajectory that was read from the document. */
  store(trajectory: Trajectory, document: Record<string, unknown>): Promise<boolean>
  /** One run in any supported format: an object, or an array of records. */
  upload(document: Record<string, unknown> | readonly unknown[]): Promise<UploadOutcome>
  /** A stored trajectory, read. Null where there is none. */
  trajectory(id: string): Promise<Trajectory | null>
}
