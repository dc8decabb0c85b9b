import type { IncomingMessage } from 'node:http'
import type OpenAI from 'openai'

/** How one request of a batch ends. An object: an error of its own, by HTTP status and the provider’s word. */
export type Fate = 'answered' | 'expired' | 'cancelled' | { readonly status: number; readonly error: string }

/** What becomes of a batch as a whole; `failed` is a validation that fails before anything runs (OpenAI alone has it). */
type BatchEnd = 'completed' | 'expired' | 'cancelled' | 'failed'

/** What the played provider does with one submission. */
export interface Plan {
  readonly end: BatchEnd
  /** How often it is seen running (by `retrieve` or `list`) before it has ended. */
  readonly polls: number
  /** Milliseconds that it runs at least. */
  readonly delay_ms: number
  /** The batch is made, but the connection breaks before its maker hears of it. */
  readonly drop: boolean
  /** Of one request, by its place in the submission; without it, whatever the end of the batch brings. */
  readonly fate: (customId: string, index: number) => Fate | undefined
}

export interface BatchRequest {
  readonly custom_id: string
  readonly url: string
  readonly body: Record<string, unknown>
}

/** One batch of the played provider. */
export interface BookedBatch {
  readonly id: string
  readonly provider: 'openai' | 'anthropic'
  readonly endpoint: string
  readonly metadata: Record<string, string>
  readonly input_file: string
  readonly requests: readonly BatchRequest[]
  readonly created_ms: number
  readonly plan: Plan
  /** Why its validation failed. */
  readonly invalid: readonly { code: string; line: number; message: string }[]
  polls: number
  cancelling: boolean
  /** Null: it runs. */
  end: BatchEnd | null
  /** In the order of the submission. */
  outcomes: readonly { readonly request: BatchRequest; readonly fate: Fate; readonly text: string | null }[]
}

/** Lets time pass for a batch: one look at it. Whatever is answered is run once, when the batch ends. */
export function advance(batch: BookedBatch, now: number, run: (request: BatchRequest) => string): void {
  if (batch.end !== null) return
  const looked = batch.polls++
  if (batch.invalid.length > 0 || batch.plan.end === 'failed') batch.end = 'failed'
  else if (batch.cancelling) finish(batch, 'cancelled', run)
  else if (looked >= batch.plan.polls && now - batch.created_ms >= batch.plan.delay_ms)
    finish(batch, batch.plan.end, run)
}

function finish(batch: BookedBatch, end: BatchEnd, run: (request: BatchRequest) => string): void {
  batch.end = end
  batch.outcomes = batch.requests.map((request, index) => {
    const fate =
      batch.plan.fate(request.custom_id, index) ?? (end === 'expired' || end === 'cancelled' ? end : 'answered')
    return { request, fate, text: fate === 'answered' ? run(request) : null }
  })
}

/** What OpenAI’s validation looks at: the JSON of a line, its url, and that no id comes twice. */
function validateLines(text: string, endpoint: string): { requests: BatchRequest[]; invalid: BookedBatch['invalid'] } {
  const requests: BatchRequest[] = []
  const invalid: { code: string; line: number; message: string }[] = []
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  if (lines.length === 0) invalid.push({ code: 'empty_file', line: 0, message: 'The file is empty.' })
  for (const [index, line] of lines.entries()) {
    const fail = (code: string, message: string) => invalid.push({ code, line: index + 1, message })
    const request = parse(line)
    if (request === null) fail('invalid_json_line', 'This line is not parseable as valid JSON.')
    else if (request.url !== endpoint) fail('mismatched_endpoint', 'The url differs from the endpoint of the batch.')
    else if (requests.some((one) => one.custom_id === request.custom_id))
      fail('duplicate_custom_id', 'The custom_id of this line was used before.')
    else requests.push(request)
  }
  return { requests, invalid }
}

function parse(line: string): BatchRequest | null {
  try {
    return JSON.parse(line) as BatchRequest
  } catch {
    return null
  }
}

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
}

const DEFAULT_PLAN: Plan = { end: 'completed', polls: 1, delay_ms: 0, drop: false, fate: () => undefined }

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
export interface State extends MockBatches {
  /** Uploaded files by id. */
  readonly files: Map<string, string>
}

export const json = (status: number, body: object): Exclude<Interception, 'drop'> => ({
  status,
  body: JSON.stringify(body),
  headers: { 'content-type': 'application/json' },
})

export async function upload(mock: State, request: IncomingMessage, body: Buffer) {
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const form = await new Response(new Uint8Array(body), { headers }).formData()
  const file = form.get('file')
  if (!(file instanceof File) || form.get('purpose') !== 'batch')
    return json(400, { error: { type: 'invalid_request_error' } })
  const text = await file.text()
  mock.bodies.push({ path: '/v1/files', body: text })
  const id = `file-in-${mock.files.size + 1}`
  mock.files.set(id, text)
  return json(200, {
    id,
    object: 'file',
    bytes: file.size,
    created_at: Math.floor(mock.controls.now() / 1000),
    filename: file.name,
    purpose: 'batch',
    status: 'processed',
  } satisfies OpenAI.Files.FileObject)
}

export function create(
  mock: State,
  anthropic: boolean,
  body: Buffer,
  show: (batch: BookedBatch) => object,
): Interception {
  const asked = JSON.parse(body.toString()) as Record<string, unknown>
  if (anthropic) mock.bodies.push({ path: '/v1/messages/batches', body: body.toString() })
  const made = anthropic ? bookMessages(asked) : bookFile(asked, mock.files)
  if (made === null) return json(400, { error: { type: 'invalid_request_error', message: 'not a batch' } })
  const plan = { ...DEFAULT_PLAN, ...mock.controls.plan(mock.counts.submits) }
  mock.counts.submits++
  const batch: BookedBatch = {
    ...made,
    id: `${anthropic ? 'msgbatch' : 'batch'}_${mock.counts.submits}`,
    provider: anthropic ? 'anthropic' : 'openai',
    created_ms: mock.controls.now(),
    plan,
    polls: 0,
    cancelling: false,
    end: null,
    outcomes: [],
  }
  mock.batches.push(batch)
  return plan.drop ? 'drop' : json(200, show(batch))
}

type Booked = Pick<BookedBatch, 'endpoint' | 'metadata' | 'input_file' | 'requests' | 'invalid'>

function bookFile(asked: Record<string, unknown>, files: Map<string, string>): Booked | null {
  const { input_file_id, endpoint, completion_window, metadata } = asked as unknown as OpenAI.Batches.BatchCreateParams
  const text = files.get(input_file_id)
  if (text === undefined || completion_window !== '24h') return null
  return { endpoint, metadata: metadata ?? {}, input_file: input_file_id, ...validateLines(text, endpoint) }
}

function bookMessages(asked: Record<string, unknown>): Booked | null {
  const given = asked['requests'] as { custom_id: string; params: Record<string, unknown> }[]
  const ids = new Set(given.map((one) => one.custom_id))
  if (ids.size === 0 || ids.size < given.length || given.some((one) => !/^[a-zA-Z0-9_-]{1,64}$/.test(one.custom_id)))
    return null
  const requests = given.map(({ custom_id, params }) => ({ custom_id, url: '/v1/messages', body: params }))
  return { endpoint: '/v1/messages', metadata: {}, input_file: '', requests, invalid: [] }
}
