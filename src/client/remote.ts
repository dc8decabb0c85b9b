import { Compile } from 'typebox/schema'
import { type CallsOptions, createCalls, type Given, type Items, makeKey, type Name } from './calls.ts'
import { type BatchItem, type components, SHAPES } from './contract.ts'
import { ServiceError, strangeAnswer } from './errors.ts'
import { type CallOptions, followBatch, isLost, isSettled, persist, retrying } from './persist.ts'
import type { CreateOptions, ReadItem, RemoteVeridict, Veridict } from './veridict.ts'
import { findKeyed, gradeMany } from './veridict.ts'

type Schemas = components['schemas']
type Shape = keyof Schemas

/** Options of `remote`. `timeoutMs` is 15 minutes by default. */
export type RemoteOptions = Omit<CallsOptions, 'baseUrl' | 'token'>

/**
 * Makes a Veridict of a running service, by the client that is generated from its OpenAPI document, for Node.js, Deno, Bun and browsers. Each answer
 * is checked against the document: the answer of another program is a `ServiceError` with status 200.
 */
export function remote(url: string, key?: string, options: RemoteOptions = {}): RemoteVeridict {
  if (!/^https?:[^\p{C}\s]+$/u.test(url) || !URL.canParse(url))
    throw new TypeError(
      `"${url.replace(/^.*@/s, '')}" is not the address of a service: an address looks like http://127.0.0.1:8787`,
    )
  const { call, lines, upload, policy } = createCalls({ timeoutMs: 900_000, ...options, baseUrl: url, token: key })
  const refuse = (): never => {
    throw strangeAnswer('strange_answer', `${url} answered JSON that says something else than was asked`)
  }
  const check = <S extends Shape>(shape: S, value: unknown): Schemas[S] =>
    fits(shape, value) ? (value as Schemas[S]) : refuse()
  const ask = async <S extends Shape, N extends Name>(
    shape: S,
    name: N,
    given: Given<N> | object = {},
    { signal }: CallOptions = {},
  ): Promise<Schemas[S]> => check(shape, await call(name, given as never, { signal } as never))
  const readGrade: Veridict['readGrade'] = (id, options) => ask('Grade', 'getGrade', { path: { id } }, options)
  const batch: Veridict['batch'] = (id, options) => ask('Batch', 'getBatch', { path: { id } }, options)
  const batches: Veridict['batches'] = (query = {}, options) => ask('BatchPage', 'listBatches', { query }, options)
  const grade: Veridict['grade'] = async (body, options) => {
    try {
      const made = await ask('Grade', 'createGrade', { body }, options)
      // The service answers a failed judge by a refusal.
      return made.status === 'failed' ? refuse() : made
    } catch (error) {
      if (!(error instanceof ServiceError) || error.gradeId === null) throw error
      return readGrade(error.gradeId, options).catch(() => {
        options?.signal?.throwIfAborted()
        // A caller without the stored grade, like a key that may not read grades, learns of the failed judge by the refusal.
        throw error
      })
    }
  }

  /** Returns the policy of sending items: items that cannot be read again are sent once. */
  const policyOf = (items: Items<unknown>) =>
    Array.isArray(items) || typeof items === 'function' ? policy : { ...policy, tries: 1 }

  async function createBatch(items: Items<BatchItem | ReadItem>, { again = false, ...options }: CreateOptions = {}) {
    const { signal, ...query } = options
    const known = again ? null : await findKeyed(batches, options)
    if (known !== null) return known
    // The key finds a batch whose answer was lost; a caller that tries once does not look for it.
    const key = query.key ?? (policy.tries > 1 ? makeKey() : undefined)
    const isNew = again && query.key !== undefined
    let lost: unknown = null
    /** Finds the stored batch whose answer was lost. Throws where the batch may still be stored; an earlier batch of the key is not the batch. */
    const findLost = async () => {
      const stored = isNew ? null : await findKeyed(batches, { key, signal }).catch(() => undefined)
      signal?.throwIfAborted()
      if (stored === undefined || (stored === null && lost instanceof ServiceError)) throw lost
      return stored
    }
    const sendOnce = async () => {
      let stored = lost === null ? null : await findLost()
      try {
        stored ??= check('Batch', await upload(itemsOf(items), { ...query, ...(key !== undefined && { key }) }, signal))
      } catch (error) {
        if (isLost(error)) {
          lost = error
          stored = await findLost()
        }
        if (stored === null) throw error
      }
      return stored
    }
    return retrying(policyOf(items), { signal, canRepeat: !isNew }, sendOnce)
  }

  /** Yields the results of a stream that is opened again after it breaks. */
  function readResults(id: string, { signal, wait = false }: CallOptions & { readonly wait?: boolean } = {}) {
    // A stream that is opened again begins with the results that were yielded before.
    const seen = new Set<number>()
    let wasSettled = false
    return persist(async function* (answered) {
      const given = { path: { id }, query: wait ? { wait } : {} }
      for await (const line of lines('readResults', given, signal, wait ? answered : undefined)) {
        const result = check('BatchResult', line)
        if (!seen.has(result.index)) yield result
        seen.add(result.index)
      }
      if (!wait) return true
      // A service that stops ends its streams, too; and the batch may have ended since, on another service.
      const state = await batch(id, { signal })
      const { total, pending, running } = state.counts
      const isWhole = isSettled(state) && (wasSettled || seen.size >= total - pending - running)
      wasSettled = isSettled(state)
      return isWhole
    }, signal)
  }

  async function* batchCalls(id: string, { signal }: CallOptions = {}) {
    for await (const line of lines('readBatchAttempts', { path: { id }, query: { raw: true } }, signal))
      yield check('BatchCall', line)
  }
  const close = async (): Promise<void> => undefined

  return {
    call,
    grade,
    gradeMany: (requests, options) => gradeMany(grade, requests, options),
    readGrade,
    panel: async (id, options) => (await ask('Panel', 'listPanel', { path: { id } }, options)).result,
    calls: async (id, options) =>
      (await ask('LedgerEntryList', 'listAttempts', { path: { id }, query: { raw: true } }, options)).items,
    overview: () => ask('GradeOverview', 'overviewGrades'),
    uploadTrajectory: (body, options) => ask('TrajectorySummary', 'uploadTrajectory', { body }, options),
    createBatch,
    estimateBatch: (items, { signal, again: _, ...query } = {}) =>
      retrying(policyOf(items), { signal, canRepeat: true }, async () =>
        check('BatchEstimate', await upload(itemsOf(items), { ...query, dry_run: true }, signal)),
      ),
    batch,
    batches,
    cancel: (id) => ask('Batch', 'cancelBatch', { path: { id } }),
    resume: (id) => ask('Batch', 'resumeBatch', { path: { id } }),
    results: readResults,
    events: (id, { signal } = {}) => followBatch(batch, id, signal),
    batchCalls,
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
  for await (const given of typeof items === 'function' ? items() : items)
    yield ((given as Partial<ReadItem> | null)?.item ?? given) as BatchItem
}

/** Words that are printed as they are: ids, times, the words of closed sets, and names of members. */
const PLAIN = '^[!-~]{1,200}$'
const PLAIN_WORDS = /^(?:id|grade_id|base_grade_id|\w+_at|ends_by)$/
/** Labels, which a rater may have named. */
const LABEL = '^\\P{C}{1,200}$'
/** Objects whose members anybody may name. */
const FREE_NAMES = /^(?:metadata|prevalence|properties)$/

/** Relaxes a schema for newer services: more members, more words of closed sets but `status`. Words that are printed must be plain. */
function relax(name: string, node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return node
  const { enum: words, additionalProperties: others, ...rest } = node as Readonly<Record<string, unknown>>
  const isClosed = words !== undefined && name === 'status'
  const isPlain = words !== undefined || PLAIN_WORDS.test(name)
  return {
    ...rest,
    ...(isClosed ? { enum: words } : isPlain && { pattern: PLAIN }),
    ...(name === 'label' && { pattern: LABEL }),
    ...(typeof others === 'object' && { additionalProperties: others }),
    ...(rest['type'] === 'object' && !FREE_NAMES.test(name) && { propertyNames: { pattern: PLAIN } }),
  }
}

const checks = new Map<Shape, { Check(value: unknown): boolean }>()

/** Tells whether an answer has the shape of a component of the contract. A page whose policy forbids `eval` checks slower. */
function fits(shape: Shape, value: unknown): boolean {
  const relaxed = () => ({ components: { schemas: JSON.parse(JSON.stringify(SHAPES), relax) } })
  const made = checks.get(shape) ?? Compile({ ...relaxed(), $ref: `#/components/schemas/${shape}` })
  checks.set(shape, made)
  return made.Check(value)
}
