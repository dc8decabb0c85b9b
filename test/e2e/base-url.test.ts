import { writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { GOOD_ANSWER, GROUND_TRUTH, REQUEST, TRAJECTORY } from '../grading/harness.ts'
import { postJson, serve } from '../local-server.ts'
import { type AnswerPath, answerBody } from '../mock-provider/batch-answers.ts'
import { type Ended, runNode } from '../run-to-end.ts'
import { spawnService, tempFolder } from './service-process.ts'

/** What the environment says of a provider’s judge holds beside a configuration file: with real processes and two servers. */
const PROVIDERS = [
  { name: 'openai', base: 'OPENAI_BASE_URL', model: 'VERIDICT_OPENAI_MODEL', below: '/v1', path: '/v1/responses' },
  { name: 'anthropic', base: 'ANTHROPIC_BASE_URL', model: 'VERIDICT_ANTHROPIC_MODEL', below: '', path: '/v1/messages' },
] as const
type Provider = (typeof PROVIDERS)[number]

interface Server {
  readonly origin: string
  /** Path, key and model of each request. */
  readonly asked: readonly (readonly [string, string, unknown])[]
}

/** Both providers’ APIs on loopback, as a model that answers well. Ends with the test. */
async function startServer(): Promise<Server> {
  const asked: [string, string, unknown][] = []
  const origin = await serve((request, response) => {
    void readBody(request).then(({ model }) => {
      const path = request.url ?? ''
      asked.push([path, String(request.headers['x-api-key'] ?? request.headers.authorization), model])
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answerBody(path as AnswerPath, 'x', JSON.stringify(GOOD_ANSWER))))
    })
  })
  return { origin, asked }
}

async function readBody(request: IncomingMessage): Promise<{ model?: unknown }> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  // A question about a model has no body.
  return text === '' ? {} : (JSON.parse(text) as { model?: unknown })
}

interface Scene {
  readonly database: string
  readonly config: object
  readonly env: NodeJS.ProcessEnv
}

/** The file adds only a price to the provider’s judge, and another judge that asks another server with a key of its own. */
const sceneOf = ({ name, base, model, below }: Provider, named: Server, other: Server): Scene => ({
  database: join(tempFolder(), 'v.sqlite'),
  config: {
    judges: {
      [name]: { provider: name, price: PRICE },
      elsewhere: { provider: name, base_url: other.origin + below, key_env: 'OTHER_KEY', model: 'other-1' },
    },
  },
  env: { [base]: named.origin + below, [model]: 'named-1', OTHER_KEY: 'other-key' },
})

const PRICE = {
  input: 2,
  output: 10,
  cache_read: 0.2,
  cache_write: 2,
  as_of: '2026-11-01',
}

function run(args: readonly string[], { database, config, env }: Scene): Promise<Ended> {
  const file = `${database}.config.json`
  writeFileSync(file, JSON.stringify(config))
  const keys = { OPENAI_API_KEY: 'test-key', ANTHROPIC_API_KEY: 'test-key' }
  const settings = { VERIDICT_DATABASE: database, VERIDICT_CONFIG: file, VERIDICT_PORT: '0' }
  return runNode(args, { ...settings, ...keys, ...env })
}

const gradeByService = async ({ name }: Provider, scene: Scene) => {
  const service = spawnService(scene)
  expect((await postJson(`${await service.ready}/v1/grades`, { ...REQUEST, judge: name })).status).toBe(201)
  await service.stop()
}

const gradeByCommand = async ({ name }: Provider, scene: Scene) => {
  const [trajectory, truth] = [`${scene.database}.run.json`, `${scene.database}.truth.json`]
  writeFileSync(trajectory, JSON.stringify(TRAJECTORY))
  writeFileSync(truth, JSON.stringify(GROUND_TRUTH))
  expect(await run(['src/cli.ts', 'grade', trajectory, '-g', truth, '-j', name], scene)).toMatchObject({ code: 0 })
}

describe.each(PROVIDERS)('$base beside a file that adds a price', (provider) => {
  test.each([
    ['the service', gradeByService],
    ['veridict grade', gradeByCommand],
  ])('%s asks there, for the model of the environment, and nowhere else', async (_name, grade) => {
    const [named, other] = [await startServer(), await startServer()]
    await grade(provider, sceneOf(provider, named, other))
    expect(named.asked).toEqual([[provider.path, expect.stringMatching(/^(?:Bearer )?test-key$/), 'named-1']])
    expect(other.asked).toEqual([])
  })
})

test('a file that names another base URL than the environment: nothing starts, and nobody is asked', async () => {
  const [openai] = PROVIDERS
  const [named, other] = [await startServer(), await startServer()]
  const scene = sceneOf(openai, named, other)
  const against = { ...scene, config: { judges: { openai: { provider: 'openai', base_url: `${other.origin}/v1` } } } }
  const { database } = against
  writeFileSync(`${database}.truth.json`, JSON.stringify(GROUND_TRUTH))
  writeFileSync(`${database}.run.json`, JSON.stringify(TRAJECTORY))
  const ways = [
    ['src/server.ts'],
    ['src/worker.ts'],
    ['src/cli.ts', 'serve'],
    ['src/cli.ts', 'worker'],
    ['src/cli.ts', 'judges'],
    ['src/cli.ts', 'grade', `${database}.run.json`, '-g', `${database}.truth.json`],
  ]
  for (const ended of await Promise.all(ways.map((way) => run(way, against)))) {
    expect(ended).toMatchObject({ code: 1, out: '' })
    expect(ended.err).toContain(
      `OPENAI_BASE_URL is ${named.origin}/v1, but /judges/openai/base_url of VERIDICT_CONFIG is ${other.origin}/v1: remove one`,
    )
  }
  expect([named.asked, other.asked]).toEqual([[], []])
}, 30_000)

test('veridict judges says whom each judge asks', async () => {
  const [openai] = PROVIDERS
  const [named, other] = [await startServer(), await startServer()]
  const { code, out } = await run(['src/cli.ts', 'judges'], sceneOf(openai, named, other))
  expect(code).toBe(0)
  const below = (name: string) =>
    /\n {2}base URL(?:\n? .*)*/
      .exec(out.slice(out.indexOf(`\n${name}\n`)))?.[0]
      .split('\n')
      .slice(1)
  expect(below('openai')).toEqual([
    `  base URL  ${named.origin}/v1`,
    '  model     named-1',
    '  price     in $2, out $10, cache read $0.2, write $2, per million tokens, as of',
    '            2026-11-01',
    '  window    272000 tokens',
  ])
  expect(below('elsewhere')).toEqual([
    `  base URL  ${other.origin}/v1`,
    '  model     other-1',
    '  price     unknown: not asked under a cap of dollars',
    '  window    272000 tokens',
  ])
})
