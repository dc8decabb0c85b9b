import { expect, test } from 'vitest'
import { hasSchemathesis, runSchemathesis } from '../../tools/schemathesis.ts'
import { startApp } from '../start-app.ts'

if (!hasSchemathesis())
  process.stdout.write('the contract is not fuzzed: no Schemathesis (tools/schemathesis/install.sh)\n')

const METHODS = new Set(['get', 'post', 'delete'])
/**
 * Operations whose generated requests are all refused: streams are left out, a batch of `lexical` has ended before a call, nobody has a key, and the
 * members of a review, of a disposition, of a re-grade and of ratings have to fit each other. A sign-off needs a batch without findings.
 */
const REFUSED = new Set([
  ...['POST /v1/batches/{id}/cancel', 'POST /v1/batches/{id}/resume', 'GET /v1/batches/{id}/events'],
  ...['POST /v1/session', 'POST /v1/grades/{id}/reviews', 'POST /v1/regrades', 'POST /v1/agreement'],
  ...['POST /v1/batches/{id}/dispositions', 'POST /v1/batches/{id}/signoff'],
])

/** `npm run fuzz:http` sends as many requests as its options say. */
test.skipIf(!hasSchemathesis())(
  'every operation keeps its contract under generated requests',
  { timeout: 600_000 },
  async () => {
    const app = await startApp()
    try {
      const [code, report] = await runSchemathesis(await app.listen(), ['--max-examples', '10', '--seed', '20261127'])
      expect(code, report).toBe(0)
      expect(app.logs.join('')).not.toContain('unexpected error')
      expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
      // A campaign in which nothing succeeds tests only refusals.
      const metrics = (await app.get('/metrics')).body
      const { paths } = JSON.parse((await app.get('/openapi.json')).body) as { paths: Record<string, object> }
      const never = Object.entries(paths).flatMap(([path, item]) => {
        const route = path.replaceAll(/\{(\w+)\}/g, ':$1')
        const methods = Object.keys(item)
          .filter((name) => METHODS.has(name))
          .map((name) => name.toUpperCase())
        const of = (method: string) => new RegExp(`route="${route}",method="${method}",status="20\\d"`)
        return methods.filter((method) => !of(method).test(metrics)).map((method) => `${method} ${path}`)
      })
      expect(never.filter((name) => !REFUSED.has(name))).toEqual([])
    } finally {
      await app.stop()
    }
  },
)
