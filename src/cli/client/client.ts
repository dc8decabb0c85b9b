import type { Operations } from '../../client/contract.ts'
import { readStates } from '../../client/follow.ts'
import { chunksOf, readLines } from '../../client/lines.ts'
import { type Sent, send, sendForText, unbroken } from '../../client/send.ts'
import { uploadItems } from '../../client/start-batch.ts'
import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { GradeOverview } from '../../schemas/audit/grade-overview.ts'
import type { Report } from '../../schemas/audit/report.ts'
import type { Batch, BatchEstimate, BatchItem, BatchOptions, BatchResult } from '../../schemas/batch.ts'
import type { BatchCall, Grade, LedgerEntry } from '../../schemas/grade.ts'
import type { Comparison, RegradeRequest } from '../../schemas/regrade.ts'
import type { RubricView } from '../../schemas/rubric-view.ts'
import type { TrajectorySummary } from '../../schemas/trajectory-view.ts'
import {
  isAskedRubrics,
  isBatch,
  isBatchCall,
  isBatchPage,
  isCalls,
  isComparison,
  isEstimate,
  isGrade,
  isJudges,
  isOverview,
  isReport,
  isResult,
  isRubric,
  isRubrics,
  isUploaded,
  parseAnswer,
  type Shape,
} from '../output/answer-shape.ts'
import type { JudgeRows } from '../output/judge-table.ts'

export interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}

/** A rubric with its prompt. */
export type RubricText = Required<RubricView>

/** An item of a batch, with its trajectory where it has been read. */
export interface ReadItem {
  readonly item: BatchItem
  readonly trajectory: Trajectory | null
}

/** What an operation may be asked by. */
type Query<Name extends 'listBatches' | 'compareBatches'> = NonNullable<Operations[Name]['given']['query']>

/**
 * The service, over HTTP. Throws `ServiceError` where it refuses, `UnreachableError` where it does not answer, `CliError` where
 * something else than a service does.
 */
export type Client = ReturnType<typeof createClient>

export function createClient(base: string, key?: string, fetcher: typeof fetch = fetch) {
  const target = { base, key, fetcher }
  const call = (method: 'GET' | 'POST', path: string, request: Sent = {}) => sendForText(target, method, path, request)
  const open = (path: string, request: Sent) => send(target, 'GET', path, request)
  const json = async <T>(pending: Promise<string>, shape: Shape): Promise<T> =>
    parseAnswer<T>(base, await pending, shape)
  const post = <T>(path: string, body: unknown, shape: Shape, signal?: AbortSignal) =>
    json<T>(call('POST', path, { body: JSON.stringify(body), type: 'application/json', signal }), shape)
  async function* lines<T>(path: string, request: Sent, shape: Shape): AsyncGenerator<T> {
    const { body } = await open(path, request)
    for await (const line of unbroken(base, readLines(chunksOf(body)), request.signal))
      yield parseAnswer<T>(base, line, shape)
  }
  const one = (id: string) => `/v1/batches/${encodeURIComponent(id)}`

  return {
    uploadTrajectory: (document: unknown, signal: AbortSignal) =>
      post<TrajectorySummary>('/v1/trajectories', document, isUploaded, signal),
    /** Items are sent while they are read. */
    createBatch: (options: BatchOptions, items: AsyncIterable<ReadItem>, signal: AbortSignal) =>
      json<Batch>(uploadItems(target, itemsOf(items), options, signal), isBatch),
    estimateBatch: (options: BatchOptions, items: AsyncIterable<ReadItem>, signal: AbortSignal) =>
      json<BatchEstimate>(uploadItems(target, itemsOf(items), { ...options, dry_run: true }, signal), isEstimate),
    findBatches: (query: Query<'listBatches'>) => json<Page<Batch>>(call('GET', '/v1/batches', { query }), isBatchPage),
    readBatch: (id: string, signal?: AbortSignal) => json<Batch>(call('GET', one(id), { signal }), isBatch),
    cancelBatch: (id: string) => json<Batch>(call('POST', `${one(id)}/cancel`), isBatch),
    resumeBatch: (id: string) => json<Batch>(call('POST', `${one(id)}/resume`), isBatch),
    regrade: (request: RegradeRequest) => post<Batch>('/v1/regrades', request, isBatch),
    estimateRegrade: (request: RegradeRequest) =>
      post<BatchEstimate>('/v1/regrades', { ...request, dry_run: true }, isEstimate),
    readGrade: (id: string, signal?: AbortSignal) =>
      json<Grade>(call('GET', `/v1/grades/${encodeURIComponent(id)}`, { signal }), isGrade),
    /** By which names stored grades can be chosen. */
    overview: () => json<GradeOverview>(call('GET', '/v1/grades/overview'), isOverview),
    listJudges: () => json<JudgeRows>(call('GET', '/v1/judges'), isJudges),
    /** The calls behind a grade, with the provider’s raw replies. */
    async readCalls(id: string, signal?: AbortSignal): Promise<readonly LedgerEntry[]> {
      const path = `/v1/grades/${encodeURIComponent(id)}/attempts`
      const { items } = await json<{ items: LedgerEntry[] }>(
        call('GET', path, { query: { raw: true }, signal }),
        isCalls,
      )
      return items
    },
    readRubric: (name: string, signal?: AbortSignal) =>
      json<RubricText>(call('GET', `/v1/rubrics/${encodeURIComponent(name)}`, { signal }), isRubric),
    listRubrics: () => json<{ items: RubricView[] }>(call('GET', '/v1/rubrics'), isRubrics),
    /** Whom the service asks, and by what. */
    batchRubrics: async (id: string, signal?: AbortSignal) =>
      (await json<{ items: RubricView[] }>(call('GET', `${one(id)}/rubrics`, { signal }), isAskedRubrics)).items,
    report: (query: Readonly<Record<string, string | undefined>>) =>
      json<Report>(call('GET', '/v1/reports', { query }), isReport),
    reportCsv: (query: Readonly<Record<string, string | undefined>>) =>
      call('GET', '/v1/reports', { query: { ...query, format: 'csv' }, accept: 'text/csv' }),
    compare: (query: Query<'compareBatches'>) =>
      json<Comparison>(call('GET', '/v1/comparisons', { query }), isComparison),

    /** The finished items, in item order; with `wait` until the batch has ended. */
    results: (id: string, signal?: AbortSignal, wait = false) =>
      lines<BatchResult>(`${one(id)}/results`, { query: wait ? { wait } : {}, signal }, isResult),

    /** Every call that was made for the batch, with the provider’s raw replies. */
    batchCalls: (id: string, signal?: AbortSignal) =>
      lines<BatchCall>(`${one(id)}/attempts`, { query: { raw: true }, signal }, isBatchCall),

    /** The batch as it goes, until the service says that no more will come; throws where the connection breaks. */
    async *events(id: string, signal: AbortSignal): AsyncGenerator<Batch> {
      const { body } = await open(`${one(id)}/events`, { signal, accept: 'text/event-stream' })
      for await (const state of unbroken(base, readStates(body), signal)) yield parseAnswer<Batch>(base, state, isBatch)
    },
  }
}

async function* itemsOf(items: AsyncIterable<ReadItem>): AsyncGenerator<BatchItem> {
  for await (const { item } of items) yield item
}
