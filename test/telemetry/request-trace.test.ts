import { expect, test } from 'vitest'
import { createKey } from '../../src/access/keys.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, GROUND_TRUTH, REQUEST, TRAJECTORY } from '../grading/harness.ts'
import { toLines } from '../http/make-batch.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { startCollector } from './collector.ts'
import { startTraced, tracedTo } from './traced-service.ts'

const PARENT = { trace: '4bf92f3577b34da6a3ce929d0e0e4736', span: '00f067aa0ba902b7' }
const TRACEPARENT = `00-${PARENT.trace}-${PARENT.span}-01`
const MODEL_KEY = 'sk-provider-canary-1f6b'

async function startWithModel(env: NodeJS.ProcessEnv = {}, file: object = {}) {
  const provider = await startMockProvider([{ text: JSON.stringify(GOOD_ANSWER) }])
  const collector = await startCollector()
  const judge = { OPENAI_API_KEY: MODEL_KEY, OPENAI_BASE_URL: `${provider.origin}/v1`, VERIDICT_OPENAI_MODEL: 'mock-1' }
  const service = await startTraced({ ...tracedTo(collector.url), ...judge, ...env }, file)
  return { provider, collector, service }
}

test('a graded request is one tree: the request, its grade and the call of the judge, who is sent nothing of it', async () => {
  const { collector, service, provider } = await startWithModel()
  const headers = { traceparent: TRACEPARENT, tracestate: 'a=b', baggage: 'c=d' }
  const answer = await service.post('/v1/grades', { ...REQUEST, judge: 'openai' }, headers)
  const grade = (await answer.json()) as Grade
  expect([answer.status, grade.label]).toEqual([201, 'aligned'])
  const root = await collector.waitFor(({ kind }) => kind === 2)
  await service.tracing.close()

  expect(root).toMatchObject({ name: 'POST /v1/grades', trace: PARENT.trace, parent: PARENT.span, status: 0 })
  expect(root.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/v1/grades',
    'http.response.status_code': 201,
  })
  const top = collector.treeOf(root.id)
  expect(top).toEqual([['grade', [['chat mock-1', []]]]])
  // Nothing of the request is lost, and nothing else is in its trace.
  expect(new Set(collector.spans.filter(({ trace }) => trace === PARENT.trace).map(({ parent }) => parent)).size).toBe(
    3,
  )

  const call = collector.spans.find(({ name }) => name === 'chat mock-1')
  expect(call).toMatchObject({ kind: 3, trace: PARENT.trace })
  expect(call?.attributes).toMatchObject({
    'veridict.judge': 'openai',
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'openai',
    'gen_ai.request.model': 'mock-1',
    'gen_ai.response.model': 'mock-resolved-1',
    'gen_ai.usage.input_tokens': 120,
    'gen_ai.usage.output_tokens': 30,
  })
  const span = collector.spans.find(({ name }) => name === 'grade')
  expect(span?.attributes).toMatchObject({
    'veridict.grade.id': grade.id,
    'veridict.grade.status': grade.status,
    'veridict.grade.label': 'aligned',
    'veridict.grade.cached': false,
    'veridict.judge': 'openai',
    'veridict.attempts': 1,
  })
  expect(root.resource).toMatchObject({ 'service.name': 'veridict' })
  const [sent] = provider.requests
  expect(sent?.headers['authorization']).toBe(`Bearer ${MODEL_KEY}`)
  for (const name of Object.keys(headers)) expect(sent?.headers).not.toHaveProperty(name)
})

/** Every text that a caller, a run, a provider or a configuration can bring, by a word that nothing else says. */
test('no text, no quote, no key, no path and no query gets into a span, in whatever way it comes', async () => {
  const { collector, service } = await startWithModel({ OTEL_EXPORTER_OTLP_HEADERS: 'api-key=collector-canary' })
  const plan = { name: 'key-canary', scopes: ['grade', 'read'] as const }
  const { token } = await createKey(service.context.stores.access, plan, new Date())
  const marked = {
    trajectory: { steps: [...TRAJECTORY.steps, { actor: 'agent_message', text: 'text-canary' }] },
    ground_truth: { ...GROUND_TRUTH, instruction: 'instruction-canary' },
    metadata: { task: 'metadata-canary' },
    judge: 'openai',
  }
  const headers = {
    authorization: `Bearer ${token}`,
    'user-agent': 'agent-canary',
    traceparent: TRACEPARENT,
    tracestate: 'vendor=state-canary',
  }
  const good = await service.post('/v1/grades?query-canary=1', { ...REQUEST, judge: 'openai' }, headers)
  expect(good.status).toBe(400)
  expect((await service.post('/v1/grades', marked, headers)).status).toBe(201)
  await service.post('/v1/grades', { ...marked, judge: 'judge-canary' }, headers)
  await service.post('/v1/grades', '{"broken-canary', headers)
  await service.post('/path-canary/x', {}, headers)
  await fetch(`${service.origin}/v1/grades/grd_canary`, { headers })
  await fetch(`${service.origin}/v1/grades`, { method: 'PROPFIND', headers })
  await collector.waitFor(({ name }) => name === 'GET /v1/grades/:id')
  await service.tracing.close()
  const seen = collector.bytes()
  const secrets = ['sk-', token, 'Bearer']
  const texts = ['canary', 'make release', 'curl ', 'files.example', 'BUILD.txt', 'quote', 'citations']
  for (const text of [...secrets, ...texts]) expect(seen, text).not.toContain(text)
  // The search itself finds what is there.
  expect(seen).toContain('veridict.grade.label')
  expect(collector.requests[0]?.headers['api-key']).toBe('collector-canary')
  expect(collector.spans.every(({ status_message }) => status_message === '')).toBe(true)
  expect(collector.events.map(({ name }) => name)).toEqual(['gen_ai.evaluation.result'])
})

