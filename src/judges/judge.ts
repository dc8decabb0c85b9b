import type { Rubric } from '../domain/rubric/rubric.ts'
import type { Picture, Trajectory } from '../domain/trajectory/trajectory.ts'
import type { Failure, Limit, Usage } from '../schemas/grade.ts'
import type { BatchLimits } from '../schemas/providers.ts'
import type { GroundTruth } from '../schemas/trial.ts'
import type { JudgeView } from '../schemas/views.ts'

/** A judge as `GET /v1/judges` describes it, with the identity in place of its members. `base_url`: host and path without what can be secret. */
export interface JudgeInfo extends Readonly<Omit<JudgeView, 'default' | 'provider' | 'model' | 'parameters'>> {
  /** The settings by which two judges could answer differently: a part of the cache key, whole. `parameters`: the API, effort, limits; the rules of `lexical`. */
  readonly identity: Readonly<Pick<JudgeView, 'provider' | 'base_url' | 'model' | 'parameters'>>
  /** The factor of the token estimate for the model’s own tokenizer. */
  readonly token_factor: number
  /** Whether its provider holds it to the answer schema; if not, the prompt tells it the form. */
  readonly structured_output: boolean
  /** The reason of the judge for a confidence below `high`, and its remedy, of answers with and without a sight of the instructions. */
  readonly own_limit?: (isSeen: boolean) => Pick<Limit, 'reason' | 'lift'>
  /** The setting to change where answers are in no form, since the server may not hold the model to the schema. */
  readonly form_remedy?: string
}

/** Describes a judge as `GET /v1/judges` shows it. */
export function judgeView(info: JudgeInfo, default_judge: string): JudgeView {
  const { name, kind, description, base_url, window_tokens, max_output_tokens, images, price } = info
  const shown = { name, kind, description, base_url, window_tokens, max_output_tokens, images, price }
  const { provider, model, parameters } = info.identity
  return { ...shown, default: name === default_judge, provider, model, parameters: { ...parameters } }
}

/** The judges of a process, by name. */
export interface Judges {
  readonly judges: ReadonlyMap<string, Judge>
  /** Judges that lack a variable or a package, with the remedy. */
  readonly unready: ReadonlyMap<string, string>
}

/** Lists the configured judges, and those that lack their key. */
export const listJudges = ({ judges, unready }: Judges, default_judge: string) => ({
  items: [...judges.values()].map(({ info }) => judgeView(info, default_judge)),
  not_configured: [...unready].map(([name, reason]) => ({ name, default: name === default_judge, reason })),
})

/** One question to a judge, in the order sent: what is shared with other samples, repairs and rubrics comes first. `evidence`: for `lexical`. */
export interface JudgeRequest {
  readonly system: string
  readonly trajectory: string
  /** The pictures that the text of the trajectory marks, in their order, each with the number and step by which the text names it. */
  readonly images: readonly { readonly label: string; readonly picture: Picture }[]
  readonly question: string
  /** The judge's rejected answer and what was wrong with it, oldest first; empty on the first round. */
  readonly repairs: readonly { readonly answer: string; readonly complaint: string }[]
  readonly answer_schema: object
  /** Stable per trajectory: routes equal prefixes to the same provider cache. */
  readonly cache_hint: string
  /** Doubled once after a truncated answer. */
  readonly max_output_tokens: number | null
  readonly evidence: { readonly trajectory: Trajectory; readonly ground_truth: GroundTruth; readonly rubric: Rubric }
}

/** An answer of a model as its API reads it. */
export type Answer = { readonly usage: Usage | null; readonly model_resolved: string | null } & (
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly failure: Failure }
)

/** The reply of a judge. `raw` is the provider's whole answer as text, kept whatever the outcome. */
export type JudgeReply = Answer & { readonly request_id: string | null } & (
    | { readonly ok: true; readonly raw: string }
    | { readonly ok: false; readonly raw: string | null }
  )

/** A judge that answers a rubric: a model or code. Never throws for what a provider does; never retries by itself. */
export interface Judge {
  readonly info: JudgeInfo
  ask(request: JudgeRequest, signal: AbortSignal): Promise<JudgeReply>
  /** The provider’s batch endpoint, where it has one. */
  readonly batch?: BatchApi
}

/**
 * A provider’s batch endpoint: the same questions at half the price, answered within a day and in any order. Its calls throw a BatchFailure
 * for what a provider does. The caller records a submission before it is sent, so that a crash in between is settled by `find`.
 */
export interface BatchApi extends BatchLimits {
  /** One line of a submission: exactly the body that `Judge.ask` would send, in the provider’s envelope. */
  encode(customId: string, request: JudgeRequest): string
  /** Sends a submission; returns the provider’s id of the batch. */
  submit(submission: Submission, signal: AbortSignal): Promise<string>
  /**
   * The provider’s id of a submission that may or may not have reached it; null where it surely has not. The judge finds it by Veridict’s id where the
   * provider keeps the id (OpenAI: `metadata`), else by time, counts and custom ids of results (Anthropic): a retryable failure while a candidate runs.
   */
  find(submission: Submission, signal: AbortSignal): Promise<string | null>
  poll(providerId: string, signal: AbortSignal): Promise<BatchState>
  /** Every request’s own end, in any order. A request whose line is damaged, or whose file the server does not have any more, has no end. */
  results(files: readonly string[], signal: AbortSignal): AsyncIterable<BatchResult>
  /** Asks for the end of a batch, which `poll` tells. Never throws. */
  cancel(providerId: string, signal: AbortSignal): Promise<unknown>
}

/** A failed call of a batch endpoint. */
export class BatchFailure extends Error {
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.message)
    this.failure = failure
  }
}

/** Questions for a batch endpoint, which are recorded before they are sent. */
export interface Submission {
  /** The id that Veridict gave the submission. */
  readonly id: string
  readonly recorded_at: Date
  readonly custom_ids: readonly string[]
  /** Lines of `encode`, one for each custom id, in the same order. */
  readonly lines: readonly string[]
}

/** The state of a batch. `ended`: its files hold results, be they whole or partial; `failed`: nothing was run, nothing is owed. */
export type BatchState = {
  /** The provider’s own word for its state, and what it says of a failed one. */
  readonly detail: string
} & ({ readonly state: 'in_progress' | 'failed' } | { readonly state: 'ended'; readonly files: readonly string[] })

export interface BatchResult {
  readonly custom_id: string
  /** The reply that `Judge.ask` gives to the same bytes; null: the request expired or was cancelled, was never run and cost nothing. */
  readonly reply: JudgeReply | null
}
