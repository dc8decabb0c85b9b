import { expect, test } from 'vitest'
import { typed } from '../cli/test-shell.ts'
import { startApp } from '../start-app.ts'

test('veridict judges says whom each judge asks, without a key or credentials', async () => {
  const price = { input: 2, output: 10, cache_read: 0.2, cache_write: 2, as_of: '2026-11-01' }
  const elsewhere = { provider: 'openai', base_url: 'http://127.0.0.1:2/v1', key_env: 'OTHER_KEY', model: 'other-1' }
  const app = await startApp({
    env: {
      ...{ VERIDICT_CONFIG: 'v.json', OPENAI_API_KEY: 'test-key', OTHER_KEY: 'other-test-key' },
      ...{ VERIDICT_OPENAI_MODEL: 'named-1', OPENAI_BASE_URL: 'http://user:sk-planted@127.0.0.1:1/v1?key=sk-planted' },
    },
    file: JSON.stringify({ judges: { openai: { provider: 'openai', price }, elsewhere } }),
  })
  const { code, out } = await typed({ env: { VERIDICT_SERVER: await app.listen() } }, 'judges')
  expect(code).toBe(0)
  expect(out + (await app.get('/v1/judges')).body).not.toMatch(/sk-planted|test-key/)
  for (const [base_url, ...told] of [
    ['http://127.0.0.1:1/v1', 'named-1', '2/10, cache 0.2/2'],
    ['http://127.0.0.1:2/v1', 'other-1', 'unknown: no cap of dollars'],
  ] as const) {
    const row = out.split('\n').find((line) => line.endsWith(base_url))
    for (const words of told) expect(row).toContain(words)
  }
})