test('a refused request, one that fails and one that no route fits say how they ended by codes', async () => {
  const collector = await startCollector()
  const provider = await startMockProvider([{ status: 400, code: 'invalid_prompt' }])
  const judge = { OPENAI_API_KEY: MODEL_KEY, OPENAI_BASE_URL: `${provider.origin}/v1` }
  const service = await startTraced({ ...tracedTo(collector.url), ...judge })
  await service.post('/v1/grades', { ...REQUEST, judge: 'nobody' })
  const failed = await service.post('/v1/grades', { ...REQUEST, judge: 'openai' })
  await service.post('/nowhere', {})
  await collector.waitFor(({ name }) => name === 'POST')
  const byStatus = (status: number) =>
    collector.spans.find(({ attributes }) => attributes['http.response.status_code'] === status)
  const refused = collector.spans.find(({ attributes }) => attributes['veridict.refusal'] === 'unknown_judge')
  expect(refused).toMatchObject({ status: 0 })
  expect(byStatus(404)).toMatchObject({ name: 'POST', status: 0 })
  expect(byStatus(failed.status)).toMatchObject({ status: 2, attributes: { 'error.type': String(failed.status) } })
  const call = collector.spans.find(({ attributes }) => attributes['gen_ai.operation.name'] === 'chat')
  const grade = collector.spans.find(({ id }) => id === call?.parent)
  expect(call).toMatchObject({ status: 2 })
  expect(grade).toMatchObject({
    name: 'grade',
    status: 2,
    attributes: { 'error.type': call?.attributes['error.type'] },
  })
})

test('probes are no spans, and a hit is one', async () => {
  const { collector, service } = await startWithModel()
  const body = { ...REQUEST, judge: 'lexical' }
  await service.post('/v1/grades', body)
  for (const probe of ['healthz', 'readyz', 'metrics'])
    expect((await fetch(`${service.origin}/${probe}`)).status).toBe(200)
  await service.post('/v1/grades', body)
  const hit = await collector.waitFor(({ attributes }) => attributes['http.response.status_code'] === 200)
  await service.tracing.close()
  const requests = collector.spans.filter(({ kind }) => kind === 2).map(({ name }) => name)
  expect(requests).toEqual(['POST /v1/grades', 'POST /v1/grades'])
  expect(collector.treeOf(hit.id)).toEqual([])
})

test.each([
  ['calls that wait for their turn stay in their own request', 'openai', 12, 1],
  ['what comes after a large body, on a connection that others used, is part of its request', 'lexical', 6, 200_000],
])('%s', async (_name, judge, count, words) => {
  const { collector, service } = await startWithModel({}, { concurrency: { initial: 1, min: 1, max: 1 } })
  const traces = Array.from({ length: count }, (_, n) => `${n.toString(16).padStart(32, 'a')}`)
  const ask = async (trace: string) => {
    const steps = [{ actor: 'user', text: `${trace} ${'word '.repeat(words)}` }, ...TRAJECTORY.steps.slice(1)]
    const headers = { traceparent: `00-${trace}-${PARENT.span}-01` }
    const answer = await service.post('/v1/grades', { ...REQUEST, trajectory: { steps }, judge }, headers)
    expect(answer.status).toBe(201)
  }
  if (judge === 'openai') await Promise.all(traces.map(ask))
  else for (const trace of traces) await ask(trace)
  await service.tracing.close()
  const tree = [['grade', [[judge === 'openai' ? 'chat mock-1' : 'judge lexical', []]]]]
  for (const trace of traces) {
    const root = collector.spans.find((span) => span.trace === trace && span.kind === 2)
    expect([root?.name, collector.treeOf(root?.id ?? '')]).toEqual(['POST /v1/grades', tree])
    expect(collector.spans.filter((span) => span.trace === trace)).toHaveLength(3)
  }
})

test('items of a batch are traces of their own', async () => {
  const collector = await startCollector()
  const service = await startTraced(tracedTo(collector.url))
  await service.context.start()
  const items = [0, 1, 2].map((run) => ({
    item_id: `item-${run}`,
    trajectory: { steps: [{ actor: 'user', text: `Build it, ${run}.` }, ...TRAJECTORY.steps.slice(1)] },
    ground_truth: GROUND_TRUTH,
    judge: 'lexical',
  }))
  const headers = { 'content-type': 'application/x-ndjson', traceparent: TRACEPARENT }
  const answer = await service.post('/v1/batches', toLines(items), headers)
  expect(answer.status).toBeLessThan(300)
  const isItem = ({ name, attributes }: { name: string; attributes: object }) =>
    name === 'grade' && 'veridict.item' in attributes
  for (const run of [0, 1, 2])
    await collector.waitFor((span) => isItem(span) && span.attributes['veridict.item'] === run)
  await collector.waitFor(({ name }) => name === 'POST /v1/batches')
  for (const item of collector.spans.filter(isItem)) {
    expect(item).toMatchObject({ parent: '' })
    expect(item.trace).not.toBe(PARENT.trace)
  }
  await service.tracing.close()
  const roots = collector.spans.filter(({ parent }) => parent === '' || parent === PARENT.span).map(({ name }) => name)
  expect(new Set(roots)).toEqual(new Set(['grade', 'POST /v1/batches']))
})
