import type { TracingSettings } from './recording.ts'

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

const SAMPLER = /^(parentbased_)?(always_on|always_off|traceidratio)$/

/**
 * Reads the tracing variables; null: tracing is off. The SDK reads OTEL_EXPORTER_OTLP_…, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
 * itself. As the standard asks, a value that cannot be used counts as absent.
 */
export function readTracingSettings(env: NodeJS.ProcessEnv): TracingSettings | null {
  const text = (name: string) => env[name]?.trim() || undefined
  const count = (name: string, otherwise: number) => Math.trunc(Number(text(name))) || otherwise
  const sends = (signal: 'TRACES' | 'LOGS') => {
    const hasEndpoint = text('OTEL_EXPORTER_OTLP_ENDPOINT') ?? text(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`)
    return (text(`OTEL_${signal}_EXPORTER`) ?? (hasEndpoint ? 'otlp' : 'none')) === 'otlp'
  }
  const [spans, events] = [sends('TRACES'), sends('LOGS')]
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true' || !(spans || events)) return null
  const named = spans ? (text('OTEL_TRACES_SAMPLER') ?? '') : 'always_off'
  const [, parents, kind] = SAMPLER.exec(named) ?? ['', 'parentbased_', 'always_on']
  const share = kind === 'traceidratio' ? (text('OTEL_TRACES_SAMPLER_ARG') ?? 1) : kind === 'always_on'
  return {
    sampler: { ratio: Number(share), parents: parents !== undefined },
    queue: {
      maxQueueSize: count('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
      scheduledDelayMillis: count('OTEL_BSP_SCHEDULE_DELAY', 5000),
    },
    events,
  }
}
