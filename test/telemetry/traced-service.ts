import { vi } from 'vitest'
import type { Judge } from '../../src/judges/judge.ts'
import { openTracing, type Tracing } from '../../src/telemetry/tracing.ts'
import { postJson } from '../local-server.ts'
import { startApp } from '../start-app.ts'

/** Starts the whole service on loopback, with traces by the variables of its environment. The service stops at the end of the test. */
export async function startTraced(env: NodeJS.ProcessEnv, file: object = {}, judges: readonly Judge[] = []) {
  // The exporter reads its variables from the environment of the process.
  for (const [name, value] of Object.entries(env)) if (name.startsWith('OTEL_')) vi.stubEnv(name, value)
  const tracing = await openTracing(env, 'veridict')
  const settings = { VERIDICT_CONFIG: 'settings', ...env }
  const app = await startApp({ env: settings, file: JSON.stringify(file), judges, tracing })
  const origin = await app.listen()
  return {
    ...{ origin, context: app.context },
    // Null where the environment asks for no traces, and no test looks at them.
    tracing: tracing as Tracing,
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      postJson(origin + path, body, { headers: { 'content-type': 'application/json', ...headers } }),
  }
}

/** Environment that enables traces and exports each span at once. */
export const tracedTo = (url: string): NodeJS.ProcessEnv => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_BSP_SCHEDULE_DELAY: '20',
})
