import { describe, expect, test } from 'vitest'
import { typed } from '../cli/test-shell.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { startApp } from '../start-app.ts'

/** Whom a judge asks by its environment, beside a file that gives the judge a price and names another judge elsewhere. */
const PROVIDERS = [
  { name: 'openai', base: 'OPENAI_BASE_URL', model: 'VERIDICT_OPENAI_MODEL', below: '/v1', path: '/v1/responses' },
  { name: 'anthropic', base: 'ANTHROPIC_BASE_URL', model: 'VERIDICT_ANTHROPIC_MODEL', below: '', path: '/v1/messages' },
] as const
const PRICE = { input: 2, output: 10, cache_read: 0.2, cache_write: 2, as_of: '2026-11-01' }

async function startBoth({ name, base, model, below }: (typeof PROVIDERS)[number], url?: string) {
  const named = await startMockProvider([{ text: JSON.stringify(GOOD_ANSWER) }])
  const other = await startMockProvider([])
  const elsewhere = { provider: name, base_url: other.origin + below, key_env: 'OTHER_KEY', model: 'other-1' }
  const keys = { OPENAI_API_KEY: 'test-key', ANTHROPIC_API_KEY: 'test-key', OTHER_KEY: 'other-key' }
  const app = await startApp({
    env: { VERIDICT_CONFIG: 'v.json', ...keys, [base]: url ?? named.origin + below, [model]: 'named-1' },
    file: JSON.stringify({ judges: { [name]: { provider: name, price: PRICE }, elsewhere } }),
  })
  return { app, named, other }
}

describe.each(PROVIDERS)('$base', (provider) => {
  test('is asked for the model of the environment, and nobody else is', async () => {
    const { app, named, other } = await startBoth(provider)
    await app.tell('/v1/grades', { ...REQUEST, judge: provider.name })
    const asked = named.requests.map(({ path, body, headers }) => [
      ...[path, body['model'], headers['x-api-key'] ?? headers['authorization']],
    ])
    expect(asked).toEqual([[provider.path, 'named-1', expect.stringMatching(/^(?:Bearer )?test-key$/)]])
    expect(other.requests).toEqual([])
  })
})

test('veridict judges says whom each judge asks, without a key or credentials', async () => {
  const { app, other } = await startBoth(PROVIDERS[0], 'http://user:sk-planted@127.0.0.1:1/v1?key=sk-planted')
  const { code, out } = await typed({ env: { VERIDICT_SERVER: await app.listen() } }, 'judges')
  expect(code).toBe(0)
  expect(out + (await app.get('/v1/judges')).body).not.toMatch(/sk-planted|test-key/)
  const said = (name: string) =>
    out
      .slice(out.indexOf(`\n${name}\n`))
      .replace(/\n {12}/g, ' ')
      .split('\n')
      .slice(2, 7)
  expect(said('openai')).toEqual([
    expect.stringContaining('about'),
    '  base URL  http://127.0.0.1:1/v1',
    '  model     named-1',
    '  price     in $2, out $10, cache read $0.2, write $2, per million tokens, as of 2026-11-01',
    '  window    272000 tokens',
  ])
  expect(said('elsewhere')).toEqual([
    expect.stringContaining('about'),
    `  base URL  ${other.origin}/v1`,
    '  model     other-1',
    '  price     unknown: not asked under a cap of dollars',
    '  window    272000 tokens',
  ])
})
