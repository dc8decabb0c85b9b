import { readFileSync } from 'node:fs'
import { type CallsOptions, createCalls, type Given, type Name } from '../client/calls.ts'
import type { components } from '../client/contract.ts'
import { ServiceError, strangeAnswer } from '../client/errors.ts'
import { followBatch } from '../client/persist.ts'
import type { BatchItem } from '../schemas/batch.ts'
import { inputIssues } from '../schemas/check.ts'
import {
  type CallOptions,
  type CreateOptions,
  gradeMany,
  type Items,
  type ReadItem,
  type Veridict,
} from './veridict.ts'

type Schemas = components['schemas']
type Shape = keyof Schemas

/**
 * Makes a Veridict of a running service, by the client that is generated from its OpenAPI document. Each answer is checked against the document: the
 * answer of another program is a `ServiceError` with status 200.
 */
export function remote(url: string, key?: string, options: Omit<CallsOptions, 'baseUrl' | 'token'> = {}): Veridict {
  if (!/^https?:[^\p{C}\s]+$/u.test(url) || !URL.canParse(url))
    throw new TypeError(`"${url}" is not the address of a service: an address looks like http://127.0.0.1:8787`)
  const calls = createCalls({ ...options, baseUrl: url, token: key })
  const check = <S extends Shape>(shape: S, value: unknown): Schemas[S] => {
    if (fits(shape, value)) return value as Schemas[S]
    throw strangeAnswer('strange_answer', `${url} answered JSON that says something else than was asked`)
  }
  const ask = async <S extends Shape, N extends Name>(
    shape: S,
    name: N,
    given: Given<N> | object = {},
    { signal }: CallOptions = {},
  ): Promise<Schemas[S]> => check(shape, await calls.call(name, given as never, { signal } as never))
  async function* each<S extends Shape>(shape: S, values: AsyncIterable<unknown>): AsyncGenerator<Schemas[S]> {
    for await (const value of values) yield check(shape, value)
  }
  type Posted = CreateOptions & { readonly dry_run?: true }
  const post = async <S extends Shape>(shape: S, items: Items<BatchItem | ReadItem>, { signal, ...query }: Posted) =>
    check(shape, await calls.upload(itemsOf(items), query, signal))
  const readGrade: Veridict['readGrade'] = (id, options) => ask('Grade', 'getGrade', { path: { id } }, options)
  const batch: Veridict['batch'] = (id, options) => ask('Batch', 'getBatch', { path: { id } }, options)
  const grade: Veridict['grade'] = (body, options) =>
    ask('Grade', 'createGrade', { body }, options).catch((error: unknown) => {
      // A failed judge is a stored grade.
      if (!(error instanceof ServiceError) || error.gradeId === null) throw error
      return readGrade(error.gradeId, options)
    })
  const close = async (): Promise<void> => undefined

  return {
    grade,
    gradeMany: (requests, options) => gradeMany(grade, requests, options),
    readGrade,
    panel: async (id, options) => (await ask('Panel', 'listPanel', { path: { id } }, options)).result,
    calls: async (id, options) =>
      (await ask('LedgerEntryList', 'listAttempts', { path: { id }, query: { raw: true } }, options)).items,
    overview: () => ask('GradeOverview', 'overviewGrades'),
    uploadTrajectory: (body, options) => ask('TrajectorySummary', 'uploadTrajectory', { body }, options),
    createBatch: (items, options = {}) => post('Batch', items, options),
    estimateBatch: (items, options = {}) => post('BatchEstimate', items, { ...options, dry_run: true }),
    batch,
    batches: (query = {}) => ask('BatchPage', 'listBatches', { query }),
    cancel: (id) => ask('Batch', 'cancelBatch', { path: { id } }),
    resume: (id) => ask('Batch', 'resumeBatch', { path: { id } }),
    results: (id, { signal, wait = false } = {}) =>
      each('BatchResult', calls.lines('readResults', { path: { id }, query: wait ? { wait } : {} }, signal)),
    events: (id, { signal } = {}) => followBatch(batch, id, signal),
    batchCalls: (id, { signal } = {}) =>
      each('BatchCall', calls.lines('readBatchAttempts', { path: { id }, query: { raw: true } }, signal)),
    batchRubrics: async (id, options) => (await ask('RubricList', 'listBatchRubrics', { path: { id } }, options)).items,
    regrade: (body) => ask('Batch', 'createRegrade', { body }),
    estimateRegrade: (body) => ask('BatchEstimate', 'createRegrade', { body: { ...body, dry_run: true } }),
    compare: (query) => ask('Comparison', 'compareBatches', { query }),
    report: (query = {}) => ask('Report', 'getReport', { query }),
    agreement: (body) => ask('Agreement', 'computeAgreement', { body }),
    disagreements: (query = {}) => ask('DisagreementPage', 'listDisagreements', { query }),
    reviews: (query = {}) => ask('ReviewPage', 'listReviews', { query }),
    findings: (id, query = {}) => ask('Findings', 'readFindings', { path: { id }, query }),
    dispose: (id, body) => ask('Disposition', 'disposeFindings', { path: { id }, body }),
    signOff: (id, body) => ask('Signoff', 'signOffBatch', { path: { id }, body }),
    review: (id, body) => ask('Review', 'createReview', { path: { id }, body }),
    listJudges: () => ask('JudgeList', 'listJudges'),
    listRubrics: async () => (await ask('RubricList', 'listRubrics')).items,
    readRubric: (id, options) => ask('Rubric', 'getRubric', { path: { id } }, options),
    close,
    [Symbol.asyncDispose]: close,
  }
}

async function* itemsOf(items: Items<BatchItem | ReadItem>): AsyncGenerator<BatchItem> {
  for await (const given of items) yield 'item' in given ? given.item : given
}

const CONTRACT = new URL('../../openapi/openapi.json', import.meta.url)
/** Words that are printed as they are: ids, times, labels, the words of closed sets, and names of members. */
const PLAIN = '^[!-~]{1,200}$'
const PLAIN_WORDS = /^(?:id|grade_id|base_grade_id|label|\w+_at|ends_by)$/
/** Objects whose members anybody may name. */
const FREE_NAMES = /^(?:metadata|prevalence|properties)$/

/**
 * Relaxes a schema of the contract to the part that callers rely on. A newer service may send more members, and more words of a closed set other than
 * `status`; all names and words that are printed as they are must be plain.
 */
function relax(name: string, node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node
  const { enum: words, additionalProperties: others, ...rest } = node as Readonly<Record<string, unknown>>
  const isClosed = words !== undefined && name === 'status'
  return {
    ...rest,
    ...(isClosed ? { enum: words } : (words !== undefined || PLAIN_WORDS.test(name)) && { pattern: PLAIN }),
    ...(typeof others === 'object' && { additionalProperties: others }),
    ...(rest['type'] === 'object' && !FREE_NAMES.test(name) && { propertyNames: { pattern: PLAIN } }),
  }
}

const shapes = new Map<Shape, object>()

/** Tells whether an answer has the shape of a component of the contract. */
function fits(shape: Shape, value: unknown): boolean {
  let schema = shapes.get(shape)
  if (schema === undefined) {
    const { components } = JSON.parse(readFileSync(CONTRACT, 'utf8')) as { components: object }
    schema = { components: JSON.parse(JSON.stringify(components), relax), $ref: `#/components/schemas/${shape}` }
    shapes.set(shape, schema)
  }
  return inputIssues(schema, value).length === 0
}
