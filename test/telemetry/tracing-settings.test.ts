import { describe, expect, test, vi } from 'vitest'
import { openTracing, readTracingSettings } from '../../src/telemetry/tracing.ts'

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
const read = readTracingSettings

describe('is off', () => {
  test.each<[string, NodeJS.ProcessEnv]>([
    ['with nothing', {}],
    ['with empty variables', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' }],
    ['with a name alone', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }],
    ['with the SDK disabled', { ...ON, OTEL_SDK_DISABLED: 'TRUE', OTEL_TRACES_EXPORTER: 'otlp' }],
    ['with the exporter none', { ...ON, OTEL_TRACES_EXPORTER: 'none' }],
    [
      'with what is for logs and metrics',
      { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://x' },
    ],
  ])('%s', (_name, env) => {
    expect(read(env)).toBeNull()
  })
})

describe('samples', () => {
  test.each<[string | undefined, string | undefined, object]>([
    [undefined, undefined, { parents: true, ratio: 1 }],
    ['always_off', undefined, { parents: false, ratio: 0 }],
    ['always_on', 'of another sampler', { parents: false, ratio: 1 }],
    ['traceidratio', '0.25', { parents: false, ratio: 0.25 }],
    ['parentbased_traceidratio', '.5', { parents: true, ratio: 0.5 }],
    ['parentbased_traceidratio', undefined, { parents: true, ratio: 1 }],
  ])('%s %s', (OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG, sampler) => {
    const env = {
      ...ON,
      ...(OTEL_TRACES_SAMPLER && { OTEL_TRACES_SAMPLER }),
      ...(OTEL_TRACES_SAMPLER_ARG && { OTEL_TRACES_SAMPLER_ARG }),
    }
    expect(read(env)?.sampler).toEqual(sampler)
  })
})

/** Each is refused by its name, and what may be secret is not repeated. */
describe('refuses', () => {
  test.each<[NodeJS.ProcessEnv, string]>([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'OTEL_TRACES_EXPORTER must be otlp or none'],
    [{ OTEL_TRACES_EXPORTER: 'otlp,console' }, 'OTEL_TRACES_EXPORTER must be otlp or none'],
    [{ ...ON, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf'],
    [{ ...ON, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' }, 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be the URL'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'not a url, secret-x' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be the URL'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a:secret-x@b' }, 'OTEL_EXPORTER_OTLP_ENDPOINT must be the URL'],
    [{ ...ON, OTEL_PROPAGATORS: 'none' }, 'OTEL_PROPAGATORS must be tracecontext'],
    [{ ...ON, OTEL_TRACES_SAMPLER: 'jaeger_remote' }, 'OTEL_TRACES_SAMPLER must be one of always_on'],
    [{ ...ON, OTEL_TRACES_SAMPLER: 'constructor' }, 'OTEL_TRACES_SAMPLER must be one of always_on'],
    [{ ...ON, OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '2' }, 'OTEL_TRACES_SAMPLER_ARG must be'],
    [{ ...ON, OTEL_PROPAGATORS: 'tracecontext,b3' }, 'OTEL_PROPAGATORS must be'],
    [{ ...ON, OTEL_BSP_MAX_QUEUE_SIZE: '1e9' }, 'OTEL_BSP_MAX_QUEUE_SIZE must be a whole number'],
  ])('%j', (env, message) => {
    expect(() => read(env)).toThrow(message)
    expect(() => read(env)).not.toThrow('secret-x')
  })

  test.each([
    ['EXPORTER_OTLP_CERTIFICATE', '/no/such/secret-x', 'Failed to read root certificate file'],
    ['EXPORTER_OTLP_COMPRESSION', 'secret-x', 'Configuration: OTEL_EXPORTER_OTLP_COMPRESSION is invalid'],
    ['EXPORTER_OTLP_TIMEOUT', '-1', 'Configuration: OTEL_EXPORTER_OTLP_TIMEOUT is invalid'],
    ['RESOURCE_ATTRIBUTES', 'secret-x', 'OTEL_RESOURCE_ATTRIBUTES must be name=value'],
  ])('what the SDK cannot use: %s', async (name, value, message) => {
    vi.stubEnv(`OTEL_${name}`, value)
    const error = await openTracing(ON, 'veridict').catch((reason: unknown) => reason)
    expect(String(error)).toContain(message)
    expect(String(error)).not.toContain('secret-x')
  })
})
