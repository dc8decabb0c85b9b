import { Writable } from 'node:stream'
import type { LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { type App, buildApp } from '../src/boot/app.ts'
import { buildContext } from '../src/boot/context.ts'
import { type Config, loadConfig } from '../src/config/config.ts'
import type { Context } from '../src/http/context.ts'
import type { Judge } from '../src/judges/judge.ts'

export interface TestApp extends App {
  readonly context: Context
  readonly logs: string[]
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<LightMyRequestResponse>
  get(path: string): Promise<LightMyRequestResponse>
  stop(): Promise<void>
}

/** Starts the whole application on a database in memory and records its log. */
export async function startApp(
  options: {
    readonly env?: NodeJS.ProcessEnv
    readonly config?: Partial<Config>
    readonly judges?: readonly Judge[]
    readonly rubrics?: string
    /** False starts the application as the process of a command does. */
    readonly adopts_batches?: boolean
    /** Content of the file at `VERIDICT_CONFIG`. */
    readonly file?: string
  } = {},
): Promise<TestApp> {
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:', ...options.env }, () => options.file ?? '')
  const context = await buildContext({
    config: { ...config, ...options.config },
    secrets,
    judges: options.judges ?? [],
    adopts_batches: options.adopts_batches ?? true,
    ...(options.rubrics !== undefined && { rubrics: options.rubrics }),
  })
  const logs: string[] = []
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logs.push(chunk.toString('utf8'))
      done()
    },
  })
  const app = await buildApp(context, { loggerInstance: pino({ level: 'trace' }, stream) })
  return {
    ...app,
    context,
    logs,
    post: (url, body, headers = {}) =>
      app.http.inject({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json', ...headers },
        payload: typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body),
      }),
    get: (url) => app.http.inject({ method: 'GET', url }),
    async stop() {
      app.state.draining = true
      await context.stop()
      await app.http.close()
      await context.close()
    },
  }
}
