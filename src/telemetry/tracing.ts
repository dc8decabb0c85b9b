import { readTracingSettings } from './settings.ts'

/**
 * Sends spans of requests, grades and judge calls to a collector of OpenTelemetry. Names and attributes of spans are closed words, ids and
 * numbers; no text of a caller, an agent, a judge, and no key, path or message becomes part of a span. The provider receives no trace header.
 */
export type Tracing = ReturnType<typeof import('./recording.ts').recordTraces>

/** Traces nothing. */
export const NO_TRACING: Tracing = {
  plugin: (_app, _options, done) => done(),
  grade: (_job, work) => work(),
  judge: (judge) => judge,
  onLoss: () => undefined,
  close: async () => undefined,
}

/**
 * Opens tracing as the standard OTEL_* variables ask; without them no module of OpenTelemetry is loaded. `role` names the service unless
 * OTEL_SERVICE_NAME does. Throws with the name of a variable that cannot be used, never with its value.
 */
export async function openTracing(env: NodeJS.ProcessEnv, role: 'veridict' | 'veridict-worker'): Promise<Tracing> {
  const settings = readTracingSettings(env)
  return settings === null ? NO_TRACING : (await import('./recording.ts')).recordTraces(settings, role)
}
