import type { IncomingMessage } from 'node:http'
import type OpenAI from 'openai'

/** End of one request of a batch. An object: an error of the request, by HTTP status and error type of the provider. */
export type Fate = 'answered' | 'expired' | 'cancelled' | { readonly status: number; readonly error: string }

/** End of a whole batch; `failed` is a failed validation before any request runs (only OpenAI has this end). */
type BatchEnd = 'completed' | 'expired' | 'cancelled' | 'failed'

/** Plan of the played provider for one submission. */
export interface Plan {
  readonly end: BatchEnd
  /** Count of looks (by `retrieve` or `list`) that show the batch running before it ends. */
  readonly polls: number
  /** Least duration of the batch, in milliseconds. */
  readonly delay_ms: number
  /** Whether the connection breaks after the provider has made the batch and before it answers. */
  readonly drop: boolean
  /** End of one request, by its index in the submission; without this function, the end of the batch decides. */
  readonly fate: (customId: string, index: number) => Fate | undefined
}

export interface BatchRequest {
  readonly custom_id: string
  readonly url: string
  readonly body: Record<string, unknown>
}

/** Batch of the played provider. */
export interface BookedBatch {
  readonly id: string
  readonly provider: 'openai' | 'anthropic'
  readonly endpoint: string
  readonly metadata: Record<string, string>
  readonly input_file: string
  readonly requests: readonly BatchRequest[]
  readonly created_ms: number
  readonly plan: Plan
  /** Reason of the failed validation. */
  readonly invalid: readonly { code: string; line: number; message: string }[]
  polls: number
  cancelling: boolean
  /** Null while the batch runs. */
  end: BatchEnd | null
  /** Requests in the order of the submission. */
  outcomes: readonly { readonly request: BatchRequest; readonly fate: Fate; readonly text: string | null }[]
}

/** Advances a batch by one look. The requests run once, when the batch ends. */
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

/** Validates a submission as OpenAI does: the JSON of each line, its url, and that no id repeats. */
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
    else if (requests.some((earlier) => earlier.custom_id === request.custom_id))
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

/** Fault in place of the regular answer: a response, or a broken connection. */
export type Interception = { status: number; body: string; headers?: Record<string, string> } | 'drop'

/** Settings that a test can change at any time. */
export interface Controls {
  /** Plays the model: answers a request body with a text, in a batch and in a single call alike. */
  answer: (body: Record<string, unknown>) => string
  /** Plan of the nth accepted submission, from 0; `DEFAULT_PLAN` fills absent fields. */
  plan: (nth: number) => Partial<Plan>
  /** Decides on a fault before the provider handles the request. */
  intercept: (method: string, path: string) => Interception | undefined
  /** Count of batches on one page of a list. */
  page_size: number
  /** Orders the lines of a results file. */
  order: (lines: string[]) => string[]
  /** Answers the time, in milliseconds since the epoch. */
  now: () => number
}

export interface MockBatches {
  /** Value for ANTHROPIC_BASE_URL. */
  origin: string
  /** Value for OPENAI_BASE_URL. */
  readonly openai_base_url: string
  readonly controls: Controls
  /** Batches in the order of their arrival. */
  readonly batches: BookedBatch[]
  readonly counts: {
    /** Count of accepted batches. */
    submits: number
    /** Count of requests that the model has answered, which a provider would bill. */
    requests_run: number
    single_calls: number
    lists: number
    downloads: number
  }
  /** Raw bodies of the single calls and of the submissions, as received. */
  readonly bodies: { readonly path: string; readonly body: string }[]
}

const DEFAULT_PLAN: Plan = { end: 'completed', polls: 1, delay_ms: 0, drop: false, fate: () => undefined }

/** Reverses the lines, because the order of a results file is undefined. */
export const DEFAULT_CONTROLS: Controls = {
  answer: () => '{}',
  plan: () => ({}),
  intercept: () => undefined,
  page_size: 20,
  order: (lines) => lines.toReversed(),
  now: Date.now,
}

/** State of the provider that its parts share. */
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
  const entries = asked['requests'] as { custom_id: string; params: Record<string, unknown> }[]
  const ids = new Set(entries.map((entry) => entry.custom_id))
  if (
    ids.size === 0 ||
    ids.size < entries.length ||
    entries.some((entry) => !/^[a-zA-Z0-9_-]{1,64}$/.test(entry.custom_id))
  )
    return null
  const requests = entries.map(({ custom_id, params }) => ({ custom_id, url: '/v1/messages', body: params }))
  return { endpoint: '/v1/messages', metadata: {}, input_file: '', requests, invalid: [] }
}
