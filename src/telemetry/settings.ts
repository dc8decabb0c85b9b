import { hostname } from 'node:os'

export type TracingSettings = NonNullable<ReturnType<typeof readTracingSettings>>

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']
const PROPAGATORS = /^(?:tracecontext|baggage|none)(?: *, *(?:tracecontext|baggage|none))*$/
const SAMPLER = /^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/

/**
 * Reads the tracing variables; null: tracing is off. The exporter reads OTEL_EXPORTER_OTLP_… itself. Throws with the name of a variable
 * that cannot be used, never with its value.
 */
export function readTracingSettings(env: NodeJS.ProcessEnv, service: string) {
  const text = (name: string) => env[name]?.trim() || undefined
  const read = (name: string, otherwise: string, form: RegExp, expected: string): string => {
    const value = text(name) ?? otherwise
    if (!form.test(value)) throw new Error(`${name} must be ${expected}`)
    return value
  }
  const count = (name: string, otherwise: number): number =>
    Number(read(name, String(otherwise), /^[1-9]\d{0,8}$/, 'a whole number above 0'))

  if (text('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return null
  const otherwise = ENDPOINTS.some(text) ? 'otlp' : 'none'
  if (read('OTEL_TRACES_EXPORTER', otherwise, /^(?:otlp|none)$/, 'otlp or none') === 'none') return null
  for (const name of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
    read(name, 'http/protobuf', /^http\/protobuf$/, 'http/protobuf')
  for (const name of ENDPOINTS) assertEndpoint(text(name), name)
  const propagators = 'of tracecontext, baggage (which is ignored) and none'
  const samplers = 'one of always_on, always_off, traceidratio, or parentbased_ before one of them'
  const sampler = read('OTEL_TRACES_SAMPLER', 'parentbased_always_on', SAMPLER, samplers)
  const share = sampler.endsWith('ratio')
    ? read('OTEL_TRACES_SAMPLER_ARG', '1', /^(?:0|1|1\.0+|0?\.\d+)$/, 'a share from 0 to 1, such as 0.1')
    : sampler.endsWith('on')
  const maxQueueSize = count('OTEL_BSP_MAX_QUEUE_SIZE', 2048)
  const name = text('OTEL_SERVICE_NAME')
  return {
    /** Samples a share of the traces that begin here; `parents`: a caller’s decision comes first. */
    sampler: { ratio: Number(share), parents: sampler.startsWith('parentbased') },
    resource: {
      'service.name': service,
      'service.instance.id': `${hostname()}/${process.pid}`,
      ...readAttributes(text('OTEL_RESOURCE_ATTRIBUTES') ?? ''),
      ...(name !== undefined && { 'service.name': name }),
    } as Readonly<Record<string, string>>,
    /** Continues the trace of a request’s `traceparent`. */
    takes_parents: read('OTEL_PROPAGATORS', 'tracecontext', PROPAGATORS, propagators).includes('tracecontext'),
    /** Bounds the queue of spans that wait for the collector, in the words of the SDK. */
    queue: {
      maxQueueSize,
      maxExportBatchSize: Math.min(maxQueueSize, count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512)),
      scheduledDelayMillis: count('OTEL_BSP_SCHEDULE_DELAY', 5000),
    },
  }
}

/** Refuses `collector:4318`, which the exporter would take for a URL and fail with at every sending. */
function assertEndpoint(value: string | undefined, name: string): void {
  if (value === undefined) return
  const url = URL.parse(value)
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`${name} must be the http:// or https:// URL of a collector, such as http://localhost:4318`)
  if (url.username !== '' || url.password !== '')
    throw new Error(`${name} must hold no password: OTEL_EXPORTER_OTLP_HEADERS is for that`)
}

/** Reads `name=value,name=value`, values in percent encoding. Errors do not repeat the values, which may be secret. */
function readAttributes(value: string): Record<string, string> {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair, index) => {
      const [, name, encoded = ''] = /^\s*([\w.-]+)\s*=(.*)$/s.exec(pair) ?? []
      try {
        if (name !== undefined) return [name, decodeURIComponent(encoded.trim())]
      } catch {}
      throw new Error(
        `OTEL_RESOURCE_ATTRIBUTES: entry ${index + 1} is not name=value with the value in percent encoding`,
      )
    }),
  )
}
