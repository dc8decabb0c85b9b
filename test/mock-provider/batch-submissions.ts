import type { IncomingMessage } from 'node:http'
import type OpenAI from 'openai'
import { type BookedBatch, validateLines } from './batch-book.ts'
import { DEFAULT_PLAN, type Interception, json, type State } from './batch-controls.ts'

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
