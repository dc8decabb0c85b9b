import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { describe, expect, test } from 'vitest'
import { runNode } from '../run-to-end.ts'
import { type Answer, type Asked, isInstalled, startPlatform } from './platform.ts'
import { realResults, TRACES } from './real-results.ts'

const PUSH = 'integrations/langfuse/push.mjs'
const KEYS = { LANGFUSE_PUBLIC_KEY: 'pk-lf-test', LANGFUSE_SECRET_KEY: 'sk-lf-test' }

const pushTo = (LANGFUSE_BASE_URL: string, input: string, ...options: string[]) =>
  runNode([PUSH, ...options], { ...KEYS, LANGFUSE_BASE_URL }, { input })

/** OpenAPI 3.0 lets `nullable` stand beside a `$ref`; JSON Schema has no such word. */
function allowNull(_: string, value: unknown): unknown {
  const isReference = typeof value === 'object' && value !== null && '$ref' in value && 'nullable' in value
  return isReference ? { anyOf: [{ $ref: value.$ref }, { type: 'null' }] } : value
}

/** The published requests, with nothing beside what they name. */
const published = JSON.parse(readFileSync('test/integrations/langfuse-openapi.json', 'utf8'), allowNull) as {
  components: { schemas: Record<string, object> }
}
for (const name of ['CreateScoreRequest', 'CreateScoreConfigRequest', 'ConfigCategory'])
  Object.assign(published.components.schemas[name] ?? {}, { additionalProperties: false })
const ajv = new Ajv({ strict: false, formats: { double: true } }).addSchema(published, 'langfuse')

function expectPublished(name: string, body: unknown): void {
  ajv.validate(`langfuse#/components/schemas/${name}`, body)
  expect(ajv.errors, JSON.stringify(body)).toBeNull()
}

interface Config {
  readonly name: string
  readonly categories: readonly { label: string; value: number }[]
}

/** Keeps scores by their ids, and configs, as Langfuse does; every request is held against the published document. */
function startLangfuse(configs: object[] = [], refuse?: (asked: Asked) => Answer | undefined) {
  const scores = new Map<string, Record<string, unknown>>()
  const answer = (asked: Asked): Answer => {
    const refusal = refuse?.(asked)
    if (refusal !== undefined) return refusal
    expect(asked.headers.authorization).toBe(`Basic ${Buffer.from('pk-lf-test:sk-lf-test').toString('base64')}`)
    const { pathname } = asked.url
    if (pathname === '/api/public/scores' && asked.method === 'POST') {
      expectPublished('CreateScoreRequest', asked.body)
      const body = asked.body as Record<string, unknown>
      scores.set(String(body['id']), body)
      return { status: 200, body: { id: body['id'] } }
    }
    expect(pathname).toBe('/api/public/score-configs')
    if (asked.method === 'GET') {
      const page = Number(asked.url.searchParams.get('page'))
      const data = configs.slice(page - 1, page)
      return {
        status: 200,
        body: { data, meta: { page, limit: 1, totalItems: configs.length, totalPages: configs.length } },
      }
    }
    expectPublished('CreateScoreConfigRequest', asked.body)
    configs.push(configOf(asked.body as Config))
    return { status: 200, body: configs.at(-1) }
  }
  return startPlatform(answer).then((platform) => ({ ...platform, scores, configs }))
}

const configOf = (body: object) => ({
  id: `config-${JSON.stringify(body).length}`,
  createdAt: '2026-11-22T00:00:00Z',
  updatedAt: '2026-11-22T00:00:00Z',
  projectId: 'p',
  isArchived: false,
  ...body,
})

const LABELS = 'aligned,compliant,ignored,distractor_only,not_observed'

describe.skipIf(!isInstalled('langfuse'))('the official SDK, to a Langfuse on loopback', () => {
  test('sends labels as categorical scores of their traces, and the same again changes nothing', async () => {
    const langfuse = await startLangfuse()
    const input = await realResults()
    const push = () => pushTo(langfuse.url, input)
    const first = await push()
    expect(first.err).toContain('not sent: fifth: no trace id')
    expect(first.err).toContain('sent 2 · not sent: no trace id 1, failed 1, unverified 1')
    expect(first).toMatchObject({ code: 3, out: '' })
    const kept = [...langfuse.scores.values()]
    expect(kept.map(({ traceId, name, value, dataType }) => [traceId, name, value, dataType])).toEqual([
      [TRACES[0], 'tab-behavior', 'aligned', 'CATEGORICAL'],
      [TRACES[1], 'tab-behavior', 'aligned', 'CATEGORICAL'],
    ])
    expect(kept[0]).toMatchObject({ comment: 'by good; confidence medium; 2 of 2 citations hold' })
    await push()
    expect([...langfuse.scores.values()]).toEqual(kept)
    expect(langfuse.asked).toHaveLength(4)
  })

  test('makes the score config once, finds it on a later page, and holds labels against it', async () => {
    const langfuse = await startLangfuse([configOf({ name: 'another', dataType: 'NUMERIC' })])
    const input = await realResults()
    const push = (labels: string) => pushTo(langfuse.url, input, '--labels', labels)
    await push(LABELS)
    await push(LABELS)
    expect(langfuse.configs).toHaveLength(2)
    const made = langfuse.configs[1] as Config & { id: string }
    expect(made).toMatchObject({ name: 'tab-behavior', dataType: 'CATEGORICAL' })
    expect(made.categories.map(({ label }) => label).join(',')).toBe(LABELS)
    expect([...langfuse.scores.values()].map(({ configId }) => configId)).toEqual([made.id, made.id])
  })

  test('a label that its config does not have is named and not sent: Langfuse would drop it in silence', async () => {
    const langfuse = await startLangfuse()
    const ran = await pushTo(langfuse.url, await realResults(), '--labels', 'ignored,compliant')
    expect(ran.err).toContain('not sent: first: aligned is no category of the score config tab-behavior')
    expect(ran.err).toContain('sent 0 · not sent: no trace id 1, refused 2')
    expect(langfuse.scores.size).toBe(0)
  })

  test('refused keys stop it, with what to look at and the line to go on from', async () => {
    const langfuse = await startLangfuse([], () => ({ status: 401, body: { message: 'Invalid credentials' } }))
    const ran = await pushTo(langfuse.url, await realResults())
    expect(ran.code).toBe(1)
    expect(ran.err).toContain('Langfuse: refused the keys (401)')
    expect(ran.err).toContain('Stopped: 0 sent. The same command with --from 1 goes on.')
    expect(ran.err).not.toContain('sk-lf-test')
  })
})

test('without keys it says which', async () => {
  const ran = await runNode([PUSH], {}, { input: '' })
  expect(ran).toMatchObject({ code: 1, out: '' })
  expect(ran.err).toContain('LANGFUSE_PUBLIC_KEY is not set')
})
