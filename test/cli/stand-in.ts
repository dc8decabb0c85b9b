import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import type { TSchema } from 'typebox'
import { onTestFinished } from 'vitest'
import { rubricView } from '../../src/domain/rubric/claims.ts'
import { judgeView } from '../../src/judges/judge.ts'
import { type Comparison, type RegradeRequest, RegradeRequestSchema } from '../../src/schemas/agreement.ts'
import type { Batch, BatchEstimate, BatchItem, BatchResult, ResultGrade } from '../../src/schemas/batch.ts'
import { BatchItemSchema } from '../../src/schemas/batch.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import type { FailureCode, Label } from '../../src/schemas/vocabulary.ts'
import { scriptedJudge } from '../grading/harness.ts'
import { startServer } from '../local-server.ts'
import { TAB_2 } from '../tab-behavior.ts'

const UPLOADED = {
  ...{ format: 'steps', agent: { name: null, model: null }, steps: 1, parts: 1, chars: 12, first_step: 1 },
  ...{ last_step: 1, warnings: [] },
}
const JUDGE = { ...judgeView(scriptedJudge([]).info, 'openai'), name: 'openai', model: 'm-1' }
const RUBRIC = rubricView(TAB_2)
const CLAIMS = RUBRIC.claims.filter(({ id }) => id === 'cue.acted')

type Query = Readonly<Record<string, string>>
/** An answer: its status and its JSON; `null` breaks the connection. */
type Answer = readonly [status: number, value: unknown] | null

const problem = (status: number, code: string, detail: string, errors?: readonly object[]): Answer => [
  status,
  { type: 'about:blank', title: 'x', status, code, detail, errors },
]
const NO_PATH = problem(404, 'not_found', 'no such path')

/** The batch part of the HTTP contract, over real HTTP, with the course of each batch in the hands of the test. Ends with the test. */
export type StandIn = Awaited<ReturnType<typeof startStandIn>>

