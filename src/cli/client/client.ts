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
import { schemaIssues } from '../../schemas/check.ts'
import { BatchCallSchema, GradeSchema, LedgerEntrySchema } from '../../schemas/grade.ts'
import { JudgeViewSchema, UnconfiguredJudgeSchema } from '../../schemas/judge-info.ts'
import { NextCursorSchema } from '../../schemas/page.ts'
import { ComparisonSchema, type RegradeRequest } from '../../schemas/regrade.ts'
import { type RubricView, RubricViewSchema } from '../../schemas/rubric-view.ts'
import { TrajectorySummarySchema } from '../../schemas/trajectory-view.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { oneLine } from '../output/text.ts'
import { CliError } from './errors.ts'

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

/** Words that are printed as they are: ids, times, labels, and the words of closed sets. */
const PLAIN = '^[!-~]{1,200}$'
const PLAIN_NAMES = /^(?:id|grade_id|base_grade_id|label|\w+_at|ends_by)$/

type Node = Readonly<Record<string, unknown>>

/**
 * Relaxes a schema of the contract to the part that commands rely on. A newer service may send more members, and more words of a closed set
 * other than `status`; all words that are printed as they are must be plain. `name`: the property that the schema describes.
 */
function relaxed(schema: unknown, name = ''): unknown {
  if (Array.isArray(schema)) return schema.map((member) => relaxed(member, name))
  if (typeof schema !== 'object' || schema === null) return schema
  const pattern = PLAIN_NAMES.test(name) && 'type' in schema && schema.type === 'string' ? { pattern: PLAIN } : {}
  const keywords = Object.entries(schema).map(([keyword, value]): Node => {
    if (keyword === 'additionalProperties' && value === false) return membersOf({})
    if (keyword === 'enum' && name !== 'status') return { pattern: PLAIN }
    if (keyword === 'properties')
      return {
        properties: Object.fromEntries(
          Object.entries(value as Node).map(([key, member]) => [key, relaxed(member, key)]),
        ),
      }
    if (keyword === 'patternProperties') return membersOf(relaxed(Object.values(value as Node)[0]))
    return { [keyword]: keyword === 'enum' || keyword === 'required' ? value : relaxed(value, name) }
  })
  return Object.assign({}, ...keywords, pattern)
}

/** Names of members are words, too: labels, codes, ids of claims. */
const membersOf = (schema: unknown): Node => ({ patternProperties: { [PLAIN]: schema }, additionalProperties: false })

/**
 * Creates the check of an answer against a schema of the contract. The check throws a `CliError`: the answer is not of a Veridict service.
 */
export function answerOf<S extends TSchema>(schema: S): (base: string, value: unknown) => Static<S> {
  const shape = relaxed(schema) as object
  return (base, value) => {
    if (schemaIssues(shape, value).length > 0) throw strangeAnswer(base, 'JSON that says something else than was asked')
    return value as Static<S>
  }
}

/** Makes the error of an answer that no Veridict service gives. */
export const strangeAnswer = (base: string, answer: string): CliError =>
  new CliError(`${oneLine(base)} answered ${answer}: is this a Veridict service?`, [
    '--server and VERIDICT_SERVER take the address that `veridict serve` logs, like http://127.0.0.1:8787',
  ])
