import { readTracingSettings } from './tracing-settings.ts'

/**
 * Sends spans of requests, grades and judge calls, and an event of each new grade, to a collector of OpenTelemetry. Names and attributes are closed words, ids and
 * numbers; no text of a caller, an agent, a judge, and no key, path or message becomes part of them. The provider receives no trace header.
 */
export type Tracing = NonNullable<Awaited<ReturnType<typeof openTracing>>>

/**
 * Opens tracing as the standard OTEL_* variables ask; null: they ask for none, and no module of OpenTelemetry is loaded. `role` names the service unless
 * OTEL_SERVICE_NAME does.
 */
export async function openTracing(env: NodeJS.ProcessEnv, role: string) {
  const settings = readTracingSettings(env)
  return settings && (await import('./recording.ts')).recordTraces(settings, role)
}
