import type { Static, TSchema } from 'typebox'
import { type CallsOptions, createCalls, type Given } from '../client/calls.ts'
import { ServiceError, strangeAnswer } from '../client/errors.ts'
import { followBatch } from '../client/persist.ts'
import { BatchEstimateSchema, type BatchItem, BatchResultSchema, BatchSchema } from '../schemas/batch.ts'
import { inputIssues } from '../schemas/check.ts'
import { BatchCallSchema, GradeSchema, LedgerEntrySchema } from '../schemas/grade.ts'
import { NextCursorSchema } from '../schemas/queries.ts'
import { ComparisonSchema } from '../schemas/regrade.ts'
import { ReportSchema } from '../schemas/report.ts'
import { DisagreementSchema, PanelResultSchema, ReviewSchema } from '../schemas/review.ts'
import { RubricViewSchema } from '../schemas/rubric.ts'
import { Closed, Type } from '../schemas/type.ts'
import {
  GradeOverviewSchema,
  JudgeViewSchema,
  TrajectorySummarySchema,
  UnconfiguredJudgeSchema,
} from '../schemas/views.ts'
import { gradeMany } from './grade-many.ts'
import type { CallOptions, CreateOptions, Items, ReadItem, Veridict } from './veridict.ts'

const listOf = <T extends TSchema>(schema: T) => Closed({ items: Type.Array(schema) })
const pageOf = <T extends TSchema>(schema: T) => Closed({ items: Type.Array(schema), next_cursor: NextCursorSchema })
const JUDGES = Closed({
  items: Type.Array(JudgeViewSchema),
  not_configured: Type.Optional(Type.Array(UnconfiguredJudgeSchema)),
})
const [BATCHES, REVIEWS, DISAGREEMENTS] = [pageOf(BatchSchema), pageOf(ReviewSchema), pageOf(DisagreementSchema)]
const [RUBRICS, CALLS] = [listOf(RubricViewSchema), listOf(LedgerEntrySchema)]
const RUBRIC = Type.Required(RubricViewSchema)
/** Older services answer without a result. */
const PANEL = Type.Object({ result: Type.Optional(PanelResultSchema) })

/**
 * Makes a Veridict of a running service, by the client that is generated from its OpenAPI document. Each answer is checked against the contract: the
 * answer of another program is a `ServiceError` with status 200.
 */
