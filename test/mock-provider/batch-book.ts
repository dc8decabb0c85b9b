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
export function validateLines(
  text: string,
  endpoint: string,
): { requests: BatchRequest[]; invalid: BookedBatch['invalid'] } {
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
