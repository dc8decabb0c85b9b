import {
  type Batch,
  type BatchEstimate,
  type BatchItem,
  type BatchResult,
  type Grade,
  OPERATIONS,
  type Operations,
} from './contract.ts'
import { ServiceError, UnreachableError, VeridictError } from './errors.ts'
import { endedOf, followBatch, isSettled, readStates } from './follow.ts'
import { type FailedGrade, failedGrade, type GivenGrade, type GradeOutcome, type GradeRequest } from './grade.ts'
import { chunksOf, readLines } from './lines.ts'
import { persist, type RetryPolicy, retrying } from './persist.ts'
import { SeenResults } from './results.ts'
import { type Sent, send, sendForText, unbroken } from './send.ts'
import { type Items, makeKey, parseJson, startBatch, uploadItems } from './start-batch.ts'

export type * from './contract.ts'
export type { FailedGrade, GivenGrade, GradeOutcome, GradeRequest, Items, RetryPolicy }
export { isSettled, ServiceError, UnreachableError, VeridictError }

export interface ClientOptions {
  /** Where the service is, like `http://127.0.0.1:8787`. */
  readonly baseUrl: string
  /** A key, `vk_…`; its project is the project that is worked in. */
  readonly token?: string
  readonly fetch?: typeof fetch
  /** How long one answer may take, streams apart; default 15 minutes. */
  readonly timeoutMs?: number
  /** Default: four tries, and no wait over a minute. */
  readonly retries?: Partial<RetryPolicy>
}

export interface CallOptions {
  /** Ends the call, with its reason. */
  readonly signal?: AbortSignal | undefined
}

export interface GradeOptions extends CallOptions {
  /** The first success under this key is stored, and replayed to the same request. */
  readonly idempotencyKey?: string
}

