import { readFileSync } from 'node:fs'
import type { Static, TSchema } from 'typebox'
import { computeAgreement } from '../audit/agreement.ts'
import { listCalls, readBatchCalls } from '../audit/calls.ts'
import { compare } from '../audit/comparison.ts'
import { listDisagreements } from '../audit/disagreements.ts'
import { disposeFindings, readFindings, signOff } from '../audit/findings.ts'
import { requireNames } from '../audit/names.ts'
import { readPanel } from '../audit/panel.ts'
import { makeReport } from '../audit/report/make-report.ts'
import { listReviews, storeReview } from '../audit/reviews.ts'
import { createStatisticsWorker } from '../audit/statistics-worker.ts'
import { endedPages, followResults, readBatchRubrics, toResults } from '../batches/follow.ts'
import { type IntakeItem, planOf } from '../batches/intake.ts'
import { buildContext } from '../boot/context.ts'
import type { Items } from '../client/calls.ts'
import type { Grade } from '../client/contract.ts'
import { ServiceError } from '../client/errors.ts'
import { followBatch, unlessAborted } from '../client/persist.ts'
import type {
  CreateOptions,
  GradeOptions,
  GradeRequest,
  LocalVeridict,
  ReadItem,
  Veridict,
} from '../client/veridict.ts'
import { findKeyed, gradeMany } from '../client/veridict.ts'
import { loadConfig } from '../config/config.ts'
import { defined } from '../domain/result.ts'
import { findRubric, rubricText, rubricView } from '../domain/rubric/claims.ts'
import { findUnsound, readStrictJson } from '../domain/text/json.ts'
import { summarize, type Trajectory, textSize } from '../domain/trajectory/trajectory.ts'
import { createInFlight } from '../grading/lane.ts'
import type { Context } from '../http/context.ts'
import { listJudges } from '../judges/judge.ts'
import { drain } from '../process/stop.ts'
import { AgreementCallSchema, RegradeRequestSchema } from '../schemas/agreement.ts'
import { type BatchItem, BatchItemSchema, BatchOptionsSchema } from '../schemas/batch.ts'
import { inputIssues, misfit } from '../schemas/check.ts'
import { faultAt, orNotFound, RequestError, storageRefusal } from '../schemas/problem.ts'
import {
  ComparisonQuery,
  decodeCursor,
  idOf,
  QueueQuery,
  ReportQuery,
  ReviewQuery,
  toPage,
} from '../schemas/queries.ts'
import { DispositionRequestSchema, FindingQuery, ReviewRequestSchema, SignoffRequestSchema } from '../schemas/review.ts'
import { GradeRequestSchema } from '../schemas/trial.ts'

/** The longest time between two looks at a batch: a look at the own database costs little. */
const LONGEST_LOOK_MS = 100
const SILENT = { info() {}, warn() {}, error() {} }

