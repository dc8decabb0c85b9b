import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { judgeText } from '../../src/cli/output/judge-table.ts'
import { providerDefaults } from '../../src/config/provider-judges.ts'
import { createLifecycles } from '../../src/http/lifecycles.ts'
import { createAnthropicJudge } from '../../src/judges/anthropic/anthropic-judge.ts'
import { createOpenAiJudge } from '../../src/judges/openai/openai-judge.ts'
import type { Judge } from '../../src/ports/ports.ts'
import { BY_DEFAULT, type Lifecycle } from '../../src/schemas/judge-info.ts'

/** A provider that answers one thing for any model. */
async function provider(status: number, body: unknown): Promise<{ origin: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const openai = (origin: string) =>
  createOpenAiJudge('o', { ...providerDefaults('openai'), model: 'gpt-x', base_url: `${origin}/v1` }, 'sk-1')
const anthropic = (origin: string) =>
  createAnthropicJudge('a', { ...providerDefaults('anthropic'), model: 'claude-x', base_url: origin }, 'sk-1')
let at = 0
const lifecycles = () => createLifecycles({ now: () => new Date(at) } as Parameters<typeof createLifecycles>[0])
const SILENT = { stage: null, retires_at: null, reason: 'the provider did not answer, or knows no such model' }

test.each([
  ['OpenAI', openai, { id: 'gpt-x', shutdown_date: '2027-03-01' }, null, '2027-03-01T00:00:00.000Z'],
  ['a compatible server', openai, { id: 'gpt-x' }, null, null],
  ['a server that says nonsense', openai, { id: 'gpt-x', shutdown_date: ['soon'] }, null, null],
  [
    'Anthropic',
    anthropic,
    { lifecycle: 'deprecated', retires_at: '2027-02-01T00:00:00Z' },
    'deprecated',
    '2027-02-01T00:00:00.000Z',
  ],
  ['a stage that is not known', anthropic, { lifecycle: 'resting', retires_at: null }, null, null],
])('%s', async (_who, judge, body, stage, retires_at) => {
  const { origin, asked } = await provider(200, body)
  expect(await lifecycles()(judge(origin))).toEqual({ stage, retires_at, reason: null })
  expect(asked).toEqual([expect.stringMatching(/^\/v1\/models\/(gpt|claude)-x$/)])
})

test.each([
  ['OpenAI', openai],
  ['Anthropic', anthropic],
])('%s that refuses is no failure of ours, and is asked once an hour', async (_who, judge) => {
  const { origin, asked } = await provider(404, { error: { message: 'no such model' } })
  const [known, one] = [lifecycles(), judge(origin)]
  expect(await Promise.all([known(one), known(one)])).toEqual([SILENT, SILENT])
  expect(asked).toHaveLength(1)
  at += 60 * 60 * 1000
  await known(one)
  expect(asked).toHaveLength(2)
})

test('a judge that is no model has none', async () => {
  expect(await lifecycles()({ info: { name: 'lexical' } } as Judge)).toBeNull()
})

test.each<[Lifecycle, string]>([
  [{ stage: null, retires_at: '2027-03-01T00:00:00.000Z', reason: null }, '2027-03-01, in 28 days; see in time'],
  [
    { stage: 'deprecated', retires_at: '2027-01-31T00:00:00.000Z', reason: null },
    '2027-01-31, which is past; see in time',
  ],
  [{ stage: 'deprecated', retires_at: null, reason: null }, 'deprecated, with no date yet; see in time'],
  [{ stage: 'retired', retires_at: null, reason: null }, 'the provider no longer answers as this model'],
  [{ stage: 'active', retires_at: null, reason: null }, 'no retirement is planned'],
  [{ stage: null, retires_at: null, reason: null }, 'the provider names no date'],
  [SILENT, 'the provider did not answer'],
])('veridict judges tells %j', (lifecycle, told) => {
  const settings = { parameters: {}, window_tokens: null, max_output_tokens: null, images: false, price: null }
  const judge = {
    name: 'o',
    kind: 'model',
    description: 'gpt-x',
    default: true,
    provider: 'openai',
    model: 'gpt-x',
  } as const
  expect(
    judgeText(
      { ...judge, ...settings, base_url: 'x', sources: BY_DEFAULT, lifecycle },
      300,
      new Date('2027-02-01T00:00:00Z'),
    ),
  ).toContain(told)
})
