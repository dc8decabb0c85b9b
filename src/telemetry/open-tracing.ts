import { hostname } from 'node:os'
import { NO_TRACING, type Tracing, type TracingSettings } from './tracing.ts'

/**
 * Opens tracing as the standard OTEL_* variables ask; without them no module of OpenTelemetry is loaded. `role` names the service unless
 * OTEL_SERVICE_NAME does. Throws with the name of a variable that cannot be used, never with its value.
 */
export async function openTracing(env: NodeJS.ProcessEnv, role: 'veridict' | 'veridict-worker'): Promise<Tracing> {
  const settings = readTracingSettings(env, role)
  if (settings === null) return NO_TRACING
  const { recordTraces } = await import('./recording.ts')
  return recordTraces(settings)
}

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT']

/** Reads the tracing variables; null: tracing is off. Throws with the name of a variable that cannot be used, never with its value. */
export function readTracingSettings(env: NodeJS.ProcessEnv, service: string): TracingSettings | null {
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
  const propagators = read(
    'OTEL_PROPAGATORS',
    'tracecontext',
    /^(?:tracecontext|baggage|none)(?: *, *(?:tracecontext|baggage|none))*$/,
    'of tracecontext, baggage (which is ignored) and none',
  )
  const sampler = read(
    'OTEL_TRACES_SAMPLER',
    'parentbased_always_on',
    /^(?:parentbased_)?(?:always_on|always_off|traceidratio)$/,
    'one of always_on, always_off, traceidratio, or parentbased_ before one of them',
  )
  const ratio = sampler.endsWith('ratio')
    ? read('OTEL_TRACES_SAMPLER_ARG', '1', /^(?:0|1|1\.0+|0?\.\d+)$/, 'a share from 0 to 1, such as 0.1')
    : '1'
  const most = count('OTEL_BSP_MAX_QUEUE_SIZE', 2048)
  const name = text('OTEL_SERVICE_NAME')
  return {
    sampler: {
      root: sampler.endsWith('ratio') ? 'ratio' : sampler.endsWith('on') ? 'on' : 'off',
      parents: sampler.startsWith('parentbased'),
      ratio: Number(ratio),
    },
    resource: {
      'service.name': service,
      'service.instance.id': `${hostname()}/${process.pid}`,
      ...readAttributes(text('OTEL_RESOURCE_ATTRIBUTES') ?? ''),
      ...(name !== undefined && { 'service.name': name }),
    },
    takes_parents: propagators.includes('tracecontext'),
    queue: {
      most,
      batch: Math.min(most, count('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512)),
      delay_ms: count('OTEL_BSP_SCHEDULE_DELAY', 5000),
    },
  }
}

/** Refuses `collector:4318`, which the exporter would take for a URL and fail with at every sending. */
function assertEndpoint(value: string | undefined, name: string): void {
  if (value === undefined) return
  const url = URL.canParse(value) ? new URL(value) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Error(`${name} must be the http:// or https:// URL of a collector, such as http://localhost:4318`)
  if (url.username !== '' || url.password !== '')
    throw new Error(`${name} must hold no password: OTEL_EXPORTER_OTLP_HEADERS is for that`)
}

/** Reads `name=value,name=value`, values in percent encoding. Errors do not repeat the values, which may be secret. */
function readAttributes(value: string): Record<string, string> {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair, index) => {
      const at = pair.indexOf('=')
      const name = pair.slice(0, Math.max(0, at)).trim()
      try {
        if (/^[\w.-]+$/.test(name)) return [name, decodeURIComponent(pair.slice(at + 1).trim())]
      } catch {}
      throw new Error(
        `OTEL_RESOURCE_ATTRIBUTES: entry ${index + 1} is not name=value with the value in percent encoding`,
      )
    }),
  )
}
