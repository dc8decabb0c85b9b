import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TSchema } from 'typebox'
import { onTestFinished } from 'vitest'
import { rubricView } from '../../src/domain/rubric/rubric-view.ts'
import { judgeView } from '../../src/judges/judge.ts'
import { type Batch, type BatchEstimate, type BatchItem, BatchItemSchema } from '../../src/schemas/batch.ts'
import { schemaIssues } from '../../src/schemas/check.ts'
import { type Comparison, type RegradeRequest, RegradeRequestSchema } from '../../src/schemas/regrade.ts'
import type { TrajectorySummary } from '../../src/schemas/views.ts'
import { scriptedJudge } from '../grading/harness.ts'
import { startServer } from '../local-server.ts'
import { TAB_2 } from '../tab-behavior.ts'
import { type Ending, ESTIMATE, endItem, type Held, newBatch } from './stand-in-batch.ts'

const UPLOADED: Omit<TrajectorySummary, 'id'> = {
  format: 'steps',
  agent: { name: null, model: null },
  steps: 1,
  parts: 1,
  chars: 12,
  first_step: 1,
  last_step: 1,
  warnings: [],
}
const JUDGE = judgeView(scriptedJudge([]).info, 'openai')
const CLAIMS = rubricView(TAB_2).claims.filter(({ id }) => id === 'cue.acted')

/** The batch part of the HTTP contract, over real HTTP, with the course of each batch in the hands of the test. */
export interface StandIn {
  readonly url: string
  /** `METHOD /path?query` of all requests, in order. */
  readonly requests: string[]
  readonly uploaded: unknown[]
  readonly batches: Map<string, Held>
  /** How items of new batches end at once; null leaves them pending. */
  ending: ((item: BatchItem, index: number) => Ending | null) | null
  comparison: ((cursor: string | null) => Comparison) | null
  estimate: BatchEstimate
  /** Bodies of new batches are not read before it resolves. */
  hold: Promise<void>
  /** Ends the next pending items. */
  end(id: string, endings: readonly Ending[]): void
  park(id: string, reason: string, resumesAt?: string): void
  /** Breaks the connection of the next reader of a batch. */
  breakOne(): void
  /** Resolves once a batch was read again, so that a command follows it. */
  watched(id?: string): Promise<string>
  close(): Promise<void>
}