export async function startStandIn() {
  const batches = new Map<string, Held>()
  const waiting = new Set<(id: string) => void>()
  let breaks = false
  const { origin, stop } = await startServer(async (request, response) => {
    const answer = await answerTo(request, response).catch(() => null)
    if (answer === null) return void response.destroy()
    const [status, value] = answer
    const kind = status >= 400 ? 'application/problem+json' : 'application/json'
    if (!response.headersSent) response.writeHead(status, { 'content-type': kind }).end(JSON.stringify(value))
  })
  onTestFinished(stop)
  const need = (id: string): Held => {
    const held = batches.get(id)
    if (held === undefined) throw new Error(`no batch ${id}`)
    return held
  }

  const standIn = {
    url: origin,
    /** `METHOD /path?query` of all requests, in order. */
    requests: [] as string[],
    uploaded: [] as unknown[],
    batches,
    /** How items of new batches end at once; null leaves them pending. */
    ending: null as ((item: BatchItem, index: number) => Ending | null) | null,
    comparison: null as ((cursor: string | null) => Comparison) | null,
    estimate: ESTIMATE as BatchEstimate,
    /** Bodies of new batches are not read before it resolves. */
    hold: Promise.resolve(),
    /** Ends the next pending items. */
    end(id: string, endings: readonly Ending[]): void {
      for (const ending of endings) endItem(need(id), ending)
    },
    park(id: string, parked_reason: string, resumes_at: string | null = null): void {
      const held = need(id)
      held.batch = { ...held.batch, status: 'parked', parked_reason, resumes_at }
    },
    /** Breaks the connection of the next reader of a batch. */
    breakOne(): void {
      breaks = true
    },
    /** Resolves once a batch was read again, so that a command follows it. */
    watched(id?: string): Promise<string> {
      const known = [...batches.values()].find((held) => held.reads > 1 && (id ?? held.batch.id) === held.batch.id)
      if (known) return Promise.resolve(known.batch.id)
      return new Promise((resolve) => waiting.add(resolve))
    },
    close: stop,
  }

  async function answerTo(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const url = new URL(request.url ?? '/', 'http://stand.in')
    standIn.requests.push(`${request.method} ${url.pathname}${url.search}`)
    const [, v1, kind = '', id, action = ''] = url.pathname.split('/')
    const query = Object.fromEntries(url.searchParams)
    if (v1 !== 'v1') return NO_PATH
    if (kind !== 'batches') return answerOther(`${request.method} ${kind}`, request, query)
    if (id === undefined) return request.method === 'POST' ? create(request, query) : list(query)
    const held = batches.get(id)
    if (held === undefined) return problem(404, 'not_found', 'no such batch')
    return act(held, `${request.method} ${action}`, response)
  }

  async function answerOther(what: string, request: IncomingMessage, query: Query): Promise<Answer> {
    if (what === 'POST trajectories') {
      standIn.uploaded.push(JSON.parse(await text(request)))
      const digest = String(standIn.uploaded.length).padStart(64, '0')
      return [201, { ...UPLOADED, id: `sha256:${digest}` }]
    }
    if (what === 'POST regrades') return regrade(await text(request))
    if (what === 'GET judges') return [200, { items: [JUDGE], not_configured: [] }]
    if (what === 'GET rubrics') return [200, { items: [RUBRIC] }]
    const isCompared = what === 'GET comparisons' && standIn.comparison !== null
    return isCompared ? [200, standIn.comparison?.(query['cursor'] ?? null)] : NO_PATH
  }

  function act(held: Held, what: string, response: ServerResponse): Answer {
    if (what === 'GET ') return read(held)
    if (what === 'GET rubrics') return [200, { items: [{ ...RUBRIC, claims: CLAIMS }] }]
    if (what === 'GET results') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.end(held.results.map((result) => `${JSON.stringify(result)}\n`).join(''))
      return [200, null]
    }
    if (what === 'POST cancel') {
      const { counts } = held.batch
      const cancelled = counts.cancelled + counts.pending + counts.running
      held.batch = { ...held.batch, status: 'cancelled', counts: { ...counts, pending: 0, running: 0, cancelled } }
      return [202, held.batch]
    }
    if (what !== 'POST resume') return NO_PATH
    held.batch = { ...held.batch, status: 'running', parked_reason: null }
    return [202, held.batch]
  }

  function read(held: Held): Answer {
    held.reads++
    if (held.reads > 1) {
      for (const resolve of waiting) resolve(held.batch.id)
      waiting.clear()
    }
    if (!breaks) return [200, held.batch]
    breaks = false
    return null
  }

  async function create(request: IncomingMessage, query: Query): Promise<Answer> {
    await standIn.hold
    const lines = (await text(request)).split('\n').filter((line) => line !== '')
    const items = lines.map((line) => JSON.parse(line) as BatchItem)
    for (const [index, item] of items.entries()) {
      const ofTruth = inputIssues(TAB_2.truth.schema as TSchema, item.ground_truth)
      const issues = [
        ...inputIssues(BatchItemSchema, item),
        ...ofTruth.map(({ path, message }) => ({ path: `/ground_truth${path}`, message })),
      ]
      const errors = issues.slice(0, 1).map(({ path, message }) => ({ path: `/items/${index}${path}`, message }))
      if (errors.length > 0) return problem(400, 'invalid_request', 'an item is not valid', errors)
    }
    return query['dry_run'] === 'true' ? [200, standIn.estimate] : open(items, query, 'grade')
  }

  function regrade(body: string): Answer {
    const request = JSON.parse(body) as RegradeRequest
    const issues = inputIssues(RegradeRequestSchema, request)
    if (issues.length > 0) return problem(400, 'invalid_request', 'not valid', issues)
    if (request.dry_run) return [200, standIn.estimate]
    standIn.uploaded.push(request)
    const item = { item_id: 'again', trajectory: {}, ground_truth: { instruction: 'x', cue: { text: 'y' } } }
    return open([item], { ...(request.key !== undefined && { key: request.key }) }, 'regrade')
  }

  function open(items: BatchItem[], query: Query, kind: Batch['kind']): Answer {
    const begun = newBatch(batches.size + 1, items.length, query, kind)
    const held: Held = { batch: { ...begun }, items, results: [], reads: 0 }
    batches.set(begun.id, held)
    for (const [index, item] of items.entries()) {
      const ending = standIn.ending?.(item, index) ?? null
      if (ending === null) break
      endItem(held, ending)
    }
    return [202, begun]
  }

  function list(query: Query): Answer {
    const items = [...batches.values()].map(({ batch }) => batch).reverse()
    const fits = (batch: Batch) =>
      (query['key'] ?? batch.key) === batch.key && (query['status'] ?? batch.status) === batch.status
    return [200, { items: items.filter(fits), next_cursor: null }]
  }

  return standIn
}

