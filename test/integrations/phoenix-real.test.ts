import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { runNode } from '../run-to-end.ts'
import { isInstalled, startPlatform } from './platform.ts'
import { realResults, TRACES } from './real-results.ts'

const PUSH = 'integrations/phoenix/push.mjs'

const nullable = (schema: object) => ({ anyOf: [schema, { type: 'null' }] })
/**
 * `AnnotateTracesRequestBody` of Phoenix’s published document (schemas/openapi.json of Arize-ai/phoenix at 9478f954, 2026-08-21), written
 * down in our own words, with nothing beside what it names.
 */
const BODY = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: {
    data: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name', 'annotator_kind', 'trace_id'],
        additionalProperties: false,
        properties: {
          name: { type: 'string' },
          annotator_kind: { enum: ['LLM', 'CODE', 'HUMAN'] },
          result: nullable({
            type: 'object',
            additionalProperties: false,
            properties: {
              label: nullable({ type: 'string' }),
              score: nullable({ type: 'number' }),
              explanation: nullable({ type: 'string' }),
            },
          }),
          metadata: nullable({ type: 'object' }),
          identifier: { type: 'string' },
          trace_id: { type: 'string' },
        },
      },
    },
  },
}
const isPublished = new Ajv2020().compile(BODY)

interface Annotation {
  readonly trace_id: string
  readonly name: string
  readonly identifier: string
}

/** Keeps one annotation for each trace, name and identifier, and refuses a whole request that names an unknown trace, as Phoenix does. */
async function startPhoenix(traces: readonly string[], status = 200) {
  const kept = new Map<string, Annotation>()
  const platform = await startPlatform(({ method, url, body }) => {
    expect([method, url.pathname, url.searchParams.get('sync')]).toEqual(['POST', '/v1/trace_annotations', 'true'])
    expect(isPublished(body), JSON.stringify(isPublished.errors)).toBe(true)
    if (status !== 200) return { status, body: 'no' }
    const { data } = body as { data: Annotation[] }
    const missing = data.filter(({ trace_id }) => !traces.includes(trace_id))
    if (missing.length > 0) return { status: 404, body: 'Traces do not exist.' }
    for (const one of data) kept.set(JSON.stringify([one.trace_id, one.name, one.identifier]), one)
    return { status: 200, body: { data: data.map((_, at) => ({ id: String(at) })) } }
  })
  return { ...platform, kept }
}

describe.skipIf(!isInstalled('phoenix'))('the official client, to a Phoenix on loopback', () => {
  test('sends labels as annotations of their traces, in one request, and the same again changes nothing', async () => {
    const phoenix = await startPhoenix(TRACES)
    const input = await realResults()
    const push = () => runNode([PUSH], { PHOENIX_HOST: phoenix.url, PHOENIX_API_KEY: 'key' }, { input })
    const first = await push()
    expect(first.err).toContain('sent 2 · not sent: no trace id 1, failed 1, unverified 1')
    expect(first.code).toBe(3)
    expect(phoenix.asked[0]?.headers.authorization).toBe('Bearer key')
    const kept = [...phoenix.kept.values()]
    const result = { label: 'aligned', score: null, explanation: 'by good; confidence medium; 2 of 2 citations hold' }
    expect(kept[0]).toMatchObject({ trace_id: TRACES[0], name: 'tab-behavior', annotator_kind: 'LLM', result })
    expect(kept[0]?.identifier).toMatch(/^grd_/)
    expect(kept[1]).toMatchObject({ trace_id: TRACES[1], annotator_kind: 'CODE' })
    await push()
    expect([...phoenix.kept.values()]).toEqual(kept)
    expect(phoenix.asked).toHaveLength(2)
  })

  test('a trace that Phoenix does not have is named, and the others are sent', async () => {
    const phoenix = await startPhoenix([TRACES[1]])
    const ran = await runNode([PUSH], { PHOENIX_HOST: phoenix.url }, { input: await realResults() })
    expect(ran.err).toContain(`not sent: first: Phoenix has no trace ${TRACES[0]}`)
    expect(ran.err).toContain('sent 1 · not sent: no trace id 1, refused 1')
    expect([...phoenix.kept.values()].map(({ trace_id }) => trace_id)).toEqual([TRACES[1]])
  })

  test.each([
    [403, 'Phoenix: refused the key (403): PHOENIX_API_KEY'],
    [500, 'Phoenix: '],
  ])('%d stops it with the line to go on from', async (status, why) => {
    const phoenix = await startPhoenix(TRACES, status)
    const ran = await runNode([PUSH], { PHOENIX_HOST: phoenix.url }, { input: await realResults() })
    expect(ran.code).toBe(1)
    expect(ran.err).toContain(why)
    expect(ran.err).toContain('Stopped: 0 sent. The same command with --from 1 goes on.')
  })

  test('a key that cannot be sent is not repeated', async () => {
    const phoenix = await startPhoenix(TRACES)
    const ran = await runNode(
      [PUSH],
      { PHOENIX_HOST: phoenix.url, PHOENIX_API_KEY: 'secret\nkey' },
      { input: await realResults() },
    )
    expect(ran.code).toBe(1)
    expect(ran.err).toContain('PHOENIX_API_KEY')
    expect(ran.err).not.toContain('secret')
  })
})

test('without an account it shows what it would send', async () => {
  const ran = await runNode([PUSH, '--dry-run'], {}, { input: await realResults() })
  const lines = ran.out.trim().split('\n')
  expect(isPublished({ data: lines.map((line) => JSON.parse(line) as unknown) })).toBe(true)
  expect(lines).toHaveLength(2)
  expect(ran.err).toContain('would send 2')
})
