import { NO_TRACING, type Tracing } from './tracing.ts'
import { readTracingSettings } from './tracing-settings.ts'

/**
 * Tracing as the standard variables ask for it. Nothing of OpenTelemetry is loaded where they do not. `role` names the service where
 * OTEL_SERVICE_NAME does not. Throws with the name of the variable that cannot be used, never with its value.
 */
export async function openTracing(env: NodeJS.ProcessEnv, role: 'veridict' | 'veridict-worker'): Promise<Tracing> {
  const settings = readTracingSettings(env, role)
  if (settings === null) return NO_TRACING
  const { recordTraces } = await import('./recording.ts')
  return recordTraces(settings)
}
