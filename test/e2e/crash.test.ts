import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, REQUEST } from '../grading/harness.ts'
import { type MockProvider, startMockProvider } from '../mock-provider/start.ts'

/** Real processes, a real file, a real SIGKILL. */
const folder = mkdtempSync(join(tmpdir(), 'veridict-crash-'))
const running: ChildProcess[] = []
let provider: MockProvider | null = null
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  await provider?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function startService(env: NodeJS.ProcessEnv): Promise<{ origin: string; child: ChildProcess }> {
  const child = spawn(process.execPath, ['src/server.ts'], {
    env: {
      ...process.env,
      VERIDICT_PORT: '0',
      VERIDICT_DATABASE: join(folder, 'v.sqlite'),
      VERIDICT_CONFIG: '',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  if (child.stdout === null) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0]
    if (origin !== undefined) {
      child.stdout.resume()
      return { origin, child }
    }
  }
  throw new Error('did not listen')
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
const post = (origin: string) =>
  fetch(`${origin}/v1/grades`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...REQUEST, judge: 'openai' }),
  })

test('killed between the reply and the grade: the reply is in the ledger and is not paid for again', async () => {
  // The first answer is unusable, so the process asks for a repair, which hangs: the first reply is stored, the grade is not.
  const unusable = { text: JSON.stringify({ ...GOOD_ANSWER, citations: [] }) }
  provider = await startMockProvider([unusable, 'hang', { text: JSON.stringify(GOOD_ANSWER) }])
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${provider.origin}/v1` }
  const first = await startService(env)
  const lost = post(first.origin).catch(() => 'lost')
  while (provider.requests.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const dead = ended(first.child)
  first.child.kill('SIGKILL')
  await dead
  expect(await lost).toBe('lost')

  const second = await startService(env)
  const grade = (await (await post(second.origin)).json()) as Grade
  expect(grade).toMatchObject({ status: 'graded', label: 'aligned' })
  expect(grade.receipt.attempts.map((one) => [one.purpose, one.outcome, one.replayed])).toEqual([
    ['decide', 'ok', true],
    ['repair', 'ok', false],
  ])
  expect(provider.requests).toHaveLength(3)

  const stopped = ended(second.child)
  second.child.kill('SIGTERM')
  expect(await stopped).toBe(0)
})
