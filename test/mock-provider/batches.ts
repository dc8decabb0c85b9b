import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { serve } from '../local-server.ts'
import { type AnswerPath, answerBody, messageBatch, messageLines, openAiBatch, openAiLines } from './batch-answers.ts'
import {
  advance,
  type BatchRequest,
  type BookedBatch,
  type Controls,
  create,
  DEFAULT_CONTROLS,
  type Interception,
  json,
  type MockBatches,
  type State,
  upload,
} from './batch-book.ts'

const SINGLE: readonly string[] = ['/v1/responses', '/v1/chat/completions', '/v1/messages'] satisfies AnswerPath[]

/**
 * Starts the batch endpoints of both providers on loopback, with the single calls beside them: files and batches of OpenAI, and Message
 * Batches of Anthropic. The provider keeps its state in memory; each look advances a batch. The provider runs in the process of the test,
 * serves any process by its URLs, and stops at the end of the test.
 */
export async function startMockBatches(controls: Partial<Controls> = {}): Promise<MockBatches> {
  const mock = {
    files: new Map<string, string>(),
    origin: '',
    openai_base_url: '',
    controls: { ...DEFAULT_CONTROLS, ...controls },
    batches: [] as BookedBatch[],
    counts: { submits: 0, requests_run: 0, single_calls: 0, lists: 0, downloads: 0 },
    bodies: [] as { path: string; body: string }[],
  }
  const origin = await serve((request, response) => {
    void buffer(request)
      .then((body) => handle(mock, request, body))
      .catch((error: unknown) => json(500, { error: { message: String(error) } }))
      .then((reply) => send(reply, response))
  })
  return Object.assign(mock, { origin, openai_base_url: `${origin}/v1` })
}

async function handle(mock: State, request: IncomingMessage, body: Buffer): Promise<Interception> {
  const { pathname: path, searchParams: query } = new URL(request.url ?? '', mock.origin)
  const method = request.method ?? ''
  const intercepted = mock.controls.intercept(method, path)
  if (intercepted !== undefined) return intercepted
  if (!request.headers.authorization && !request.headers['x-api-key'])
    return json(401, { error: { type: 'authentication_error', message: 'no key' } })
  if (method === 'POST' && SINGLE.includes(path)) return answerOne(mock, path as AnswerPath, body.toString())
  if (method === 'POST' && path === '/v1/files') return upload(mock, request, body)
  if (path.startsWith('/v1/files/')) return download(mock, path.split('/')[3] ?? '')
  const anthropic = path.startsWith('/v1/messages/batches')
  if (!anthropic && !path.startsWith('/v1/batches')) return notFound()
  const [id, action] = path.slice((anthropic ? '/v1/messages/batches' : '/v1/batches').length + 1).split('/')
  const show = (batch: BookedBatch) => (anthropic ? messageBatch(batch, mock.origin) : openAiBatch(batch))
  if (id) return serveBatch(mock, anthropic, id, action, show)
  return method === 'POST' ? create(mock, anthropic, body, show) : list(mock, anthropic, query, show)
}

function answerOne(mock: State, path: AnswerPath, body: string): Interception {
  mock.counts.single_calls++
  mock.bodies.push({ path, body })
  const text = run(mock, { custom_id: '', url: path, body: JSON.parse(body) as Record<string, unknown> })
  return json(200, answerBody(path, `single_${mock.counts.single_calls}`, text))
}

/** Handles a look at a batch, at its results, or a cancellation. */
function serveBatch(
  mock: State,
  anthropic: boolean,
  id: string,
  action: string | undefined,
  show: (batch: BookedBatch) => object,
): Interception {
  const batch = mock.batches.find(
    (candidate) => candidate.id === id && (candidate.provider === 'anthropic') === anthropic,
  )
  if (batch === undefined) return notFound()
  if (action === 'results') return batch.end === null ? notFound() : lines(mock, messageLines(batch))
  if (action === undefined) advance(batch, mock.controls.now(), (request) => run(mock, request))
  else if (batch.end !== null) return json(anthropic ? 400 : 409, { error: { type: 'invalid_request_error' } })
  else batch.cancelling = true
  return json(200, show(batch))
}

function run(mock: State, request: BatchRequest): string {
  mock.counts.requests_run++
  return mock.controls.answer(request.body)
}

function list(
  mock: State,
  anthropic: boolean,
  query: URLSearchParams,
  show: (batch: BookedBatch) => { id: string },
): Interception {
  mock.counts.lists++
  const newest = mock.batches.filter((batch) => (batch.provider === 'anthropic') === anthropic).toReversed()
  const after = newest.findIndex((batch) => batch.id === query.get(anthropic ? 'after_id' : 'after'))
  const size = Math.min(mock.controls.page_size, Number(query.get('limit') ?? 20))
  const page = newest.slice(after + 1, after + 1 + size)
  for (const batch of page) advance(batch, mock.controls.now(), (request) => run(mock, request))
  const data = page.map(show)
  return json(200, {
    ...(!anthropic && { object: 'list' }),
    data,
    has_more: after + 1 + size < newest.length,
    first_id: data.at(0)?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  })
}

function download(mock: State, id: string): Interception {
  const [, kind, batchId] = /^file-(out|err)-(.+)$/.exec(id) ?? []
  const batch = mock.batches.find((candidate) => candidate.id === batchId)
  if (batch === undefined || (kind !== 'out' && kind !== 'err')) return notFound()
  return lines(mock, openAiLines(batch, kind))
}

function lines(mock: State, all: string[]): Interception {
  mock.counts.downloads++
  const body = mock.controls
    .order(all)
    .map((line) => `${line}\n`)
    .join('')
  return { status: 200, body, headers: { 'content-type': 'application/x-jsonl' } }
}

const notFound = () => json(404, { type: 'error', error: { type: 'not_found_error', message: 'Not found' } })

function send(reply: Interception, response: ServerResponse): void {
  if (reply === 'drop') response.destroy()
  else response.writeHead(reply.status, reply.headers).end(reply.body)
}
