import { planOf } from '../../batches/batch-plan.ts'
import { readBatchRubrics } from '../../batches/batch-rubrics.ts'
import { endedPages, followBatch, followResults, toResults } from '../../batches/follow.ts'
import type { Incoming } from '../../batches/intake.ts'
import type { App } from '../../boot/app.ts'
import { ServiceError } from '../../client/errors.ts'
import { findUnstorable } from '../../domain/text/strict-json.ts'
import { textSize } from '../../domain/trajectory/text-size.ts'
import type { Refusal } from '../../grading/service.ts'
import type { Context } from '../../http/context.ts'
import type { InFlight } from '../../http/guard/drain.ts'
import { HttpProblem, notFound, refusalProblem } from '../../http/problem.ts'
import { BatchItemSchema, type BatchOptions, BatchOptionsSchema } from '../../schemas/batch.ts'
import { inputIssues } from '../../schemas/check.ts'
import type { Client, ReadItem } from './client.ts'

/** Milliseconds between two states of a batch. */
const EVERY_MS = 50

/** Makes the `fetch` of a service in this process, which is built at the first request. No port is opened. */
export function fetchWithin(openApp: () => Promise<App>): typeof fetch {
  return async (input) => {
    const { http } = await openApp()
    const request = new Request(input)
    const { pathname, search } = new URL(request.url)
    const { Readable } = process.getBuiltinModule('node:stream')
    const response = await http.inject({
      method: request.method === 'POST' ? 'POST' : 'GET',
      url: pathname + search,
      headers: Object.fromEntries(request.headers),
      payload: await request.text(),
      payloadAsStream: true,
      signal: request.signal,
    })
    const body = Readable.toWeb(response.stream()) as ReadableStream<Uint8Array>
    const { 'content-length': _, ...headers } = response.headers
    return new Response(body, { status: response.statusCode, headers: headers as Record<string, string> })
  }
}

/** Makes the calls of batches without HTTP between: the service receives the trials as the command reads them. */
export function localCalls(context: Context, inFlight: InFlight): Partial<Client> {
  const { batches, stores } = context
  const read = async (id: string) => (await batches.get(id)) ?? fail(notFound('batch', id))
  const readChanged = async (id: string, done: boolean | null, verb: string) => {
    if (done === null) fail(notFound('batch', id))
    if (done === false) fail(new HttpProblem(409, 'batch_ended', `this batch has ended: there is nothing to ${verb}`))
    return read(id)
  }
  return {
    async createBatch(options, items, signal) {
      checkOptions(options)
      const created = await unlessAborted(
        inFlight.track(batches.create(planOf(options, null), incoming(items))),
        signal,
      )
      return created.ok ? created.batch : refuse(created.refusal)
    },
    async estimateBatch(options, items, signal) {
      checkOptions(options)
      const estimated = await unlessAborted(batches.estimate(planOf(options, null), incoming(items)), signal)
      return estimated.ok ? estimated.estimate : refuse(estimated.refusal)
    },
    async findBatches({ limit = MOST_FOUND, cursor, ...query }) {
      const found = await batches.list({ ...query, limit: limit + 1, ...(cursor !== undefined && { before: cursor }) })
      const items = found.slice(0, limit)
      return { items, next_cursor: found.length > limit ? (items.at(-1)?.id ?? null) : null }
    },
    readBatch: read,
    cancelBatch: async (id) => readChanged(id, await batches.cancel(id), 'cancel'),
    resumeBatch: async (id) => readChanged(id, await batches.resume(id), 'resume'),
    async *results(id, signal, wait = false) {
      await read(id)
      const following = { batches, clock: context.clock, id, isOff: () => signal?.aborted === true }
      for await (const page of wait ? followResults(following) : endedPages(batches, id)) {
        signal?.throwIfAborted()
        yield* await toResults(stores.grades, page)
      }
    },
    batchRubrics: async (id) => readBatchRubrics(stores.batches, await read(id), context.rubrics),
    async *events(id, signal) {
      const states = followBatch({ batches, clock: context.clock, id, isOff: () => signal.aborted }, EVERY_MS)
      for (;;) {
        const { done, value } = await unlessAborted(states.next(), signal)
        if (done === true) return
        if (value !== null) yield value
      }
    },
  }
}

const MOST_FOUND = 50

async function* incoming(items: AsyncIterable<ReadItem>): AsyncGenerator<Incoming> {
  let index = 0
  for await (const { item, trajectory } of items) {
    const place = `/items/${index}`
    const { trajectory: _document, ...rest } = item
    const fault = findUnstorable(trajectory === null ? item : rest)
    const issues = fault === null ? inputIssues(BatchItemSchema, item) : [fault]
    if (issues.length > 0) fail(unfit(index, issues))
    yield { item, place, trajectory, bytes: trajectory === null ? 0 : textSize(trajectory) }
    index++
  }
}

/** Checks the options as the service does. */
function checkOptions(options: BatchOptions): void {
  const errors = inputIssues(BatchOptionsSchema, options)
  if (errors.length > 0)
    fail(new HttpProblem(400, 'invalid_request', 'the request does not fit its schema', { errors }))
}

const unfit = (index: number, issues: readonly { readonly path: string; readonly message: string }[]) =>
  new HttpProblem(400, 'invalid_request', `line ${index + 1} does not fit its schema`, {
    errors: issues.map(({ path, message }) => ({ path: `/items/${index}${path}`, message })),
  })

const refuse = (refusal: Refusal): never => fail(refusalProblem(refusal))

/** Throws the error that the service would answer over HTTP. */
function fail({ status, code, message, extras }: HttpProblem): never {
  throw new ServiceError(status, { code, detail: message, errors: [...(extras.errors ?? [])] })
}

/** Rejects at once when the command ends; the work goes on to its next stop. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const stop = () => reject(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  return await Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop))
}
