import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import { REQUEST } from '../grading/harness.ts'
import { freePort, postJson } from '../local-server.ts'
import { startCollector } from './collector.ts'
import { startTraced, tracedTo } from './traced-service.ts'

const LEXICAL = { ...REQUEST, judge: 'lexical' }
/** Nobody listens there: the port of a well-known service that is not on loopback. */
const AWAY = 'http://127.0.0.1:9'
const BOUND_MS = 3_000
/** An official collector, built by integrations/opentelemetry/collector/build.sh. */
const OTELCOL = 'build/otelcol/otelcol'
if (!existsSync(OTELCOL)) console.log('no OpenTelemetry Collector was built: its test is skipped')

test('a collector that is away costs requests nothing but the spans, which are told of', async () => {
  const env = { ...tracedTo(AWAY), OTEL_EXPORTER_OTLP_TIMEOUT: '200' }
  const service = await startTraced(env)
  const lost = new Promise<void>((resolve) => service.tracing.onLoss(resolve))
  for (let n = 0; n < 5; n++)
    expect((await service.post('/v1/grades', { ...LEXICAL, cache: 'refresh' })).status).toBe(201)
  await lost
})

test('one that never answers holds up no request, keeps no more than the queue, and no stop longer than its bound', async () => {
  const collector = await startCollector(() => undefined)
  const service = await startTraced({
    ...tracedTo(collector.url),
    // Longer than any test: nothing but the bound of the stop ends the waiting.
    OTEL_EXPORTER_OTLP_TIMEOUT: '999999',
    OTEL_BSP_MAX_QUEUE_SIZE: '8',
  })
  for (let n = 0; n < 20; n++)
    expect((await service.post('/v1/grades', { ...LEXICAL, cache: 'refresh' })).status).toBe(201)
  const started = performance.now()
  await service.tracing.close()
  // Timers fire late and never early: the bound is what ended it, since nothing else would have.
  expect(performance.now() - started).toBeGreaterThanOrEqual(BOUND_MS - 50)
  // One batch in flight and a full queue, whatever was made: twenty requests made many more.
  expect(collector.spans.length).toBeLessThanOrEqual(8 + 8 + 8)
})

test('a stop sends what is left', async () => {
  const collector = await startCollector()
  const service = await startTraced({
    ...tracedTo(collector.url),
    OTEL_BSP_SCHEDULE_DELAY: '100000',
    OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip',
  })
  expect((await service.post('/v1/grades', LEXICAL)).status).toBe(201)
  expect(collector.requests).toHaveLength(0)
  await service.tracing.close()
  expect(collector.spans.map(({ name }) => name)).toContain('POST /v1/grades')
  expect(collector.events).toHaveLength(1)
  expect(collector.requests.map(({ path }) => path).sort()).toEqual(['/v1/logs', '/v1/traces'])
  for (const { headers } of collector.requests) expect(headers).toMatchObject({ 'content-encoding': 'gzip' })
})

test('what is not sampled is not sent, and a caller’s word counts', async () => {
  const collector = await startCollector()
  const service = await startTraced({ ...tracedTo(collector.url), OTEL_TRACES_SAMPLER: 'parentbased_always_off' })
  await service.post('/v1/grades', LEXICAL)
  const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
  await service.post('/v1/grades', { ...LEXICAL, cache: 'refresh' }, { traceparent })
  await collector.waitFor(({ kind }) => kind === 2)
  await service.tracing.close()
  expect(new Set(collector.spans.map(({ trace }) => trace))).toEqual(new Set([traceparent.slice(3, 35)]))
})

test('the real service sends at its stop, and ends cleanly with a collector that hangs', async () => {
  const good = await startCollector()
  const hanging = await startCollector(() => undefined)
  for (const collector of [good, hanging]) {
    const service = spawnService({
      database: join(tempFolder(), 'v.sqlite'),
      config: {},
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_SERVICE_NAME: 'lab',
        OTEL_RESOURCE_ATTRIBUTES: 'service.name=other,site=a%20b',
      },
    })
    const origin = await service.ready
    expect((await postJson(`${origin}/v1/grades`, LEXICAL)).status).toBe(201)
    expect(await service.stop()).toBe(0)
    const root = collector.spans.find(({ kind }) => kind === 2)
    expect(root).toMatchObject({ name: 'POST /v1/grades', resource: { 'service.name': 'lab', site: 'a b' } })
  }
})

test.skipIf(!existsSync(OTELCOL))('an OpenTelemetry Collector receives the event of a grade in its span', async () => {
  const address = `127.0.0.1:${await freePort()}`
  const listens = `--set=receivers::otlp::protocols::http::endpoint=${address}`
  const child = spawn(OTELCOL, ['--config', 'integrations/opentelemetry/collector.yaml', listens])
  onTestFinished(() => void child.kill('SIGKILL'))
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (printed += text))
  await expect.poll(() => printed, { timeout: 60_000 }).toContain('Everything is ready')
  const service = await startTraced(tracedTo(`http://${address}`))
  expect((await service.post('/v1/grades', LEXICAL)).status).toBe(201)
  await service.tracing.close()
  const read = (form: RegExp) => form.exec(printed)?.[1]
  const spanOfEvent = () => read(/EventName: gen_ai\.evaluation\.result\n[\s\S]*?\nSpan ID: (\w{16})\n/)
  await expect.poll(spanOfEvent, { timeout: 60_000 }).toBeDefined()
  await expect.poll(() => read(/\n +ID +: (\w{16})\n +Name +: grade\n/), { timeout: 60_000 }).toBe(spanOfEvent())
  expect(printed).toContain('-> gen_ai.evaluation.score.label: Str(aligned)')
})
