import type { recordTraces, TracingSettings } from './recording.ts'

const ENDPOINT = [/^https?:\/\/[^@\s]+$/i, 'the URL of a collector, without a password'] as const
const PROTOCOL = [/^http\/protobuf$/, 'http/protobuf'] as const
const COUNT = [/^[1-9]\d{0,8}$/, 'a whole number above 0'] as const
const SAMPLER = /^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/

/** The forms of the variables. The exporter would accept `collector:4318` as a URL, and fail at every sending. */
const VARIABLES = {
  OTEL_TRACES_EXPORTER: [/^(?:otlp|none)$/, 'otlp or none'],
  OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ENDPOINT,
  OTEL_EXPORTER_OTLP_PROTOCOL: PROTOCOL,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: PROTOCOL,
  OTEL_PROPAGATORS: [/^tracecontext(?: *, *baggage)?$/, 'tracecontext, the only form'],
  OTEL_TRACES_SAMPLER: [SAMPLER, 'one of always_on, always_off, traceidratio, or parentbased_ before one of them'],
  OTEL_TRACES_SAMPLER_ARG: [/^(?:0|1|1\.0+|0?\.\d+)$/, 'a share from 0 to 1, such as 0.1'],
  OTEL_BSP_MAX_QUEUE_SIZE: COUNT,
  OTEL_BSP_SCHEDULE_DELAY: COUNT,
} as const

/**
 * Reads the tracing variables; null: tracing is off. The SDK reads OTEL_EXPORTER_OTLP_…, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
 * itself. Throws with the name of a variable that cannot be used, never with its value.
 */
export function readTracingSettings(env: NodeJS.ProcessEnv): TracingSettings | null {
  const text = (name: string) => env[name]?.trim() || undefined
  const hasEndpoint = text('OTEL_EXPORTER_OTLP_ENDPOINT') ?? text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null
  if ((text('OTEL_TRACES_EXPORTER') ?? (hasEndpoint ? 'otlp' : 'none')) === 'none') return null
  const sampler = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const isShare = sampler.endsWith('ratio')
  for (const [name, [form, expected]] of Object.entries(VARIABLES)) {
    const value = isShare || name !== 'OTEL_TRACES_SAMPLER_ARG' ? text(name) : undefined
    if (value !== undefined && !form.test(value)) throw new Error(`${name} must be ${expected}`)
  }
  const share = isShare ? (text('OTEL_TRACES_SAMPLER_ARG') ?? 1) : sampler.endsWith('on')
  return {
    sampler: { ratio: Number(share), parents: sampler.startsWith('parentbased') },
    queue: {
      maxQueueSize: Number(text('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2048),
      scheduledDelayMillis: Number(text('OTEL_BSP_SCHEDULE_DELAY') ?? 5000),
    },
  }
}

/**
 * Sends spans of requests, grades and judge calls to a collector of OpenTelemetry. Names and attributes of spans are closed words, ids and
 * numbers; no text of a caller, an agent, a judge, and no key, path or message becomes part of a span. The provider receives no trace header.
 */
export type Tracing = ReturnType<typeof recordTraces>

/**
 * Opens tracing as the standard OTEL_* variables ask; null: they ask for none, and no module of OpenTelemetry is loaded. `role` names the service unless
 * OTEL_SERVICE_NAME does. Throws with the name of a variable that cannot be used, never with its value.
 */
export async function openTracing(
  env: NodeJS.ProcessEnv,
  role: 'veridict' | 'veridict-worker',
): Promise<Tracing | null> {
  const settings = readTracingSettings(env)
  return settings && (await import('./recording.ts')).recordTraces(settings, role)
}
