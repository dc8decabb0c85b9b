import { join } from 'node:path'
import { expect, test } from 'vitest'
import { spawnService, tempFolder } from '../e2e/service-process.ts'
import { REQUEST } from '../grading/harness.ts'
import { postJson } from '../local-server.ts'
import { startMockProvider } from '../mock-provider/start.ts'

/** The service as a process: it says where it listens, and stops when told to. */
async function start(more: NodeJS.ProcessEnv = {}) {
  const provider = await startMockProvider(['hang'])
  const env = { OPENAI_BASE_URL: `${provider.origin}/v1`, ...more }
  const service = spawnService({ database: join(tempFolder(), 'v.sqlite'), config: {}, env })
  const origin = await service.ready
  const seen = (text: string) => expect.poll(() => service.output.join(''), { timeout: 20_000 }).toContain(text)
  return { ...service, origin, seen, provider }
}

const grade = (origin: string) =>
  postJson(`${origin}/v1/grades`, { ...REQUEST, judge: 'openai' }).catch(() => 'broken off')

const refused = (origin: string) => expect(fetch(`${origin}/healthz`)).rejects.toThrow()

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with 0, idle connections and all', async (signal) => {
  const { child, exited, origin } = await start()
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  child.kill(signal)
  expect(await exited).toBe(0)
})

test('where every request needs a key and there is none, its log says how to make one', async () => {
  const { seen } = await start({ VERIDICT_ACCESS: 'on' })
  await seen('needs a key here')
  await seen('veridict keys create NAME')
})

test('with something in flight it waits and takes nothing new; a second signal ends it at once', async () => {
  const { child, exited, origin, seen, provider } = await start()
  const sent = grade(origin)
  while (provider.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  child.kill('SIGTERM')
  await seen('waiting for what is in flight')
  await refused(origin)
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect(await exited).toBe(1)
  expect(await sent).toBe('broken off')
})
