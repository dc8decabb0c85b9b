import type { Asked, Asking } from '../asking/asker.ts'
import type { Digest } from '../domain/digest.ts'
import type { Issue, Result } from '../domain/result.ts'
import type { JsonFault } from '../domain/text/strict-json.ts'
import type { Measure } from '../domain/trajectory/text-size.ts'
import type { Trajectory } from '../domain/trajectory/trajectory.ts'
import type { ReadLimits } from '../formats/common/reading.ts'
import type { Question } from '../grading/question.ts'
import type { SampleResult } from '../grading/sample-calls.ts'
import type { JudgeInfo, JudgeRequest } from '../ports/judge-ports.ts'
import type { GroundTruth } from '../schemas/ground-truth.ts'

/** What a worker is asked. It keeps the trajectories that it read last, so that it can be asked about them. */
export type TrialJob = ReadBodyJob | ReadLineJob | SampleJob | ReplyJob | DropJob

/** A body that asks for one grade: to be parsed, and its trajectory read. */
export interface ReadBodyJob {
  readonly kind: 'body'
  readonly chunks: readonly Uint8Array[]
  readonly limits: ReadLimits & { readonly depth: number }
}

/** A line of a file of grade requests. */
export interface ReadLineJob {
  readonly kind: 'line'
  readonly bytes: Uint8Array
  readonly limits: ReadLimits
  /** How the judge that searches will most likely be asked about it. */
  readonly standing: Standing
}

/** How a judge is asked, whatever it is asked about. */
export interface Standing extends Pick<Question, 'rubric' | 'denied_acts' | 'secret'> {
  readonly info: JudgeInfo
}

/** The body, but for the document of its trajectory; or why it cannot be parsed. */
export type ReadBody = ReadRequest | { readonly refused: JsonFault }

/** A request, but for the document of its trajectory. `trajectory` is null where there is none to read, and `body` is whole. */
export interface ReadRequest {
  readonly body: unknown
  readonly trajectory: Result<ReadRun, readonly Issue[]> | null
}

export interface ReadRun {
  readonly head: Omit<Trajectory, 'steps'>
  readonly measure: Measure
  /** As it is stored. */
  readonly document: Uint8Array
  /** What `weakAnchors` answers about the ground truth of the request, where that has one. */
  readonly weak: { readonly truth: GroundTruth; readonly issues: readonly Issue[] } | null
  /** Where it was known how it will be judged, and its ground truth is its own. */
  readonly searched: Searched | null
}

/** What a sample of the judge that searches comes to, but for what the call of it costs. */
export interface Searched extends Extract<SampleStep, { kind: 'ask' }> {
  readonly result: SampleResult
}

/** One sample of a question, whose calls are made on the main thread. */
export interface SampleJob {
  readonly kind: 'sample'
  /** Names it among those that are under way. */
  readonly id: number
  readonly trajectory: Digest
  /** As it is stored; null: the worker is believed to have it. */
  readonly document: Uint8Array | null
  readonly limits: ReadLimits
  readonly question: Standing & Pick<Question, 'ground_truth' | 'samples' | 'key' | 'grade_id'>
  readonly sample: number
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly deadline_ms: number
}

/** What a call came to: the sample goes on. */
export interface ReplyJob {
  readonly kind: 'reply'
  readonly id: number
  readonly asked: Asked | null
}

/** No caller waits for the sample any more. */
export interface DropJob {
  readonly kind: 'drop'
  readonly id: number
}

/** How far a sample has come. */
export type SampleStep =
  | { readonly kind: 'ask'; readonly asking: Asking; readonly request: SentRequest }
  | { readonly kind: 'done'; readonly result: SampleResult; readonly weak: readonly Issue[] }
  /** The worker does not have the trajectory. */
  | { readonly kind: 'unknown' }

/** Without what the main thread has, too. */
export type SentRequest = Omit<JudgeRequest, 'system' | 'answer_schema' | 'evidence'> & {
  readonly found: string | null
}
