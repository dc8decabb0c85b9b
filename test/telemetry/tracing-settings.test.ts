import { describe, expect, test } from 'vitest'
import { readTracingSettings } from '../../src/telemetry/tracing.ts'

const ON = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
const read = readTracingSettings

describe('is off', () => {
  test.each<[string, NodeJS.ProcessEnv]>([
    ['with nothing', {}],
    ['with empty variables', { OTEL_EXPORTER_OTLP_ENDPOINT: '', OTEL_TRACES_EXPORTER: ' ' }],
    ['with a name alone', { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' }],
    ['with the SDK disabled', { ...ON, OTEL_SDK_DISABLED: 'TRUE', OTEL_TRACES_EXPORTER: 'otlp' }],
    ['with the exporters none', { ...ON, OTEL_TRACES_EXPORTER: 'none', OTEL_LOGS_EXPORTER: 'none' }],
    ['with what is for metrics', { OTEL_METRICS_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://x' }],
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
    expect(read({ ...ON, OTEL_TRACES_SAMPLER, OTEL_TRACES_SAMPLER_ARG })?.sampler).toEqual(sampler)
  })
})

test('a value that cannot be used counts as absent, as the standard asks', () => {
  const odd = { OTEL_TRACES_SAMPLER: 'jaeger_remote', OTEL_BSP_MAX_QUEUE_SIZE: 'many', OTEL_PROPAGATORS: 'b3' }
  expect(read({ ...ON, ...odd })).toEqual(read(ON))
  expect(read({ OTEL_TRACES_EXPORTER: 'zipkin' })).toBeNull()
})