/** Ends with the test. */
export async function startStandIn(): Promise<StandIn> {
  const batches = new Map<string, Held>()
  const waiting = new Set<(id: string) => void>()
  let breaks = false
  const { origin, stop } = await startServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  onTestFinished(stop)

  const standIn: StandIn = {
    url: origin,
    requests: [],
    uploaded: [],
    batches,
    ending: null,
    comparison: null,
    estimate: ESTIMATE,
    hold: Promise.resolve(),
    end(id, endings) {
      const held = need(id)
      for (const ending of endings) endItem(held, ending)
    },
    park(id, reason, resumesAt) {
      const held = need(id)
      held.batch = { ...held.batch, status: 'parked', parked_reason: reason, resumes_at: resumesAt ?? null }
    },
    breakOne() {
      breaks = true
    },
    watched(id) {
      const known = [...batches.values()].find((held) => held.reads > 1 && (id ?? held.batch.id) === held.batch.id)
      if (known) return Promise.resolve(known.batch.id)
      return new Promise((resolve) => waiting.add(resolve))
    },
    close: stop,
  }
  const need = (id: string): Held => {
    const held = batches.get(id)
    if (held === undefined) throw new Error(`no batch ${id}`)
    return held
  }

  async function answer(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'http://stand.in')
    standIn.requests.push(`${request.method} ${url.pathname}${url.search}`)
    const [, v1, kind, id, action] = url.pathname.split('/')
    const query = Object.fromEntries(url.searchParams)
    if (v1 !== 'v1') return problem(response, 404, 'not_found', 'no such path')
    if (kind !== 'batches') return answerOther(kind, request, response, query)
    if (id === undefined) return request.method === 'POST' ? create(request, response, query) : list(response, query)
    const held = batches.get(id)
    if (held === undefined) return problem(response, 404, 'not_found', 'no such batch')
    return act(held, request.method ?? '', action, response)
  }

  async function answerOther(
    kind: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    query: Record<string, string>,
  ) {
    if (request.method === 'POST' && kind === 'trajectories') {
      standIn.uploaded.push(JSON.parse(await text(request)))
      const digest = String(standIn.uploaded.length).padStart(64, '0')
      return json(response, 201, { ...UPLOADED, id: `sha256:${digest}` })
    }
    if (kind === 'judges')
      return json(response, 200, { items: [{ ...JUDGE, name: 'openai', model: 'm-1' }], not_configured: [] })
    if (kind === 'rubrics') return json(response, 200, { items: [rubricView(TAB_2)] })
    if (kind === 'comparisons' && standIn.comparison !== null)
      return json(response, 200, standIn.comparison(query['cursor'] ?? null))
    if (request.method === 'POST' && kind === 'regrades') return regrade(response, await text(request))
    return problem(response, 404, 'not_found', 'no such path')
  }

  function act(held: Held, method: string, action: string | undefined, response: ServerResponse) {
    if (method === 'GET' && action === undefined) return read(held, response)
    if (method === 'GET' && action === 'rubrics')
      return json(response, 200, { items: [{ ...rubricView(TAB_2), claims: CLAIMS }] })
    if (method === 'GET' && action === 'results') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.end(held.results.map((result) => `${JSON.stringify(result)}\n`).join(''))
      return
    }
    if (method === 'POST' && action === 'cancel') {
      const { counts } = held.batch
      const cancelled = counts.cancelled + counts.pending + counts.running
      held.batch = { ...held.batch, status: 'cancelled', counts: { ...counts, pending: 0, running: 0, cancelled } }
      return json(response, 202, held.batch)
    }
    if (method === 'POST' && action === 'resume') {
      held.batch = { ...held.batch, status: 'running', parked_reason: null }
      return json(response, 202, held.batch)
    }
    return problem(response, 404, 'not_found', 'no such path')
  }

  function read(held: Held, response: ServerResponse) {
    held.reads++
    if (held.reads > 1) {
      for (const resolve of waiting) resolve(held.batch.id)
      waiting.clear()
    }
    if (!breaks) return json(response, 200, held.batch)
    breaks = false
    response.destroy()
  }

  async function create(request: IncomingMessage, response: ServerResponse, query: Record<string, string>) {
    await standIn.hold
    const lines = (await text(request)).split('\n').filter((line) => line !== '')
    const items = lines.map((line) => JSON.parse(line) as BatchItem)
    for (const [index, item] of items.entries()) {
      const issues = [
        ...schemaIssues(BatchItemSchema, item),
        ...schemaIssues(TAB_2.truth.schema as TSchema, item.ground_truth).map(({ path, message }) => ({
          ...{ path: `/ground_truth${path}`, message },
        })),
      ]
      if (issues.length > 0)
        return problem(response, 400, 'invalid_request', 'an item is not valid', [
          { path: `/items/${index}${issues[0]?.path}`, message: issues[0]?.message ?? '' },
        ])
    }
    if (query['dry_run'] === 'true') return json(response, 200, standIn.estimate)
    return open(response, items, query, 'grade')
  }

  function regrade(response: ServerResponse, text: string) {
    const request = JSON.parse(text) as RegradeRequest
    const issues = schemaIssues(RegradeRequestSchema, request)
    if (issues.length > 0) return problem(response, 400, 'invalid_request', 'not valid', issues)
    if (request.dry_run) return json(response, 200, standIn.estimate)
    standIn.uploaded.push(request)
    const item = { item_id: 'again', trajectory: {}, ground_truth: { instruction: 'x', cue: { text: 'y' } } }
    return open(response, [item], { ...(request.key !== undefined && { key: request.key }) }, 'regrade')
  }

  function open(response: ServerResponse, items: BatchItem[], query: Record<string, string>, kind: Batch['kind']) {
    const held: Held = {
      batch: newBatch(batches.size + 1, items.length, query, kind),
      items,
      results: [],
      reads: 0,
    }
    batches.set(held.batch.id, held)
    const begun = { ...held.batch }
    for (const [index, item] of items.entries()) {
      const ending = standIn.ending?.(item, index) ?? null
      if (ending === null) break
      endItem(held, ending)
    }
    return json(response, 202, begun)
  }

  function list(response: ServerResponse, query: Record<string, string>) {
    const items = [...batches.values()].map(({ batch }) => batch).reverse()
    const fits = (batch: Batch) =>
      (query['key'] ?? batch.key) === batch.key && (query['status'] ?? batch.status) === batch.status
    return json(response, 200, { items: items.filter(fits), next_cursor: null })
  }

  return standIn
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function problem(
  response: ServerResponse,
  status: number,
  code: string,
  detail: string,
  errors?: readonly { path: string; message: string }[],
): void {
  response.writeHead(status, { 'content-type': 'application/problem+json' })
  response.end(JSON.stringify({ type: 'about:blank', title: 'x', status, code, detail, errors }))
}
