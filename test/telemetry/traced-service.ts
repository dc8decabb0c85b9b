import { onTestFinished, vi } from 'vitest'
import { buildApp } from '../../src/boot/app.ts'
import { buildContext } from '../../src/boot/context.ts'
import { loadConfig } from '../../src/config/config.ts'
import type { Context } from '../../src/http/context.ts'
import type { Judge } from '../../src/judges/judge.ts'
import type { Tracing } from '../../src/telemetry/tracing.ts'
import { openTracing } from '../../src/telemetry/tracing.ts'

export interface TracedService {
  readonly origin: string
  readonly context: Context
  readonly tracing: Tracing
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>
}

/**
 * Starts the whole service on loopback, on a database in memory, with traces by the variables of its environment. The service stops at the
 * end of the test.
 */
export async function startTraced(
  env: NodeJS.ProcessEnv,
  file: object = {},
  judges: readonly Judge[] = [],
): Promise<TracedService> {
  // The exporter reads its variables from the environment of the process.
  for (const [name, value] of Object.entries(env)) if (name.startsWith('OTEL_')) vi.stubEnv(name, value)
  const tracing = await openTracing(env, 'veridict')
  const { config, secrets } = loadConfig({ VERIDICT_DATABASE: ':memory:', VERIDICT_CONFIG: 'settings', ...env }, () =>
    JSON.stringify(file),
  )
  const context = await buildContext({ config, secrets, judges, tracing })
  const app = await buildApp(context, { logger: false })
  const origin = await app.http.listen({ host: '127.0.0.1', port: 0 })
  onTestFinished(async () => {
    await context.stop()
    app.http.server.closeAllConnections()
    await app.http.close()
    await context.close()
    await tracing.close()
  })
  return {
    origin,
    context,
    tracing,
    post: (path, body, headers = {}) =>
      fetch(`${origin}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  }
}

/** Environment that enables traces and exports each span at once. */
export const tracedTo = (url: string): NodeJS.ProcessEnv => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '20',
})
