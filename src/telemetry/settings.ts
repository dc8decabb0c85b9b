export type TracingSettings = NonNullable<ReturnType<typeof readTracingSettings>>

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
const SAMPLER = /^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/
const COUNT = /^[1-9]\d{0,8}$/

/**
 * Reads the tracing variables; null: tracing is off. The SDK reads OTEL_EXPORTER_OTLP_…, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES
 * itself. Throws with the name of a variable that cannot be used, never with its value.
 */
export function readTracingSettings(env: NodeJS.ProcessEnv) {
  const text = (name: string) => env[name]?.trim() || undefined
  const read = (name: string, otherwise: string, form: RegExp, expected: string): string => {
    const value = text(name) ?? otherwise
    if (!form.test(value)) throw new Error(`${name} must be ${expected}`)
    return value
  }

  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null
  const otherwise = ENDPOINTS.some(text) ? 'otlp' : 'none'
  if (read('OTEL_TRACES_EXPORTER', otherwise, /^(?:otlp|none)$/, 'otlp or none') === 'none') return null
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
    read(name, 'http/protobuf', /^http\/protobuf$/, 'http/protobuf')
  read('OTEL_PROPAGATORS', 'tracecontext', /^tracecontext(?: *, *baggage)?$/, 'tracecontext, the only form')
  // The exporter would take `collector:4318` for a URL, and fail at every sending.
  for (const name of ENDPOINTS)
    read(name, 'http://localhost:4318', /^https?:\/\/[^@\s]+$/i, 'the URL of a collector, without a password')

  const samplers = 'one of always_on, always_off, traceidratio, or parentbased_ before one of them'
  const sampler = read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', SAMPLER, samplers)
  const share = sampler.endsWith('ratio')
    ? read('OTEL_TRACES_SAMPLER_ARG', '1', /^(?:0|1|1\.0+|0?\.\d+)$/, 'a share from 0 to 1, such as 0.1')
    : sampler.endsWith('on')
  return {
    /** Samples a share of the traces that begin here; `parents`: a caller’s decision comes first. */
    sampler: { ratio: Number(share), parents: sampler.startsWith('parentbased') },
    /** Bounds the queue of spans that wait for the collector, in the words of the SDK. */
    queue: {
      maxQueueSize: Number(read('OTEL_BSP_MAX_QUEUE_SIZE', '2048', COUNT, 'a whole number above 0')),
      scheduledDelayMillis: Number(read('OTEL_BSP_SCHEDULE_DELAY', '5000', COUNT, 'a whole number above 0')),
    },
  }
}
