import { Writable } from 'node:stream'
import type { InjectOptions, LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { beforeAll, beforeEach, expect, onTestFinished, TestRunner } from 'vitest'
import { createKey, type KeyPlan, type Scope } from '../src/access/keys.ts'
import { createStatisticsWorker, type StatisticsWorker } from '../src/audit/statistics-worker.ts'
import { type App, buildApp } from '../src/boot/app.ts'
import { buildContext } from '../src/boot/context.ts'
import { type Config, loadConfig } from '../src/config/config.ts'
import { loadConfiguredRubrics } from '../src/config/rubrics.ts'
import type { Limits } from '../src/config/settings.ts'
import type { Context } from '../src/http/context.ts'
import type { Judge } from '../src/judges/judge.ts'
import type { Tracing } from '../src/telemetry/tracing.ts'
import { expectDeclared } from './http/contract.ts'
import { migratedDatabase } from './storage/temp-folder.ts'

type Headers = Record<string, string>

/** Shipped rubrics, read once for all applications of a worker. */
const SHIPPED = loadConfiguredRubrics([])

/** One process computes the statistics of all applications of a worker: its start takes a second. */
const STATISTICS: StatisticsWorker = { ...createStatisticsWorker(), close: () => Promise.resolve() }

/** Application of a test. `send`, `post` and `get` expect that the OpenAPI document declares the answer. */
export interface TestApp extends App {
  readonly context: Context
  readonly logs: string[]
  send(options: InjectOptions): Promise<LightMyRequestResponse>
  post(path: string, body?: unknown, headers?: Headers): Promise<LightMyRequestResponse>
  get(path: string, headers?: Headers): Promise<LightMyRequestResponse>
  /** Reads the JSON body of an answer, or its list, and expects that the answer is good. */
  read<T>(path: string): Promise<T>
  list<T>(path: string): Promise<T[]>
  /** Posts, expects the status, and reads the JSON body of the answer. */
  tell<T>(path: string, body: unknown, status?: number): Promise<T>
  /** Listens on a free port of loopback, once; answers the origin. */
  listen(): Promise<string>
  /** Creates a key with these scopes; answers its token. */
  give(scopes?: readonly Scope[], more?: Partial<KeyPlan>): Promise<string>
  /** Signs in with the key; answers the value of the `Cookie` header for the next requests of the browser. */
  signIn(token: string): Promise<string>
  stop(): Promise<void>
}

export interface AppOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly config?: Partial<Config>
  /** Limits in place of those of the configuration. */
  readonly limits?: Partial<Limits>
  readonly judges?: readonly Judge[]
  readonly rubrics?: string
  /** False starts the application as the process of a command does. */
  readonly adopts_batches?: boolean
  /** Content of the file at `VERIDICT_CONFIG`. */
  readonly file?: string
  readonly tracing?: Tracing | null
  readonly statistics?: StatisticsWorker
}

/** Environment in which every request needs a key. */
export const GUARDED = { VERIDICT_ACCESS: 'on' }

export const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` })

/** A machine that stands still for seconds refuses no work of a test. */
const CALM = { event_loop_delay_ms: 60_000 }

/** Starts the whole application on an empty database of its own and records its log. The end of the test stops it. */
export async function startApp(options: AppOptions = {}): Promise<TestApp> {
  const { config, secrets } = loadConfig(
    { VERIDICT_DATABASE: migratedDatabase(), ...options.env },
    () => options.file ?? '',
  )
  const context = await buildContext({
    config: { ...config, ...options.config, limits: { ...config.limits, ...CALM, ...options.limits } },
    secrets,
    judges: options.judges ?? [],
    ...(options.tracing && { tracing: options.tracing }),
    adopts_batches: options.adopts_batches ?? true,
    loaded:
      options.rubrics === undefined && config.rubrics.length === 0
        ? SHIPPED
        : loadConfiguredRubrics(config.rubrics, options.rubrics),
  })
  const logs: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logs.push(chunk.toString('utf8'))
      done()
    },
  })
  const app = await buildApp(context, {
    loggerInstance: pino({ level: 'trace' }, stream),
    statistics: options.statistics ?? STATISTICS,
  })
  const stopOnce = async () => {
    app.state.draining = true
    await context.stop()
    app.http.server.closeAllConnections()
    await app.http.close()
    await context.close()
    await options.tracing?.close()
  }
  let listening: Promise<string> | undefined
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= stopOnce()
    return stopped
  }
  if (TestRunner.getCurrentTest() !== undefined) onTestFinished(stop)
  const send = async (asked: InjectOptions) => {
    const response = await app.http.inject(asked)
    expectDeclared(response, asked.method ?? 'GET', String(asked.url))
    return response
  }
  const post: TestApp['post'] = (url, body, headers = {}) =>
    send({
      method: 'POST',
      url,
      ...(body === undefined
        ? { headers }
        : {
            headers: { 'content-type': 'application/json', ...headers },
            payload: typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body),
          }),
    })
  const read = async <T>(url: string): Promise<T> => {
    const response = await send({ url })
    expect(response.statusCode, response.body.slice(0, 1000)).toBe(200)
    return response.json<T>()
  }
  return {
    ...app,
    ...{ context, logs, send, post, stop },
    get: (url, headers = {}) => send({ url, headers }),
    read,
    list: async <T>(url: string) => (await read<{ items: T[] }>(url)).items,
    async tell<T>(path: string, body: unknown, status = 201) {
      const response = await post(path, body)
      expect(response.statusCode, response.body.slice(0, 1000)).toBe(status)
      return response.json<T>()
    },
    listen() {
      listening ??= app.http.listen({ host: '127.0.0.1', port: 0 })
      return listening
    },
    async give(scopes = ['grade', 'read', 'review'], more = {}) {
      return (await createKey(context.stores.access, { name: 'a test', scopes, ...more }, new Date())).token
    },
    async signIn(key) {
      const response = await post('/v1/session', { key })
      return String(response.headers['set-cookie']).split(';')[0] ?? ''
    },
  }
}

/** Starts an application before each test of the file, or once for all of its tests; answers what stands for it in the tests. */
export function useApp(options: AppOptions | (() => AppOptions) = {}, each: 'each' | 'once' = 'each'): TestApp {
  let app: TestApp | undefined
  const start = async () => {
    app = await startApp(typeof options === 'function' ? options() : options)
    return app.stop
  }
  if (each === 'each') beforeEach(start)
  else beforeAll(start)
  return new Proxy({} as TestApp, { get: (_, name) => Reflect.get(app ?? {}, name) })
}