/** How the stand-in ends an item. */
export type Ending = { readonly label: Label } | { readonly status: 'unverified' } | { readonly failure: FailureCode }

export interface Held {
  batch: Batch
  items: BatchItem[]
  results: BatchResult[]
  /** Times that the batch was read. */
  reads: number
}

export const ESTIMATE: BatchEstimate = {
  items: 3,
  cached: 1,
  to_grade: 2,
  calls: { expected: 2.4, most: 6 },
  input_tokens: { expected: 60_000, most: 1_500_000 },
  output_tokens: { expected: 900, most: 4000 },
  cost_usd: { expected: 0.081, most: 1.5 },
}

export function newBatch(
  n: number,
  total: number,
  query: Readonly<Record<string, string>>,
  kind: Batch['kind'],
): Batch {
  const number = String(n).padStart(2, '0')
  return {
    ...{ id: `bat_${number}`, kind, name: query['name'] ?? null, key: query['key'] ?? null, status: 'running' },
    mode: query['mode'] === 'provider' ? 'provider' : 'direct',
    counts: { total, pending: total, running: 0, graded: 0, unverified: 0, failed: 0, cancelled: 0 },
    ...{ labels: {}, failures: {}, cached: 0, calls: { made: 0, unknown: 0 }, cost_usd: 0, uncertain_usd: 0 },
    max_cost_usd: query['max_cost_usd'] === undefined ? null : Number(query['max_cost_usd']),
    ...{ parked_reason: null, resumes_at: null, finished_at: null },
    created_at: `2026-11-21T08:00:${number}.000Z`,
  }
}

const GRADE: ResultGrade = {
  confidence: { reported: 'medium', vote_share: null, calibrated: null, source: 'reported' },
  ...{ judge: 'lexical', claimed_label: null, contradictions: [], unmet: [], cost_usd: null, warnings: 0 },
  ...{ evidence: { cited: 1, held: 1 }, unread: { records: 0, actions: 0 } },
}

/** Ends the next pending item, and the batch with the last one. */
export function endItem(held: Held, ending: Ending): void {
  const index = held.results.length
  const item = held.items[index]
  if (item === undefined) throw new Error('all items have ended')
  const { batch } = held
  const status = 'label' in ending ? 'graded' : 'failure' in ending ? 'failed' : 'unverified'
  const label = 'label' in ending ? ending.label : null
  const failure =
    'failure' in ending
      ? { code: ending.failure, message: `the provider said ${ending.failure}`, retryable: true, retry_after_s: null }
      : null
  held.results.push({
    ...{ item_id: item.item_id ?? String(index), index, status, label, failure, metadata: item.metadata ?? {} },
    ...{ judge: item.judge ?? 'lexical', rubric: item.rubric ?? null, cached: false, base_grade_id: null },
    ...(failure === null ? { grade_id: `grd_${index}`, grade: GRADE } : { grade_id: null, grade: null }),
  })
  const counts = { ...batch.counts, pending: batch.counts.pending - 1, [status]: batch.counts[status] + 1 }
  held.batch = {
    ...batch,
    counts,
    labels: label === null ? batch.labels : oneMore(batch.labels, label),
    failures: failure === null ? batch.failures : oneMore(batch.failures, failure.code),
    cost_usd: (batch.cost_usd ?? 0) + 0.01,
    calls: { made: batch.calls.made + 1, unknown: 0 },
    ...(counts.pending === 0 && { status: 'done', finished_at: '2026-11-21T09:00:00.000Z' }),
  }
}

const oneMore = (counts: Readonly<Record<string, number | undefined>>, word: string) =>
  ({ ...counts, [word]: (counts[word] ?? 0) + 1 }) as Record<string, number>
