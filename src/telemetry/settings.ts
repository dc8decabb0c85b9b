export type TracingSettings = NonNullable<ReturnType<typeof readTracingSettings>>

const ENDPOINT = { form: /^https?:\/\/[^@\s]+$/i, expected: 'the URL of a collector, without a password' }
const PROTOCOL = { form: /^http\/protobuf$/, expected: 'http/protobuf' }
const COUNT = { form: /^[1-9]\d{0,8}$/, expected: 'a whole number above 0' }

/** The forms of the variables. The exporter would accept `collector:4318` as a URL, and fail at every sending. */
const VARIABLES = {
  OTEL_TRACES_EXPORTER: { form: /^(?:otlp|none)$/, expected: 'otlp or none' },
  OTEL_EXPORTER_OTLP_ENDPOINT: ENDPOINT,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: ENDPOINT,
  OTEL_EXPORTER_OTLP_PROTOCOL: PROTOCOL,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: PROTOCOL,
  OTEL_PROPAGATORS: { form: /^tracecontext(?: *, *baggage)?$/, expected: 'tracecontext, the only form' },
  OTEL_TRACES_SAMPLER: {
    form: /^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/,
    expected: 'one of always_on, always_off, traceidratio, or parentbased_ before one of them',
  },
  OTEL_TRACES_SAMPLER_ARG: { form: /^(?:0|1|1\.0+|0?\.\d+)$/, expected: 'a share from 0 to 1, such as 0.1' },
  OTEL_BSP_MAX_QUEUE_SIZE: COUNT,
  OTEL_BSP_SCHEDULE_DELAY: COUNT,
} as const

/**
 * Reads the tracing variables; null: tracing is off. The SDK reads OTEL_EXPORTER_OTLP_…, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
 * itself. Throws with the name of a variable that cannot be used, never with its value.
 */
export function readTracingSettings(env: NodeJS.ProcessEnv) {
  const text = (name: string) => env[name]?.trim() || undefined
  const hasEndpoint = text('OTEL_EXPORTER_OTLP_ENDPOINT') ?? text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null
  if ((text('OTEL_TRACES_EXPORTER') ?? (hasEndpoint ? 'otlp' : 'none')) === 'none') return null
  const sampler = text('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  for (const [name, { form, expected }] of Object.entries(VARIABLES)) {
    const isRead = name !== 'OTEL_TRACES_SAMPLER_ARG' || sampler.endsWith('ratio')
    const value = isRead ? text(name) : undefined
    if (value !== undefined && !form.test(value)) throw new Error(`${name} must be ${expected}`)
  }
  const share = sampler.endsWith('ratio') ? (text('OTEL_TRACES_SAMPLER_ARG') ?? 1) : sampler.endsWith('on')
  return {
    /** Samples a share of the traces that begin here; `parents`: a caller’s decision comes first. */
    sampler: { ratio: Number(share), parents: sampler.startsWith('parentbased') },
    /** Bounds the queue of spans that wait for the collector, in the words of the SDK. */
    queue: {
      maxQueueSize: Number(text('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2048),
      scheduledDelayMillis: Number(text('OTEL_BSP_SCHEDULE_DELAY') ?? 5000),
    },
  }
}
