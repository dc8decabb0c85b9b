const SAMPLER = /^(parentbased_)?(always_on|always_off|traceidratio)$/

/**
 * Reads the tracing variables; null: tracing is off. The SDK reads OTEL_EXPORTER_OTLP_…, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
 * itself. As the standard asks, a value that cannot be used counts as absent.
 */
export function readTracingSettings(env: NodeJS.ProcessEnv) {
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
    // A share of the traces that begin here; `parents`: a caller’s decision comes first.
    sampler: { ratio: Number(share), parents: parents !== undefined },
    // Bounds of the queue of spans, and of that of events, in the words of the SDK.
    queue: {
      maxQueueSize: count('OTEL_BSP_MAX_QUEUE_SIZE', 2048),
      scheduledDelayMillis: count('OTEL_BSP_SCHEDULE_DELAY', 5000),
    },
    events,
  }
}

export type TracingSettings = NonNullable<ReturnType<typeof readTracingSettings>>