/** Makes a Veridict of a context, which `close` closes. Batches of earlier processes rest until they are resumed. @internal */
export function local(context: Context): LocalVeridict {
  const { batches, stores, service, config, clock } = context
  const inFlight = createInFlight()
  const closing = new AbortController()
  const statistics = createStatisticsWorker()
  let started: Promise<void> | null = null
  let closed: Promise<void> | null = null

  const answer = async <T>(work: () => T | Promise<T>, signal?: AbortSignal): Promise<T> => {
    closing.signal.throwIfAborted()
    return unlessAborted(inFlight.track((async () => work())()), signal).catch(fail)
  }
  async function* stream<T>(work: () => AsyncIterable<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
    closing.signal.throwIfAborted()
    try {
      for await (const value of work()) {
        signal?.throwIfAborted()
        yield value
      }
    } catch (error) {
      fail(error)
    }
  }
  /** Answers once the engine of batches has started. */
  const begin = <T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    answer(() => {
      started ??= context.start()
      return started.then(work)
    }, signal)
  const readBatch = async (id: string) => orNotFound(await batches.get(id), 'batch', id)

  const grade: LocalVeridict['grade'] = (request, { signal } = {}) =>
    answer(async () => (await service.grade(readRequest(request, config.limits.depth))).grade, signal)

  const plan = ({ signal: _, again: __, ...options }: CreateOptions) =>
    planOf(fitting(BatchOptionsSchema, options), null)
  const steer = (verb: 'cancel' | 'resume') => (id: string) =>
    begin(async () => {
      if (!orNotFound(await batches[verb](id), 'batch', id))
        throw new RequestError('batch_ended', `this batch has ended: there is nothing to ${verb}`)
      return readBatch(id)
    })
  const batch: LocalVeridict['batch'] = (id) => answer(() => readBatch(id))
  const listBatches: LocalVeridict['batches'] = ({ limit = 50, cursor, ...filters } = {}) =>
    answer(async () => {
      const before = decodeCursor(cursor, /^bat_[0-9a-z]{26}$/)
      return toPage(await batches.list({ ...filters, limit: limit + 1, ...defined({ before }) }), limit, idOf)
    })
  const regradeRequest = async (request: object) => {
    const asked = fitting(RegradeRequestSchema, request)
    await requireNames(context, asked.query, '/query')
    return asked
  }
  const close = (): Promise<void> => {
    closing.abort(new ServiceError(503, { code: 'draining', detail: 'this Veridict was closed' }))
    closed ??= drain({
      ...{ context, log: SILENT },
      finish: () => Promise.all([inFlight.settled(), started && context.stop(), statistics.close()]),
    })
    return closed
  }

  return {
    grade,
    gradeMany: (requests, options) => gradeMany(grade, requests, options),
    readGrade: (id) => answer(async () => orNotFound(await stores.grades.get(id), 'grade', id)),
    panel: (id) => answer(async () => (await readPanel(stores.grades, context.rubrics, id)).result),
    calls: (id) => answer(() => listCalls(stores, id, true)),
    overview: () => answer(() => stores.grades.overview({})),
    uploadTrajectory: (document, { signal } = {}) =>
      answer(async () => summarize((await service.upload(document)).trajectory), signal),
    createBatch: (items, options = {}) =>
      begin(async () => {
        const planned = plan(options)
        const known = options.again ? null : await findKeyed(listBatches, options)
        return known ?? batches.create(planned, incoming(items))
      }, options.signal),
    estimateBatch: (items, options = {}) =>
      answer(() => batches.estimate(plan(options), incoming(items)), options.signal),
    batch,
    batches: listBatches,
    cancel: steer('cancel'),
    resume: steer('resume'),
    results: (id, { signal, wait = false } = {}) =>
      stream(async function* () {
        await readBatch(id)
        const isOff = () => closing.signal.aborted || signal?.aborted === true
        const pages = wait ? followResults({ batches, clock, id, isOff }) : endedPages(batches, id)
        for await (const page of pages) yield* await toResults(stores.grades, page)
      }, signal),
    events: (id, { signal = closing.signal } = {}) =>
      followBatch(batch, id, AbortSignal.any([signal, closing.signal]), LONGEST_LOOK_MS),
    batchCalls: (id, { signal } = {}) =>
      stream(async function* () {
        await readBatch(id)
        yield* readBatchCalls(stores.attempts, id, true)
      }, signal),
    batchRubrics: (id) => answer(async () => readBatchRubrics(stores.batches, await readBatch(id), context.rubrics)),
    regrade: (request) => begin(async () => batches.regrade(await regradeRequest(request))),
    estimateRegrade: (request) => answer(async () => batches.estimateRegrade(await regradeRequest(request))),
    compare: (query) => answer(() => compare(context, statistics.run, fitting(ComparisonQuery, query))),
    report: (query = {}) => answer(() => makeReport(context, statistics.run, fitting(ReportQuery, query))),
    agreement: (call) => answer(() => computeAgreement(context, statistics.run, fitting(AgreementCallSchema, call))),
    disagreements: (query = {}) => answer(() => listDisagreements(context, fitting(QueueQuery, query))),
    reviews: (query = {}) => answer(() => listReviews(context, fitting(ReviewQuery, query))),
    findings: (id, query = {}) => answer(() => readFindings(context, id, fitting(FindingQuery, query).class)),
    dispose: (id, body) => answer(() => disposeFindings(context, id, fitting(DispositionRequestSchema, body))),
    signOff: (id, body) => answer(() => signOff(context, id, fitting(SignoffRequestSchema, body))),
    review: (id, review) => answer(() => storeReview(context, id, fitting(ReviewRequestSchema, review))),
    listJudges: () => answer(() => listJudges(context, config.default_judge)),
    listRubrics: () => answer(() => [...context.rubrics.values()].map(rubricView)),
    readRubric: (id) => answer(() => rubricText(orNotFound(findRubric(context.rubrics, id), 'rubric', id))),
    close,
    [Symbol.asyncDispose]: close,
    limits: config.limits,
    shares_batches: stores.run_lock === null,
    // On PostgreSQL the state of a batch itself names a missing worker.
    hasRunner: () => stores.run_lock?.isTaken() ?? true,
    runsElsewhere: () => stores.run_lock === null || (stores.run_lock.isTaken() && !stores.run_lock.take()),
  }
}

/** Passes on a value that fits its schema. Throws a RequestError for another value. */
function fitting<S extends TSchema>(schema: S, value: object): Static<S> {
  const issues = inputIssues(schema, value)
  if (issues.length > 0) throw misfit('', issues)
  return value as Static<S>
}