/** Of an operation’s input, as it is sent. */
interface Parts {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: object
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

type Query = NonNullable<Operations['createBatch']['given']['query']>

/** How a batch is graded, and what it may cost. `key`: the same key is the same batch. */
export type BatchOptions = Omit<Query, 'dry_run'> & CallOptions

export interface ResultOptions extends CallOptions {
  /** False: only what has ended by now. Default: until nothing more will end by itself. */
  readonly wait?: boolean
}

/** What an operation of the contract takes: `path`, `query`, `body`, `headers`. */
export type Given<Name extends keyof Operations> = Operations[Name]['given']
export type Answer<Name extends keyof Operations> = Operations[Name]['answer']
type CallArguments<Name extends keyof Operations> =
  Record<never, never> extends Given<Name>
    ? [given?: Given<Name>, options?: CallOptions]
    : [given: Given<Name>, options?: CallOptions]

const one = (id: string): string => `/v1/batches/${encodeURIComponent(id)}`

/** The service knows them again, or they change nothing. */
const REPEATABLE: readonly (keyof Operations)[] = ['createGrade', 'uploadTrajectory', 'computeAgreement']

const isRefresh = (body: unknown): boolean => (body as Partial<GradeRequest> | undefined)?.cache === 'refresh'

const TIMEOUT_MS = 900_000
const RETRIES: RetryPolicy = { tries: 4, longestWaitMs: 60_000 }

/**
 * A client of a Veridict service, for Node.js, Deno, Bun and browsers: it needs `fetch` and nothing else.
 *
 * Every function throws a `ServiceError` where the service refuses (with `code`, `status` and the places that are wrong), an
 * `UnreachableError` where it does not answer, and the signal’s reason where that ends it.
 */
export type Client = ReturnType<typeof createClient>

export function createClient(options: ClientOptions) {
  const { baseUrl: base, token: key, timeoutMs = TIMEOUT_MS } = options
  // The error of a header would show it.
  if (key !== undefined && !/^[!-~]+$/.test(key)) throw new TypeError('the token is not a key: a key looks like vk_…')
  // The error of fetch would show them.
  if (URL.canParse(base) && (new URL(base).username !== '' || new URL(base).password !== ''))
    throw new TypeError('the address of the service holds a password: give the key as token')
  const policy = { ...RETRIES, ...options.retries }
  const target = { base, key, fetcher: options.fetch ?? fetch, timeoutMs }

  /** Any operation of the contract that answers with JSON, by its `operationId`. */
  async function call<Name extends keyof Operations>(name: Name, ...args: CallArguments<Name>): Promise<Answer<Name>> {
    const [given, { signal } = {}] = args as [Parts | undefined, CallOptions?]
    const [method, template] = OPERATIONS[name]
    const path = template.replace(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(String(given?.path?.[part])))
    // Without `refresh` the cache and the request in flight do what the key does.
    const once = name === 'createGrade' && isRefresh(given?.body) ? { 'idempotency-key': makeKey() } : {}
    const sent: Sent = {
      signal,
      headers: { ...once, ...given?.headers },
      ...(given?.query !== undefined && { query: given.query }),
      ...(given?.body !== undefined && { body: JSON.stringify(given.body), type: 'application/json' }),
    }
    const canRepeat = method === 'GET' || REPEATABLE.includes(name) || sent.headers?.['idempotency-key'] !== undefined
    const text = await retrying(policy, { signal, canRepeat }, () => sendForText(target, method, path, sent))
    return parseJson(base, text) as Answer<Name>
  }

  /** The newest batch with this key that was not cancelled. */
  async function findBatch(name: string, { signal }: CallOptions = {}): Promise<Batch | null> {
    const { items } = await call('listBatches', { query: { key: name } }, { signal })
    return items.find(({ status }) => status !== 'cancelled' && status !== 'cancelling') ?? null
  }

  const readBatch = (id: string, signal?: AbortSignal): Promise<Batch> => call('getBatch', { path: { id } }, { signal })

  /** The states of a batch over one connection. */
  async function* events(id: string, signal?: AbortSignal): AsyncGenerator<Batch> {
    const response = await send(target, 'GET', `${one(id)}/events`, { signal, accept: 'text/event-stream' })
    for await (const text of unbroken(base, readStates(response.body), signal)) yield parseJson(base, text) as Batch
  }

  return {
    call,

    /**
     * Grades one trajectory. A judge that fails is no exception: the outcome’s `status` is `failed` then, and its `failure` says why and when to
     * try again. A request that is sent again after a broken connection is paid for once.
     */
    async grade(request: GradeRequest, { signal, idempotencyKey }: GradeOptions = {}): Promise<GradeOutcome> {
      const headers = idempotencyKey === undefined ? undefined : { 'idempotency-key': idempotencyKey }
      const given = { body: request, ...(headers !== undefined && { headers }) }
      try {
        const grade = await call('createGrade', given, { signal })
        if (grade?.status === 'graded' || grade?.status === 'unverified') return grade as GivenGrade
        const detail = `${base} answered something that is no grade: is this a Veridict service?`
        throw new ServiceError(200, { code: 'not_a_grade', detail })
      } catch (error) {
        const failed = error instanceof ServiceError ? failedGrade(error) : null
        if (failed === null) throw error
        return failed
      }
    },

    /** A stored grade, whatever its status. */
    readGrade: (id: string, options: CallOptions = {}): Promise<Grade> => call('getGrade', { path: { id } }, options),

    /**
     * Starts a batch; resolves once all items are stored. They are sent while they are read, so that any number of them fits in memory (browsers
     * cannot do that, and hold them). One fault refuses the whole batch, and `errors` of the `ServiceError` names its place, like
     * `/items/41/ground_truth/cue`.
     *
     * With a `key`, a batch that has it already and was not cancelled is answered instead, and no item is read. Items in an array, or in what a
     * function gives, are sent again where the service is busy or the connection breaks; others cannot be read twice.
     */
    batch: (items: Items<BatchItem>, { signal, ...query }: BatchOptions = {}): Promise<Batch> =>
      startBatch({ target, policy, find: (name) => findBatch(name, { signal }) }, items, query, signal),

    /** What a batch would take; nothing is asked and nothing is kept. */
    async estimate(items: Items<BatchItem>, { signal, ...query }: BatchOptions = {}): Promise<BatchEstimate> {
      return parseJson(base, await uploadItems(target, items, { ...query, dry_run: true }, signal)) as BatchEstimate
    },

    findBatch,
    readBatch: (id: string, { signal }: CallOptions = {}) => readBatch(id, signal),
    cancelBatch: (id: string, options: CallOptions = {}): Promise<Batch> =>
      call('cancelBatch', { path: { id } }, options),
    /** Lets a parked batch go on. */
    resumeBatch: (id: string, options: CallOptions = {}): Promise<Batch> =>
      call('resumeBatch', { path: { id } }, options),

    /** A batch as it goes, until nothing more will happen by itself; its last state comes last. Connections that break are opened again. */
    progress: (id: string, { signal }: CallOptions = {}): AsyncGenerator<Batch> =>
      followBatch({ readBatch, events }, id, signal),

    /**
     * The results of a batch, one after another, in the order of its items: each once, and all, also where connections break. Leaving the loop
     * ends the request.
     */
    results(id: string, { signal, wait = true }: ResultOptions = {}): AsyncGenerator<BatchResult> {
      const seen = new SeenResults()
      let wasSettled = false
      return persist(async function* (answered) {
        const query = wait ? { wait } : {}
        const response = await send(target, 'GET', `${one(id)}/results`, { query, signal })
        answered()
        for await (const line of unbroken(base, readLines(chunksOf(response.body)), signal)) {
          const result = parseJson(base, line) as BatchResult
          if (seen.add(result)) yield result
        }
        if (!wait) return true
        // A service that stops ends its streams, too; and the batch may have ended since, on another one.
        const batch = await readBatch(id, signal)
        const isWhole = isSettled(batch) && (wasSettled || seen.count >= endedOf(batch))
        wasSettled = isSettled(batch)
        return isWhole
      }, signal)
    },
  }
}
