import type { Static, TSchema } from 'typebox'
import { createCalls, type Given } from '../../client/calls.ts'
import { ServiceError } from '../../client/errors.ts'
import type { Trajectory } from '../../domain/trajectory/trajectory.ts'
import { GradeOverviewSchema } from '../../schemas/audit/grade-overview.ts'
import { PanelResultSchema } from '../../schemas/audit/panel.ts'
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

/** An item of a batch; its trajectory is null until the item is read. */
export interface ReadItem {
  readonly item: BatchItem
  readonly trajectory: Trajectory | null
}

type ReportQuery = Readonly<Record<string, string | undefined>>

const listOf = <T extends TSchema>(schema: T) => Closed({ items: Type.Array(schema) })
const BATCHES = Closed({ items: Type.Array(BatchSchema), next_cursor: NextCursorSchema })
const JUDGES = Closed({
  items: Type.Array(JudgeViewSchema),
  not_configured: Type.Optional(Type.Array(UnconfiguredJudgeSchema)),
})
const RUBRICS = listOf(RubricViewSchema)
const RUBRIC = Type.Required(RubricViewSchema)
const CALLS = listOf(LedgerEntrySchema)
/** Older services answer without a result. */
const PANEL = Type.Object({ result: Type.Optional(PanelResultSchema) })

/**
 * Calls the service over HTTP, and checks the answers against the contract. Throws a `ServiceError` for a refusal, an `UnreachableError`
 * without an answer, and a `CliError` for the answer of another program.
 */
export type Client = ReturnType<typeof createClient>

export function createClient(base: string, key?: string, fetcher: typeof fetch = fetch) {
  const calls = createCalls({ baseUrl: base, token: key, fetch: fetcher, retries: { tries: 1 } })
  const explainJson = (error: unknown): never => {
    throw error instanceof ServiceError && error.code === 'not_json'
      ? strangeAnswer(base, 'something that is not JSON')
      : error
  }
  const checked = async <S extends TSchema>(schema: S, pending: Promise<unknown>): Promise<Static<S>> =>
    checkAnswer(base, schema, await pending.catch(explainJson))
  const ask = <S extends TSchema, N extends Parameters<typeof calls.call>[0]>(
    schema: S,
    name: N,
    given?: Given<N> | object,
    signal?: AbortSignal,
  ): Promise<Static<S>> => checked(schema, calls.call(name, given as never, { signal } as never))
  async function* each<S extends TSchema>(schema: S, values: AsyncIterable<unknown>): AsyncGenerator<Static<S>> {
    try {
      for await (const value of values) yield checkAnswer(base, schema, value)
    } catch (error) {
      explainJson(error)
    }
  }

  return {
    uploadTrajectory: (body: Record<string, unknown>, signal: AbortSignal) =>
      ask(TrajectorySummarySchema, 'uploadTrajectory', { body }, signal),
    /** Sends the items while they are read. */
    createBatch: (options: BatchOptions, items: AsyncIterable<ReadItem>, signal: AbortSignal) =>
      checked(BatchSchema, calls.upload(itemsOf(items), options, signal)),
    estimateBatch: (options: BatchOptions, items: AsyncIterable<ReadItem>, signal: AbortSignal) =>
      checked(BatchEstimateSchema, calls.upload(itemsOf(items), { ...options, dry_run: true }, signal)),
    findBatches: (query: NonNullable<Given<'listBatches'>['query']>) => ask(BATCHES, 'listBatches', { query }),
    readBatch: (id: string, signal?: AbortSignal) => ask(BatchSchema, 'getBatch', { path: { id } }, signal),
    cancelBatch: (id: string) => ask(BatchSchema, 'cancelBatch', { path: { id } }),
    resumeBatch: (id: string) => ask(BatchSchema, 'resumeBatch', { path: { id } }),
    regrade: (body: RegradeRequest) => ask(BatchSchema, 'createRegrade', { body }),
    estimateRegrade: (body: RegradeRequest) =>
      ask(BatchEstimateSchema, 'createRegrade', { body: { ...body, dry_run: true } }),
    readGrade: (id: string, signal?: AbortSignal) => ask(GradeSchema, 'getGrade', { path: { id } }, signal),
    /** Reads the result of all judges of the question of a grade. */
    readPanel: async (id: string, signal?: AbortSignal) =>
      (await ask(PANEL, 'listPanel', { path: { id } }, signal)).result ?? null,
    /** Reads the names by which stored grades can be selected. */
    overview: () => ask(GradeOverviewSchema, 'overviewGrades'),
    listJudges: () => ask(JUDGES, 'listJudges'),
    /** Reads the calls behind a grade, with the provider’s raw replies. */
    readCalls: async (id: string, signal?: AbortSignal) =>
      (await ask(CALLS, 'listAttempts', { path: { id }, query: { raw: true } }, signal)).items,
    readRubric: (id: string, signal?: AbortSignal) => ask(RUBRIC, 'getRubric', { path: { id } }, signal),
    listRubrics: () => ask(RUBRICS, 'listRubrics'),
    batchRubrics: async (id: string, signal?: AbortSignal): Promise<readonly RubricView[]> =>
      (await ask(RUBRICS, 'listBatchRubrics', { path: { id } }, signal)).items,
    report: (query: ReportQuery) => ask(ReportSchema, 'getReport', { query }),
    reportCsv: (query: ReportQuery) => calls.text('getReport', { query: { ...query, format: 'csv' } } as never),
    compare: (query: Given<'compareBatches'>['query']) => ask(ComparisonSchema, 'compareBatches', { query }),
    /** Streams the finished items, in item order; with `wait` until the batch has ended. */
    results: (id: string, signal?: AbortSignal, wait = false) =>
      each(BatchResultSchema, calls.lines('readResults', { path: { id }, query: wait ? { wait } : {} }, signal)),
    /** Streams every call of the batch, with the provider’s raw replies. */
    batchCalls: (id: string, signal?: AbortSignal) =>
      each(BatchCallSchema, calls.lines('readBatchAttempts', { path: { id }, query: { raw: true } }, signal)),
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

const shapes = new WeakMap<TSchema, object>()

/** Returns an answer that fits the relaxed schema of the contract. Throws a `CliError` for another answer: no Veridict service gave it. */
function checkAnswer<S extends TSchema>(base: string, schema: S, value: unknown): Static<S> {
  const shape = shapes.get(schema) ?? (relaxed(schema) as object)
  shapes.set(schema, shape)
  if (schemaIssues(shape, value).length > 0) throw strangeAnswer(base, 'JSON that says something else than was asked')
  return value as Static<S>
}

/** Builds the error of an answer that no Veridict service gives. */
const strangeAnswer = (base: string, answer: string): CliError =>
  new CliError(`${oneLine(base)} answered ${answer}: is this a Veridict service?`, [
    '--server and VERIDICT_SERVER take the address in the log of `veridict serve`, like http://127.0.0.1:8787',
  ])