/** Throws the error that a caller of a service would get. */
function fail(error: unknown): never {
  const refusal = storageRefusal(error) ?? error
  if (!(refusal instanceof RequestError)) throw error
  const { status, code, message: detail, extras } = refusal
  throw new ServiceError(status, { code, detail, errors: [...(extras.errors ?? [])] })
}

async function* incoming(items: Items<BatchItem | ReadItem>): AsyncGenerator<IntakeItem> {
  let index = 0
  for await (const given of typeof items === 'function' ? items() : items) {
    const isRead = (value: object | null): value is ReadItem => 'item' in Object(value)
    const { item, trajectory: read } = isRead(given) ? given : { item: given, trajectory: null }
    const trajectory = read !== null && 'format' in read && 'warnings' in read ? (read as Trajectory) : null
    const place = `/items/${index}`
    const { trajectory: _document, ...rest } = Object(item)
    const unsound = findUnsound(trajectory === null ? item : rest)
    const issues = unsound.length > 0 ? unsound : inputIssues(BatchItemSchema, item)
    if (issues.length > 0) throw misfit(place, issues, `line ${index + 1}`)
    yield { item, place, trajectory, bytes: trajectory === null ? 0 : textSize(trajectory) }
    index++
  }
}

/** Reads and checks a request as the service does with its body, of any size. Throws a RequestError. */
function readRequest(request: unknown, depth: number): GradeRequest {
  let text: string
  try {
    text = JSON.stringify(request) ?? 'null'
  } catch {
    // A circular value, a BigInt, or too deep a nesting.
    throw new RequestError('invalid_json', 'the request cannot be written as JSON')
  }
  const read = readStrictJson(Buffer.from(text), depth)
  if (!read.ok) throw faultAt(read.error.path, read.error.message, read.error.code)
  return fitting(GradeRequestSchema, read.value as object) as GradeRequest
}

/** Options of `openVeridict`. Without any, the lexical judge grades, and nothing is written to disk. */
export interface OpenOptions {
  /**
   * The file of the SQLite database, made if it is missing, or the `postgres://` URL of a PostgreSQL: it keeps grades, judge calls and
   * trajectories, and answers equal requests. Without it they stay in memory until `close`.
   */
  readonly database?: string
  /** The configuration file (docs/configuration.md); default: `VERIDICT_CONFIG` of `env`. */
  readonly config?: string
  /** Replaces `process.env`: keys of judges, such as `OPENAI_API_KEY`, and the variables of docs/configuration.md except the database. */
  readonly env?: Readonly<Record<string, string | undefined>>
}

/**
 * Opens Veridict within this process.
 *
 * @example
 * ```ts
 * await using veridict = await openVeridict({ database: 'grades.sqlite' })
 * for await (const item of veridict.gradeMany(requests)) console.log(item.index, item.ok ? item.grade.label : item.error.message)
 * ```
 * @throws {Error} naming the variable, line of the file, or database that cannot be used, and the reason
 */
export async function openVeridict(options: OpenOptions = {}): Promise<LocalVeridict> {
  const { config, secrets } = loadConfig(environmentOf(options), (path) => readFileSync(path, 'utf8'))
  return local(await buildContext({ config, secrets, adopts_batches: false }))
}

/** Makes the environment of the configuration. The caller alone names the database: a script must not write into that of a service. */
function environmentOf({ database = ':memory:', config, env = process.env }: OpenOptions): NodeJS.ProcessEnv {
  const isServer = /^postgres(?:ql)?:/.test(database)
  return {
    ...env,
    VERIDICT_DATABASE: isServer ? '' : database,
    VERIDICT_DATABASE_URL: isServer ? database : '',
    ...(config !== undefined && { VERIDICT_CONFIG: config }),
  }
}

/** Grades after which the memory for equal requests is freed. */
const MOST_GRADES = 1000

let shared: Promise<Veridict> | null = null
let begun = 0

/**
 * Grades one trial in this process, with the judges that the environment has keys for; without any, with the lexical judge. Nothing is written
 * to disk. `options` overrides the members of the request.
 *
 * @example
 * ```ts
 * const { status, label } = await grade({ trajectory, ground_truth })
 * ```
 * @returns a grade: `graded` with a label, `unverified`, or `failed` for a failed judge
 * @throws {ServiceError} for a request that cannot be graded
 * @throws {Error} for an environment that cannot be used
 */
export async function grade(request: GradeRequest, options: GradeOptions = {}): Promise<Grade> {
  if (begun++ % MOST_GRADES === 0) {
    // The grades of the old Veridict have begun by the next turn, and its `close` waits for them.
    shared?.then((old) => setImmediate(() => void old.close())).catch(() => undefined)
    shared = null
  }
  shared ??= openVeridict()
  shared.catch(() => {
    shared = null
  })
  return (await shared).grade({ ...request, ...options })
}
