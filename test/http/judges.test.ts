import { expect, test } from 'vitest'
import { loadConfig } from '../../src/config/config.ts'
import type { JudgeView } from '../../src/schemas/views.ts'
import { startApp } from '../start-app.ts'

test('GET /v1/judges says whom each judge asks and at what price; no credentials', async () => {
  const env = {
    OPENAI_API_KEY: 'sk-planted',
    ANTHROPIC_API_KEY: 'sk-planted',
    OPENAI_BASE_URL: 'http://user:sk-planted@127.0.0.1:1/v1?key=sk-planted',
  }
  const file = 'judges: { openai: { price: { input: 2, output: 10 }, window_tokens: 9000 } }'
  const { config } = loadConfig({ ...env, VERIDICT_CONFIG: 'v.yaml' }, () => file)
  const app = await startApp({ env, config: { judges: config.judges } })
  const answer = await app.get('/v1/judges')
  expect(answer.body).not.toContain('sk-planted')
  expect(answer.json<{ items: JudgeView[] }>().items).toMatchObject([
    { name: 'lexical', base_url: null, price: null },
    {
      name: 'openai',
      base_url: 'http://127.0.0.1:1/v1',
      price: { input_per_mtok: 2, output_per_mtok: 10, cache_read_per_mtok: 2, cache_write_per_mtok: 2, as_of: null },
      window_tokens: 9000,
    },
    { name: 'anthropic', base_url: 'https://api.anthropic.com', price: null },
  ])
})
