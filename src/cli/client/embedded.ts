import { endedPages, followResults, toResults } from '../../batches/follow.ts'
import { type Incoming, planOf } from '../../batches/intake.ts'
import type { App } from '../../boot/app.ts'
import { buildContext } from '../../boot/context.ts'
import { storeOf } from '../../boot/open-store.ts'
import { ServiceError } from '../../client/errors.ts'
import { findUnstorable } from '../../domain/text/strict-json.ts'
import { textSize } from '../../domain/trajectory/text-size.ts'
import type { Refusal } from '../../grading/service.ts'
import type { Context } from '../../http/context.ts'
import { createInFlight, type InFlight } from '../../http/plugins/drain.ts'
import { misfit } from '../../http/plugins/errors.ts'
import { type HttpProblem, notFound, refusalProblem } from '../../http/problem.ts'
import type { Judge } from '../../ports/judge.ts'
import { drain } from '../../process/stop.ts'
import { BatchItemSchema, type BatchOptions, BatchOptionsSchema } from '../../schemas/batch.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type Client, createClient, type ReadItem } from './client.ts'
import { assertDatabase, assertMigrated, configurationOf, hasDatabase } from './database.ts'
import type { DatabaseUse, ServiceConnection } from './shell.ts'

/**
 * Starts the service inside this process. Batches of other processes rest until the command resumes them. Rejects where the command needs a
 * database and none exists. `judges` stand beside the configured judges, for measurements.
 */
export async function startEmbedded(
  env: NodeJS.ProcessEnv,
  use: DatabaseUse = 'make',
  judges: readonly Judge[] = [],
): Promise<ServiceConnection> {
  const used = use === 'none' ? { ...env, VERIDICT_DATABASE: ':memory:', VERIDICT_DATABASE_URL: '' } : env
  const { config: given, secrets } = configurationOf(used)
  if (use === 'read' || use === 'look') assertDatabase(given)
  if (use === 'look') await assertMigrated(storeOf(given, secrets))
  if (use === 'look_any' && !(hasDatabase(given) && (await storeOf(given, secrets).isMigrated())))
    return await startEmbedded(env, 'none', judges)
  // Only this command reaches the service, and the command can read the database: no key is needed.
  const config = { ...given, access: { ...given.access, required: false, loopback: true, allowed_hosts: [] } }
  const context = await buildContext({ config, secrets, adopts_batches: false, judges })
  let opened: Promise<App> | null = null
  const openApp = async (): Promise<App> => (await import('../../boot/app.ts')).buildApp(context, { logger: false })
  const routes = createClient(
    WITHIN,
    undefined,
    fetchWithin(() => {
      opened ??= openApp()
      return opened
    }),
  )
  const inFlight = createInFlight()
  await context.start()
  return {
    client: { ...routes, ...localCalls(context, inFlight) },
    url: 'this process',
    embedded: true,
    flag: '',
    limits: given.limits,
    // On PostgreSQL the state of a batch itself names a missing worker.
    hasRunner: () => context.stores.run_lock?.isTaken() ?? true,
    shares: context.stores.run_lock === null,
    async close() {
      const app = await opened
      if (app !== null) app.state.draining = true
      await drain({
        context,
        log: SILENT,
        finish: () => Promise.all([app?.http.close(), context.stop(), inFlight.settled()]),
      })
    },
  }
}

/** Never resolved: the address only completes paths. */
const WITHIN = 'http://localhost'
const SILENT = { info() {}, warn() {}, error() {} }

/** Makes the `fetch` of a service in this process, which is built at the first request. No port is opened. */
function fetchWithin(openApp: () => Promise<App>): typeof fetch {
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

/** Makes the calls that follow a batch without HTTP between: the service receives the trials as the command reads them. */
export function localCalls(context: Context, inFlight: InFlight): Partial<Client> {
  const { batches, stores } = context
  const read = async (id: string) => (await batches.get(id)) ?? fail(notFound('batch', id))
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
    readBatch: read,
    async *results(id, signal, wait = false) {
      await read(id)
      const following = { batches, clock: context.clock, id, isOff: () => signal?.aborted === true }
      for await (const page of wait ? followResults(following) : endedPages(batches, id)) {
        signal?.throwIfAborted()
        yield* await toResults(stores.grades, page)
      }
    },
  }
}

async function* incoming(items: AsyncIterable<ReadItem>): AsyncGenerator<Incoming> {
  let index = 0
  for await (const { item, trajectory } of items) {
    const place = `/items/${index}`
    const { trajectory: _document, ...rest } = item
    const fault = findUnstorable(trajectory === null ? item : rest)
    const issues = fault === null ? inputIssues(BatchItemSchema, item) : [fault]
    if (issues.length > 0) fail(misfit(place, issues, `line ${index + 1}`))
    yield { item, place, trajectory, bytes: trajectory === null ? 0 : textSize(trajectory) }
    index++
  }
}

/** Checks the options as the service does. */
function checkOptions(options: BatchOptions): void {
  const issues = inputIssues(BatchOptionsSchema, options)
  if (issues.length > 0) fail(misfit('', issues))
}

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
