import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { REQUEST } from '../grading/harness.ts'
import { type MockProvider, startMockProvider } from '../mock-provider/start.ts'

/** The service as a process: it says where it listens, and stops when told to. */
let folder: string
let provider: MockProvider
const running: ChildProcess[] = []
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'veridict-process-'))
  provider = await startMockProvider(['hang'])
})
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  await provider.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function start(more: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, ['src/server.ts'], {
    env: {
      ...process.env,
      VERIDICT_PORT: '0',
      VERIDICT_DATABASE: join(folder, 'new', 'v.sqlite'),
      VERIDICT_CONFIG: '',
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: `${provider.origin}/v1`,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.push(child)
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.once('exit', (code, signal) => resolve([code, signal])),
  )
  const lines: string[] = []
  const output = createInterface({ input: child.stdout })
  const seen = (text: string) =>
    new Promise<string>((resolve) => {
      const known = lines.find((line) => line.includes(text))
      if (known !== undefined) return resolve(known)
      output.on('line', (line) => line.includes(text) && resolve(line))
    })
  output.on('line', (line) => lines.push(line))
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(await seen('Server listening at'))?.[0] ?? ''
  return { child, ended, origin, seen }
}

const grade = (origin: string) =>
  fetch(`${origin}/v1/grades`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...REQUEST, judge: 'openai' }),
  }).catch(() => 'broken off')

const refused = (origin: string) => expect(fetch(`${origin}/healthz`)).rejects.toThrow()

test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it with 0, idle connections and all', async (signal) => {
  const { child, ended, origin } = await start()
  expect((await fetch(`${origin}/readyz`)).status).toBe(200)
  child.kill(signal)
  expect(await ended).toEqual([0, null])
})

test('where every request needs a key and there is none, its log says how to make one', async () => {
  const { seen } = await start({ VERIDICT_ACCESS: 'on' })
  expect(await seen('needs a key here')).toContain('veridict keys create NAME')
})

test('with something in flight it waits and takes nothing new; a second signal ends it at once', async () => {
  const { child, ended, origin, seen } = await start()
  const sent = grade(origin)
  while (provider.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
  child.kill('SIGTERM')
  await seen('waiting for what is in flight')
  await refused(origin)
  expect(child.exitCode).toBeNull()
  child.kill('SIGTERM')
  expect(await ended).toEqual([1, null])
  expect(await sent).toBe('broken off')
})
