import type { TracingSettings } from './recording.ts'

/** Sends spans and events of closed words, ids and numbers: no text of a caller, an agent or a judge, no key, path or message. */
export type Tracing = NonNullable<Awaited<ReturnType<typeof openTracing>>>

/** Opens tracing as the standard OTEL_* variables ask; null: they ask for none. `role` names the service unless OTEL_SERVICE_NAME does. */
export async function openTracing(env: NodeJS.ProcessEnv, role: string) {
  const settings = readTracingSettings(env)
  return settings && (await import('./recording.ts')).recordTraces(settings, role)
}

const SAMPLER = /^(parentbased_)?(always_on|always_off|traceidratio)$/

/** Reads the tracing variables that the SDK does not read itself; null: tracing is off. An unusable value counts as absent, as the standard asks. */
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
