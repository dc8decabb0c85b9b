import { describe, expect, test } from 'vitest'
import { REQUEST } from '../grading/harness.ts'
import { useApp } from '../start-app.ts'

/** Whatever is sent: a 4xx as problem+json that names the place, and a process that lives on. */
const LEXICAL = { ...REQUEST, judge: 'lexical' }
const about = (truth: object) => ({ ...LEXICAL, ground_truth: truth })
const runOf = (trajectory: object) => ({ ...LEXICAL, trajectory })
const run = (...steps: unknown[]) => runOf({ schema_version: 'ATIF-v1.7', agent: { name: 'a', version: '1' }, steps })
const acts = (...action_anchors: unknown[]) => ({ cue: { text: 'x', action_anchors } })
const said = (message: unknown) => ({ step_id: 1, source: 'user', message })
const UNKNOWN = { id: `sha256:${'0'.repeat(64)}` }
const NEVER_GRADED = { steps: [{ actor: 'user', text: 'never graded' }] }
const deep = (levels: number) => `{"trajectory":${'['.repeat(levels)}${']'.repeat(levels)}}`

const app = useApp({ limits: { body_bytes: 300_000, max_steps: 50, max_part_chars: 20_000 } }, 'once')

/** Bodies that do not fit the schema, and the place of the fault. */
type Unfit = [name: string, body: unknown, path: string]
const UNFIT: Unfit[] = [
  ['an array', [], ''],
  ['null', 'null', ''],
  ['no trajectory', { ground_truth: LEXICAL.ground_truth }, '/trajectory'],
  ['no ground truth', { trajectory: LEXICAL.trajectory }, '/ground_truth'],
  ['a trajectory that is text', { ...LEXICAL, trajectory: 'x' }, '/trajectory'],
  ['no instruction', about({ cue: { text: 'x' } }), '/ground_truth/instruction'],
  ['neither cue nor distractor', about({ instruction: 'x' }), '/ground_truth'],
  ['a cue without text', about({ instruction: 'x', cue: {} }), '/ground_truth/cue/text'],
  ['an unknown field', { ...LEXICAL, rubrik: 'x' }, '/rubrik'],
  ['no samples', { ...LEXICAL, samples: 0 }, '/samples'],
  ['samples as text', { ...LEXICAL, samples: '3' }, '/samples'],
  ['an unknown cache mode', { ...LEXICAL, cache: 'maybe' }, '/cache'],
  ['no steps', run(), '/trajectory/steps'],
  ['steps that are no list', runOf({ schema_version: 'ATIF-v1.7', steps: 7 }), '/trajectory/steps'],
  ['a step that is no object', run(7), '/trajectory/steps/0'],
  ['a message of the wrong type', run(said(7)), '/trajectory/steps/0/message'],
  ['a lone surrogate', JSON.stringify(run(said('hi'))).replace('"hi"', '"\\ud800"'), '/trajectory/steps/0/message'],
  ['a huge part', run(said('x'.repeat(20_001))), '/trajectory/steps/0/message'],
  ['duplicate step ids', run(said('x'), said('x')), '/trajectory/steps/1/step_id'],
  ['too many steps', runOf({ steps: Array(51).fill({ actor: 'user', text: 'x' }) }), '/trajectory/steps'],
]

/** Members of a good ground truth that are replaced, and the place of the fault below it. */
const UNFIT_TRUTHS = (
  [
    ['a blank instruction', { instruction: ' \n\t' }, '/instruction'],
    ['a blank cue', { cue: { text: '\u00a0\u3000' } }, '/cue/text'],
    ['a blank anchor', { cue: { text: 'x', anchors: [' '] } }, '/cue/anchors/0'],
    ['a blank action anchor', acts('\u200b'), '/cue/action_anchors/0'],
    ['a call with a blank argument', acts('y', { tool: 'z', argument: '\t' }), '/cue/action_anchors/1/argument'],
    ['a call without its tool', acts({ argument: 'y' }), '/cue/action_anchors/0/tool'],
    ['an act of no kind', { cue: { text: 'x', acted_by: 'printing' } }, '/cue/acted_by'],
    ['a distractor of no width', { distractor: '\u200b\ufeff\u2060' }, '/distractor'],
    ['an unknown field inside', { signals: { exeuted: true } }, '/signals/exeuted'],
    ['a signal that is text', { signals: { executed: 'yes' } }, '/signals/executed'],
  ] as [string, object, string][]
).map(([name, truth, path]): Unfit => [name, about({ ...LEXICAL.ground_truth, ...truth }), `/ground_truth${path}`])

