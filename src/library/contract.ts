/// <reference lib="esnext.disposable" preserve="true" />
import type { Grade } from '../schemas/grade.ts'
import type { GradeRequest } from '../schemas/grade-request.ts'
import type { JudgeView } from '../schemas/judge-info.ts'
import type { RubricView } from '../schemas/rubric-view.ts'

/** Options of `openVeridict`. Without any, the lexical judge grades, and nothing is written to disk. */
export interface OpenOptions {
  /**
   * The file of the SQLite database, made if it is missing, or the `postgres://` URL of a PostgreSQL: it keeps grades, judge calls and
   * trajectories, and answers equal requests. Without it they stay in memory until `close`.
   */
  readonly database?: string
  /** The configuration file (docs/configuration.md); default: `VERIDICT_CONFIG` of `env`. */
  readonly config?: string
  /** Replaces `process.env`: keys of judges, such as `OPENAI_API_KEY`, and the variables of docs/configuration.md except the database. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Veridict within this process: the work of `POST /v1/grades` without HTTP. */
export interface Veridict {
  /**
   * Grades one trial. A failed judge is a grade with `status: "failed"`, a `failure` and no label.
   *
   * @throws {VeridictError} for the refusals of the service: a request that does not fit its schema, an unknown judge or rubric, an unreadable
   *   trajectory, a database that cannot be used.
   */
  grade(request: GradeRequest): Promise<Grade>
  /**
   * Grades many trials, and yields each item as it ends. The loop reads no more requests than are graded or wait for the caller, so both may be
   * endless. A refused request is an item with its error; the others go on. A loop that is left, or whose signal aborts, begins nothing more;
   * `close` waits for the grades in flight.
   *
   * @throws errors of `requests`, and the reason of the signal
   */
  gradeMany(
    requests: Iterable<GradeRequest> | AsyncIterable<GradeRequest>,
    options?: GradeManyOptions,
  ): AsyncIterableIterator<GradedItem>
  /** The loaded rubrics, without their prompts: `GET /v1/rubrics`. */
  readonly rubrics: readonly RubricView[]
  /** The configured judges: `GET /v1/judges`. */
  readonly judges: readonly JudgeView[]
  /** Waits for the grades in flight, then closes the database. */
  close(): Promise<void>
  /** `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface GradeManyOptions {
  /** Trials in flight: 1 to 1000, 8 by default. The configuration of a judge limits its calls. */
  readonly concurrency?: number
  readonly signal?: AbortSignal
}

/** `index` counts from 0, in the order of the requests. */
export type GradedItem =
  | { readonly index: number; readonly ok: true; readonly grade: Grade }
  | { readonly index: number; readonly ok: false; readonly error: VeridictError }

/** A wrong place of a request. */
export interface Place {
  /** JSON pointer (RFC 6901): `/ground_truth/cue`. */
  readonly path: string
  readonly message: string
}

/** The refusal of a request: the problem document of the service. Its message never repeats the request. */
export class VeridictError extends Error {
  override readonly name = 'VeridictError'
  /** For programs: `invalid_request`, `unknown_judge`, … */
  readonly code: string
  /** The HTTP status of the refusal. */
  readonly status: number
  /** At most twenty places. */
  readonly errors: readonly Place[]

  constructor(status: number, code: string, message: string, errors: readonly Place[] = []) {
    const [first] = errors
    super(first === undefined ? message : `${message}: ${first.path} ${first.message}`)
    this.status = status
    this.code = code
    this.errors = errors
  }
}
