import { readTracingSettings } from './settings.ts'
import { NO_TRACING, type Tracing } from './tracing.ts'

/**
 * Opens tracing as the standard OTEL_* variables ask; without them no module of OpenTelemetry is loaded. `role` names the service unless
 * OTEL_SERVICE_NAME does. Throws with the name of a variable that cannot be used, never with its value.
 */
export async function openTracing(env: NodeJS.ProcessEnv, role: 'veridict' | 'veridict-worker'): Promise<Tracing> {
  const settings = readTracingSettings(env, role)
  return settings === null ? NO_TRACING : (await import('./recording.ts')).recordTraces(settings)
}
