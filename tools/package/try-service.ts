import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { NATIVE, startPostgres } from '../../test/storage/postgres-server.ts'

interface Service {
  post(path: string, body: unknown): Promise<Response>
  get(path: string): Promise<Response>
}

/** Starts the installed service, uses it, and stops it by SIGTERM; throws where one of these goes wrong. */
export async function withService(
  cwd: string,
  env: NodeJS.ProcessEnv,
  use: (service: Service) => Promise<void>,
): Promise<void> {
  const service = spawn(join(cwd, 'node_modules/.bin/veridict'), ['serve'], {
    cwd,
    env: { ...env, VERIDICT_PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<number | null>((resolve) => service.once('exit', resolve))
  try {
    let origin = ''
    for await (const line of createInterface({ input: service.stdout })) {
      origin = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? ''
      if (origin !== '') break
    }
    if (origin === '') throw new Error('the service ended before it listened')
    const headers = { 'content-type': 'application/json' }
    await use({
      post: (path, body) => fetch(origin + path, { method: 'POST', headers, body: JSON.stringify(body) }),
      get: (path) => fetch(origin + path),
    })
  } finally {
    service.stdout.resume()
    service.kill('SIGTERM')
  }
  const code = await ended
  if (code !== 0) throw new Error(`SIGTERM ended the service with ${code}`)
}

function exampleIn(cwd: string, name: string): { trajectory: { steps: object[] }; ground_truth: object } {
  const read = (file: string) =>
    JSON.parse(readFileSync(join(cwd, 'node_modules/veridict/examples', name, file), 'utf8'))
  return { trajectory: read('trajectory.json'), ground_truth: read('ground-truth.json') }
}

export async function tryService(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  await withService(cwd, { ...env, VERIDICT_DATABASE: ':memory:' }, async ({ post, get }) => {
    const graded = await post('/v1/grades', exampleIn(cwd, 'compliant-codex'))
    const { label } = (await graded.json()) as { label: string }
    const pages = await Promise.all(
      ['/readyz', '/audit/', '/openapi.json', '/docs'].map(async (path) => (await get(path)).status),
    )
    // The package of /docs is not installed.
    expectSame([graded.status, label, ...pages], [201, 'compliant', 200, 200, 200, 404])
  })
}

/** Larger than what is read in the main thread, and than what stays in the database. */
const LARGE_CHARS = 3_000_000

/** Tries rare settings and work beside the main thread: a PostgreSQL, a collector of traces, models, a thread, statistics. */
export async function tryRareParts(cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  let traced = 0
  const others = createServer((request, response) => {
    if (request.url === '/v1/traces') request.on('data', (chunk: Buffer) => (traced += chunk.length))
    request.resume().on('end', () => {
      if (request.url === '/v1/traces') response.end()
      else response.writeHead(401).end('{"error":{"message":"no"}}')
    })
  })
  await new Promise<void>((resolve) => others.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(others.address() as AddressInfo).port}`
  const postgres = NATIVE === null ? null : await startPostgres()
  const settings = {
    ...env,
    ...{ VERIDICT_DATABASE: 'rare.sqlite', ...(postgres !== null && { VERIDICT_DATABASE_URL: postgres.url }) },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_BSP_SCHEDULE_DELAY: '20' },
    ...{ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: url },
  }
  try {
    await withService(cwd, settings, async ({ post, get }) => {
      const { trajectory, ground_truth } = exampleIn(cwd, 'compliant-codex')
      const note = { step_id: trajectory.steps.length + 1, source: 'agent', message: noise(LARGE_CHARS) }
      const large = { trajectory: { ...trajectory, steps: [...trajectory.steps, note] }, ground_truth }
      const answer = await post('/v1/grades', large)
      const { label } = (await answer.json()) as { label: string }
      const failed = await Promise.all(
        ['openai', 'anthropic'].map(async (judge) => {
          const response = await post('/v1/grades', { trajectory, ground_truth, judge })
          return ((await response.json()) as { code: string }).code
        }),
      )
      const report = await get('/v1/reports?rubric=tab-behavior@2&judge=lexical')
      expectSame(
        [answer.status, label, ...failed, report.status],
        [201, 'compliant', 'authentication', 'authentication', 200],
      )
    })
    if (traced === 0) throw new Error('no trace was sent')
    return postgres === null ? 'no PostgreSQL for this platform: not tried' : 'PostgreSQL'
  } finally {
    others.close()
    await postgres?.remove()
  }
}

/** Text that does not pack; the same in every run. */
function noise(chars: number): string {
  let state = 1
  let text = ''
  while (text.length < chars) {
    state = (state * 48_271) % 2_147_483_647
    text += state.toString(36)
  }
  return text
}

function expectSame(found: readonly unknown[], wanted: readonly unknown[]): void {
  if (found.join() !== wanted.join())
    throw new Error(`the service answered ${found.join(' ')} instead of ${wanted.join(' ')}`)
}