const BOMB_OF_TEXT = `{"trajectory":{"x":"${'[['.repeat(50)}"},"ground_truth":${'{"a":'.repeat(80)}1${'}'.repeat(80)}}`

type Case = [name: string, body: unknown, status: number, code: string, path: string | null]
const CASES: Case[] = [
  ...[...UNFIT, ...UNFIT_TRUTHS].map(([name, body, path]): Case => [name, body, 400, 'invalid_request', path]),
  ['nothing', '', 400, 'invalid_json', null],
  ['not JSON', '{"trajectory": ', 400, 'invalid_json', ''],
  ['two JSON values', '{} {}', 400, 'invalid_json', ''],
  ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'invalid_json', ''],
  ['an unknown judge', { ...LEXICAL, judge: 'nobody' }, 400, 'unknown_judge', '/judge'],
  ['an unknown rubric', { ...LEXICAL, rubric: 'tab-behavior@99' }, 400, 'unknown_rubric', '/rubric'],
  ['an unknown trajectory id', { ...LEXICAL, trajectory: UNKNOWN }, 404, 'unknown_trajectory', '/trajectory/id'],
  ['a depth bomb', deep(100_000), 400, 'too_deep', ''],
  ['a depth bomb of text', BOMB_OF_TEXT, 400, 'too_deep', ''],
  ['a body that is too large', { ...LEXICAL, metadata: { note: 'x'.repeat(300_000) } }, 413, 'body_too_large', null],
  ['only from the cache', { ...LEXICAL, trajectory: NEVER_GRADED, cache: 'only' }, 404, 'not_cached', '/cache'],
]

describe('POST /v1/grades with', () => {
  test.each(CASES)('%s', async (_name, body, status, code, path) => {
    const response = await app.post('/v1/grades', body)
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code])
    expect(response.headers['content-type']).toContain('application/problem+json')
    if (path !== null)
      expect(response.json<{ errors: { path: string }[] }>().errors.map((one) => one.path)).toContain(path)
    expect((await app.get('/healthz')).statusCode).toBe(200)
  })

  test('a log sent as an array: the answer says how logs are sent', async () => {
    const { errors } = (await app.post('/v1/grades', { ...LEXICAL, trajectory: [{ type: 'user' }] })).json<{
      errors: { message: string }[]
    }>()
    expect(errors[0]?.message).toContain('must be object')
    expect(errors[0]?.message).toContain('{ "records": [ … ] }')
  })

  test.each([
    ['in other letters', { 'content-type': 'Application/JSON; Charset=UTF-8' }, 400, 'invalid_request'],
    ['of a relative', { 'content-type': 'application/vnd.api+json' }, 415, 'unsupported_media_type'],
    ['that is none', { 'content-type': 'application' }, 415, 'unsupported_media_type'],
    ['and an empty Idempotency-Key', { 'idempotency-key': '' }, 400, 'invalid_request'],
    ['and a long Idempotency-Key', { 'idempotency-key': 'x'.repeat(256) }, 400, 'invalid_request'],
  ])('a content type %s', async (_name, headers, status, code) => {
    const response = await app.post('/v1/grades', { ...LEXICAL, samples: -1 }, headers)
    expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code])
  })

  const TYPE = 'set the header Content-Type: application/json'
  const CHARSET = 'send the body as UTF-8: set Content-Type without a charset, or with charset=utf-8'
  test.each([
    ['/v1/grades', 'application/x-ndjson', 'unsupported_media_type', TYPE],
    ['/v1/grades', 'text/yaml', 'unsupported_media_type', TYPE],
    ['/v1/batches', 'text/csv', 'unsupported_media_type', `${TYPE} or application/x-ndjson`],
    ['/v1/batches', 'application/x-www-form-urlencoded', 'unsupported_media_type', expect.stringContaining('--data')],
    ['/v1/grades', 'application/json; charset=latin1', 'unsupported_encoding', CHARSET],
    ['/v1/batches', 'application/x-ndjson;charset="UTF-16"', 'unsupported_encoding', CHARSET],
  ])('%s as %s', async (path, type, code, detail) => {
    const response = await app.post(path, LEXICAL, { 'content-type': type })
    expect([response.statusCode, response.json()]).toEqual([415, expect.objectContaining({ code, detail })])
  })

  test.each(['application/json; charset="utf-8"', 'application/json;charset=US-ASCII', 'application/json; v=1'])(
    'JSON as %s',
    async (type) => {
      expect((await app.post('/v1/grades', LEXICAL, { 'content-type': type })).statusCode).toBeLessThan(300)
    },
  )

  test.each([
    ['/v1/grades', (body: object) => JSON.stringify(body), 'application/json', ''],
    ['/v1/batches', (body: object) => `${JSON.stringify(body)}\n`, 'application/x-ndjson', '/items/0'],
  ] as const)('%s: what is missing and what is unknown, at once', async (path, text, type, place) => {
    const { trajectory } = LEXICAL
    const unknown = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`unknown_${n}`, n]))
    const paths = async (body: object) =>
      (await app.post(path, text(body), { 'content-type': type }))
        .json<{ errors: { path: string }[] }>()
        .errors.map((one) => one.path.replace(place, ''))
    expect((await paths({ trajectory, groundtruth: {}, rubrik: 'x' })).sort()).toEqual([
      '/ground_truth',
      '/groundtruth',
      '/rubrik',
    ])
    expect(await paths({ ...LEXICAL, ...unknown })).toHaveLength(20)
  })

  test.each([
    ['openai', 'the judge openai is not configured: set OPENAI_API_KEY in the environment of Veridict'],
    ['anthropic', 'the judge anthropic is not configured: set ANTHROPIC_API_KEY in the environment of Veridict'],
    ['nobody', 'there is no such judge: nobody'],
  ])('the judge %s, which is not there', async (judge, detail) => {
    const response = await app.post('/v1/grades', { ...LEXICAL, judge })
    expect(response.json()).toMatchObject({ status: 400, code: 'unknown_judge', detail })
  })
})

