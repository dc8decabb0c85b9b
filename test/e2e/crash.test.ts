import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { startMockProvider } from '../mock-provider/start.ts'
import { spawnService, tempFolder } from './service-process.ts'

/** Real processes, a real file, a real SIGKILL. */

const post = (origin: string) =>
  fetch(`${origin}/v1/grades`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...REQUEST, judge: 'openai' }),
  })

test('killed between the reply and the grade: the reply is in the ledger and is not paid for again', async () => {
  // The first answer is unusable, so the process asks for a repair, which hangs: the first reply is stored, the grade is not.
  const unusable = { text: JSON.stringify({ ...GOOD_ANSWER, citations: [] }) }
  const provider = await startMockProvider([unusable, 'hang', { text: JSON.stringify(GOOD_ANSWER) }])
  const env = { OPENAI_BASE_URL: `${provider.origin}/v1` }
  const settings = { database: join(tempFolder(), 'v.sqlite'), config: {}, env }
  const first = spawnService(settings)
  const lost = post(await first.ready).catch(() => 'lost')
  while (provider.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
  await first.kill()
  expect(await lost).toBe('lost')

  const second = spawnService(settings)
  const grade = (await (await post(await second.ready)).json()) as Grade
  expect(grade).toMatchObject({ status: 'graded', label: 'aligned' })
  expect(grade.receipt.attempts.map((one) => [one.purpose, one.outcome, one.replayed])).toEqual([
    ['decide', 'ok', true],
    ['repair', 'ok', false],
  ])
  expect(provider.requests).toHaveLength(3)
  expect(await second.stop()).toBe(0)
})
