import type { Static, TSchema } from 'typebox'
import { createCalls, type Given } from '../../client/calls.ts'
import { ServiceError } from '../../client/errors.ts'
import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import { GradeOverviewSchema } from '../../schemas/audit/grade-overview.ts'
import { ReportSchema } from '../../schemas/audit/report.ts'
import {
  BatchEstimateSchema,
  type BatchItem,
  type BatchOptions,
  BatchResultSchema,
  BatchSchema,
} from '../../schemas/batch.ts'
import { BatchCallSchema, GradeSchema, LedgerEntrySchema } from '../../schemas/grade.ts'
import { JudgeViewSchema, UnconfiguredJudgeSchema } from '../../schemas/judge-info.ts'
import { NextCursorSchema } from '../../schemas/page.ts'
import { ComparisonSchema, type RegradeRequest } from '../../schemas/regrade.ts'
import { type RubricView, RubricViewSchema } from '../../schemas/rubric-view.ts'
import { TrajectorySummarySchema } from '../../schemas/trajectory-view.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { answerOf, strangeAnswer } from './answer.ts'

export interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}

export type RubricText = Required<RubricView>

/** An item of a batch; its trajectory is null until the item is read. */
export interface ReadItem {
  readonly item: BatchItem
  readonly trajectory: Trajectory | null
}

type ReportQuery = Readonly<Record<string, string | undefined>>

const listOf = <T extends TSchema>(schema: T) => Closed({ items: Type.Array(schema) })
const { system, question, answer_schema, ...shownOfRubric } = RubricViewSchema.properties

const ANSWERS = {
  batch: answerOf(BatchSchema),
  batches: answerOf(Closed({ items: Type.Array(BatchSchema), next_cursor: NextCursorSchema })),
  call: answerOf(BatchCallSchema),
  calls: answerOf(listOf(LedgerEntrySchema)),
  comparison: answerOf(ComparisonSchema),
  estimate: answerOf(BatchEstimateSchema),
  grade: answerOf(GradeSchema),
  judges: answerOf(
    Closed({ items: Type.Array(JudgeViewSchema), not_configured: Type.Optional(Type.Array(UnconfiguredJudgeSchema)) }),
  ),
  overview: answerOf(GradeOverviewSchema),
  report: answerOf(ReportSchema),
  result: answerOf(BatchResultSchema),
  rubric: answerOf(
    Closed({
      ...shownOfRubric,
      system: Type.String(),
      question: Type.String(),
      answer_schema: Type.Record(Type.String(), Type.Unknown()),
    }),
  ),
  rubrics: answerOf(listOf(RubricViewSchema)),
  uploaded: answerOf(TrajectorySummarySchema),
}

/**
 * The service over HTTP, with the answers checked against the contract. Throws a `ServiceError` for a refusal, an `UnreachableError` without an
 * answer, and a `CliError` for the answer of something else than a service.
 */
export type Client = ReturnType<typeof createClient>

export function createClient(base: string, key?: string, fetcher: typeof fetch = fetch) {
  const { call, lines, states, text, upload } = createCalls({
    ...{ baseUrl: base, token: key, fetch: fetcher, retries: { tries: 1 } },
  })
  const checked = async <T>(check: (base: string, value: unknown) => T, pending: Promise<unknown>): Promise<T> =>
    check(base, await pending.catch(explainJson))
  async function* each<T>(check: (base: string, value: unknown) => T, values: AsyncIterable<unknown>) {
    try {
      for await (const value of values) yield check(base, value)
    } catch (error) {
      explainJson(error)
    }
  }
  const explainJson = (error: unknown): never => {
    throw error instanceof ServiceError && error.code === 'not_json'
      ? strangeAnswer(base, 'something that is not JSON')
      : error
  }

  return {
    uploadTrajectory: (document: Record<string, unknown>, signal: AbortSignal) =>
      checked(ANSWERS.uploaded, call('uploadTrajectory', { body: document }, { signal })),
    /** Sends the items while they are read. */
    createBatch: (options: BatchOptions, items: AsyncIterable<ReadItem>, signal: AbortSignal) =>
      checked(ANSWERS.batch, upload(itemsOf(items), options, signal)),
    estimateBatch: (options: BatchOptions, items: AsyncIterable<ReadItem>, signal: AbortSignal) =>
      checked(ANSWERS.estimate, upload(itemsOf(items), { ...options, dry_run: true }, signal)),
    findBatches: (query: NonNullable<Given<'listBatches'>['query']>): Promise<Page<Static<typeof BatchSchema>>> =>
      checked(ANSWERS.batches, call('listBatches', { query })),
    readBatch: (id: string, signal?: AbortSignal) =>
      checked(ANSWERS.batch, call('getBatch', { path: { id } }, { signal })),
    cancelBatch: (id: string) => checked(ANSWERS.batch, call('cancelBatch', { path: { id } })),
    resumeBatch: (id: string) => checked(ANSWERS.batch, call('resumeBatch', { path: { id } })),
    regrade: (body: RegradeRequest) => checked(ANSWERS.batch, call('createRegrade', { body })),
    estimateRegrade: (request: RegradeRequest) =>
      checked(ANSWERS.estimate, call('createRegrade', { body: { ...request, dry_run: true } })),
    readGrade: (id: string, signal?: AbortSignal) =>
      checked(ANSWERS.grade, call('getGrade', { path: { id } }, { signal })),
    /** Reads the names by which stored grades can be chosen. */
    overview: () => checked(ANSWERS.overview, call('overviewGrades')),
    listJudges: () => checked(ANSWERS.judges, call('listJudges')),
    /** Reads the calls behind a grade, with the provider’s raw replies. */
    readCalls: async (id: string, signal?: AbortSignal) =>
      (await checked(ANSWERS.calls, call('listAttempts', { path: { id }, query: { raw: true } }, { signal }))).items,
    readRubric: (id: string, signal?: AbortSignal): Promise<RubricText> =>
      checked(ANSWERS.rubric, call('getRubric', { path: { id } }, { signal })) as Promise<RubricText>,
    listRubrics: () => checked(ANSWERS.rubrics, call('listRubrics')),
    batchRubrics: async (id: string, signal?: AbortSignal): Promise<readonly RubricView[]> =>
      (await checked(ANSWERS.rubrics, call('listBatchRubrics', { path: { id } }, { signal }))).items,
    report: (query: ReportQuery) => checked(ANSWERS.report, call('getReport', { query } as Given<'getReport'>)),
    reportCsv: (query: ReportQuery) => text('getReport', { query: { ...query, format: 'csv' } } as Given<'getReport'>),
    compare: (query: Given<'compareBatches'>['query']) =>
      checked(ANSWERS.comparison, call('compareBatches', { query })),

    /** Streams the finished items, in item order; with `wait` until the batch has ended. */
    results: (id: string, signal?: AbortSignal, wait = false) =>
      each(ANSWERS.result, lines('readResults', { path: { id }, query: wait ? { wait } : {} }, signal)),

    /** Streams every call of the batch, with the provider’s raw replies. */
    batchCalls: (id: string, signal?: AbortSignal) =>
      each(ANSWERS.call, lines('readBatchAttempts', { path: { id }, query: { raw: true } }, signal)),

    /** Streams the states of the batch, until the service ends the stream; throws where the connection breaks. */
    events: (id: string, signal: AbortSignal) => each(ANSWERS.batch, states(id, signal)),
  }
}

async function* itemsOf(items: AsyncIterable<ReadItem>): AsyncGenerator<BatchItem> {
  for await (const { item } of items) yield item
}