test.each([
  ['/v1/grades/grd_nothing', 404, 'not_found'],
  ['/v1/trajectories/sha256:0', 404, 'not_found'],
  ['/v1/rubrics/nothing', 404, 'not_found'],
  ['/v1/nothing', 404, 'not_found'],
  ['/v1/grades?limit=0', 400, 'invalid_request'],
  ['/v1/grades?colour=red', 400, 'invalid_request'],
  [`/v1/grades?label=${'x'.repeat(101)}`, 400, 'invalid_request'],
  ['/v1/grades?cursor=AAAA', 400, 'invalid_cursor'],
  ['/v1/grades?limit=2&limit=3', 400, 'invalid_request'],
  ['/v1/grades?limit=1e9', 400, 'invalid_request'],
  ['/v1/judges?colour=red', 400, 'invalid_request'],
  ['/v1/grades/%zz', 400, 'invalid_request'],
  [`/v1/grades/${'x'.repeat(150)}`, 400, 'invalid_request'],
  [`/v1/grades/${'x'.repeat(1000)}`, 404, 'not_found'],
  ['/v1/rubrics/__proto__', 404, 'not_found'],
])('GET %s', async (url, status, code) => {
  const response = await app.get(url)
  expect([response.statusCode, response.json<{ code: string }>().code]).toEqual([status, code])
  expect(response.headers['content-type']).toBe('application/problem+json')
})

test.each([
  ['DELETE', '/v1/grades', 405, 'GET, HEAD, POST'],
  ['PUT', '/v1/grades/grd_x?y=1', 405, 'GET, HEAD'],
  ['POST', '/v1/trajectories/sha256:0/steps', 405, 'GET, HEAD'],
  ['PATCH', '/v1/rubrics/tab-behavior@1', 405, 'GET, HEAD'],
  ['PUT', '/audit/', 405, 'GET, HEAD'],
  ['OPTIONS', '/audit/grades', 405, 'GET, HEAD'],
  ['DELETE', '/audit', 405, 'GET, HEAD'],
  ['POST', '/v1/regrades/x', 404, undefined],
  ['HEAD', '/audit/assets/nothing.js', 404, undefined],
  ['POST', '/v1/nothing', 404, undefined],
  ['DELETE', '/v1/grades/a/b/c', 404, undefined],
] as const)('%s %s', async (method, url, status, allow) => {
  const response = await app.send({ method, url })
  expect([response.statusCode, response.headers.allow]).toEqual([status, allow])
  expect(response.headers['content-type']).toBe('application/problem+json')
})