export function remote(url: string, key?: string, options: Omit<CallsOptions, 'baseUrl' | 'token'> = {}): Veridict {
  if (!/^https?:[^\p{C}\s]+$/u.test(url) || !URL.canParse(url))
    throw new TypeError(`"${url}" is not the address of a service: an address looks like http://127.0.0.1:8787`)
  const calls = createCalls({ ...options, baseUrl: url, token: key })
  const checked = async <S extends TSchema>(schema: S, answer: Promise<unknown>): Promise<Static<S>> =>
    requireShape(url, schema, await answer)
  type Name = Parameters<typeof calls.call>[0]
  const ask = <S extends TSchema, N extends Name>(
    schema: S,
    name: N,
    given: Given<N> | object = {},
    { signal }: CallOptions = {},
  ): Promise<Static<S>> => checked(schema, calls.call(name, given as never, { signal } as never))
  async function* each<S extends TSchema>(schema: S, values: AsyncIterable<unknown>): AsyncGenerator<Static<S>> {
    for await (const value of values) yield requireShape(url, schema, value)
  }
  const post = <S extends TSchema>(schema: S, items: Items<BatchItem | ReadItem>, options: CreateOptions, dry = {}) => {
    const { signal, ...query } = options
    return checked(schema, calls.upload(itemsOf(items), { ...query, ...dry }, signal))
  }
  const readGrade: Veridict['readGrade'] = (id, options) => ask(GradeSchema, 'getGrade', { path: { id } }, options)
  const batch: Veridict['batch'] = (id, options) => ask(BatchSchema, 'getBatch', { path: { id } }, options)
  const grade: Veridict['grade'] = (body, options) =>
    ask(GradeSchema, 'createGrade', { body }, options).catch((error: unknown) => {
      // A failed judge is a stored grade.
      if (!(error instanceof ServiceError) || error.gradeId === null) throw error
      return readGrade(error.gradeId, options)
    })
  const close = async (): Promise<void> => undefined

  return {
    grade,
    gradeMany: (requests, options) => gradeMany(grade, requests, options),
    readGrade,
    panel: async (id, options) => (await ask(PANEL, 'listPanel', { path: { id } }, options)).result ?? null,
    calls: async (id, options) =>
      (await ask(CALLS, 'listAttempts', { path: { id }, query: { raw: true } }, options)).items,
    overview: () => ask(GradeOverviewSchema, 'overviewGrades'),
    uploadTrajectory: (body, options) => ask(TrajectorySummarySchema, 'uploadTrajectory', { body }, options),
    createBatch: (items, options = {}) => post(BatchSchema, items, options),
    estimateBatch: (items, options = {}) => post(BatchEstimateSchema, items, options, { dry_run: true }),
    batch,
    batches: (query = {}) => ask(BATCHES, 'listBatches', { query }),
    cancel: (id) => ask(BatchSchema, 'cancelBatch', { path: { id } }),
    resume: (id) => ask(BatchSchema, 'resumeBatch', { path: { id } }),
    results: (id, { signal, wait = false } = {}) =>
      each(BatchResultSchema, calls.lines('readResults', { path: { id }, query: wait ? { wait } : {} }, signal)),
    events: (id, { signal } = {}) => followBatch((read, stop) => batch(read, { signal: stop }), id, signal),
    batchCalls: (id, { signal } = {}) =>
      each(BatchCallSchema, calls.lines('readBatchAttempts', { path: { id }, query: { raw: true } }, signal)),
    batchRubrics: async (id, options) => (await ask(RUBRICS, 'listBatchRubrics', { path: { id } }, options)).items,
    regrade: (body) => ask(BatchSchema, 'createRegrade', { body }),
    estimateRegrade: (body) => ask(BatchEstimateSchema, 'createRegrade', { body: { ...body, dry_run: true } }),
    compare: (query) => ask(ComparisonSchema, 'compareBatches', { query }),
    report: (query = {}) => ask(ReportSchema, 'getReport', { query }),
    reportCsv: (query = {}) => calls.text('getReport', { query: { ...query, format: 'csv' } }),
    // Labels of given ratings may be any text: the answer is no word of a closed set to check.
    agreement: (body) => calls.call('computeAgreement', { body }),
    disagreements: (query = {}) => ask(DISAGREEMENTS, 'listDisagreements', { query }),
    reviews: (query = {}) => ask(REVIEWS, 'listReviews', { query }),
    review: (id, body) => ask(ReviewSchema, 'createReview', { path: { id }, body }),
    listJudges: () => ask(JUDGES, 'listJudges'),
    listRubrics: async () => (await ask(RUBRICS, 'listRubrics')).items,
    readRubric: (id, options) => ask(RUBRIC, 'getRubric', { path: { id } }, options),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function* itemsOf(items: Items<BatchItem | ReadItem>): AsyncGenerator<BatchItem> {
  for await (const given of items) yield 'item' in given ? given.item : given
}

/** Words that are printed as they are: ids, times, labels, and the words of closed sets. */
const PLAIN = '^[!-~]{1,200}$'
const PLAIN_NAMES = /^(?:id|grade_id|base_grade_id|label|\w+_at|ends_by)$/

/**
 * Relaxes a schema of the contract to the part that callers rely on. A newer service may send more members, and more words of a closed set
 * other than `status`; names of members, and all words that are printed as they are, must be plain.
 */
const relaxed = (schema: TSchema): object =>
  JSON.parse(JSON.stringify(schema), (name: string, node: unknown) => {
    if (typeof node !== 'object' || node === null || Array.isArray(node)) return node
    const { enum: words, patternProperties: members, ...rest } = node as Readonly<Record<string, unknown>>
    const isOpen = words !== undefined && name !== 'status'
    const other = members === undefined ? {} : Object.values(members as object)[0]
    return {
      ...rest,
      ...(words !== undefined && !isOpen && { enum: words }),
      ...((isOpen || PLAIN_NAMES.test(name)) && { pattern: PLAIN }),
      ...((members !== undefined || rest['additionalProperties'] === false) && {
        patternProperties: { [PLAIN]: other },
        additionalProperties: false,
      }),
    }
  })

const shapes = new WeakMap<TSchema, object>()

/** Returns an answer that fits the relaxed schema of the contract. Throws a `ServiceError` for another answer: no Veridict service gave it. */
function requireShape<S extends TSchema>(url: string, schema: S, value: unknown): Static<S> {
  const shape = shapes.get(schema) ?? relaxed(schema)
  shapes.set(schema, shape)
  if (inputIssues(shape, value).length === 0) return value as Static<S>
  throw strangeAnswer('strange_answer', `${url} answered JSON that says something else than was asked`)
}
