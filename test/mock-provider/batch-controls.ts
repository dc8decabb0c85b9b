import type { BookedBatch, Plan } from './batch-book.ts'

/** Answered instead of what would be, or a connection that breaks. */
export type Interception = { status: number; body: string; headers?: Record<string, string> } | 'drop'

/** What a test may change at any time. */
export interface Controls {
  /** The model: the text that a request body is answered with, in a batch and in a single call alike. */
  answer: (body: Record<string, unknown>) => string
  /** What becomes of the nth submission that is accepted, from 0; what is left out is as in `DEFAULT_PLAN`. */
  plan: (nth: number) => Partial<Plan>
  /** Looked at before anything else happens. */
  intercept: (method: string, path: string) => Interception | undefined
  /** Batches on one page of a list. */
  page_size: number
  /** The order of a results file. */
  order: (lines: string[]) => string[]
  /** Milliseconds since the epoch. */
  now: () => number
}

export interface MockBatches {
  /** For ANTHROPIC_BASE_URL. */
  origin: string
  /** For OPENAI_BASE_URL. */
  readonly openai_base_url: string
  readonly controls: Controls
  /** In the order in which they came. */
  readonly batches: BookedBatch[]
  readonly counts: {
    /** Accepted batches. */
    submits: number
    /** Requests that a model has answered: what would be billed. */
    requests_run: number
    single_calls: number
    lists: number
    downloads: number
  }
  /** Raw bodies of the single calls and of the submissions, as they came over the wire. */
  readonly bodies: { readonly path: string; readonly body: string }[]
  stop(): Promise<void>
}

export const DEFAULT_PLAN: Plan = { end: 'completed', polls: 1, delay_ms: 0, drop: false, fate: () => undefined }

/** Backwards: no order that anybody should rely on. */
export const DEFAULT_CONTROLS: Controls = {
  answer: () => '{}',
  plan: () => ({}),
  intercept: () => undefined,
  page_size: 20,
  order: (lines) => lines.toReversed(),
  now: Date.now,
}

/** The provider as its parts see it. */
export interface State extends Omit<MockBatches, 'stop'> {
  /** Uploaded files by id. */
  readonly files: Map<string, string>
}

export const json = (status: number, body: object): Exclude<Interception, 'drop'> => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})
