import { expect, test } from 'vitest'
import { readTrajectory } from '../../src/formats/read.ts'
import { LARGE_BODY } from '../../src/offload/large-body.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Problem } from '../../src/schemas/problem.ts'
import { GROUND_TRUTH, REQUEST } from '../grading/harness.ts'
import { postJson } from '../local-server.ts'
import { PNG, runWithPictures } from '../pictures.ts'
import { useApp } from '../start-app.ts'

/** White space behind a body changes nothing but the thread that reads it. */
const PADDING = ' '.repeat(LARGE_BODY)
const LEXICAL = { ...REQUEST, judge: 'lexical' }

const app = useApp({}, 'once')

const nested = `${'['.repeat(70)}${']'.repeat(70)}`

test.each([
  ['no JSON', '{"trajectory": nothing'],
  ['an end in the middle', '{"trajectory": '],
  ['no object', '[1, 2]'],
  ['no trajectory', JSON.stringify({ ...LEXICAL, trajectory: undefined })],
  ['a trajectory that is a text', JSON.stringify({ ...LEXICAL, trajectory: 'x' })],
  ['an unknown property', JSON.stringify({ ...LEXICAL, surprise: 1 })],
  ['a key that stands twice', JSON.stringify(LEXICAL).replace('{', '{"judge":"lexical",')],
  ['nesting', JSON.stringify(LEXICAL).replace('{', `{"deep":${nested},`)],
  ['half a character', JSON.stringify({ ...LEXICAL, judge: 'x' }).replace('"x"', '"\\ud800"')],
  ['a member with a name of JavaScript', JSON.stringify(LEXICAL).replace('{', '{"__proto__":{},')],
  ['an unknown judge', JSON.stringify({ ...LEXICAL, judge: 'nobody' })],
  ['an unknown id', JSON.stringify({ ...LEXICAL, trajectory: { id: `sha256:${'0'.repeat(64)}` } })],
  ['a trajectory that cannot be read', JSON.stringify({ ...LEXICAL, trajectory: { steps: [{ actor: 'nobody' }] } })],
  ['a document of no format', JSON.stringify({ ...LEXICAL, trajectory: {} })],
])('a large body with %s is refused as a small one is', async (_what, body) => {
  const small = await app.post('/v1/grades', body)
  const large = await app.post('/v1/grades', body.endsWith('}') || body.endsWith(']') ? body + PADDING : PADDING + body)
  expect(large.statusCode).toBe(small.statusCode)
  expect(small.statusCode).toBeGreaterThanOrEqual(400)
  const plain = ({ detail, ...problem }: Problem) => ({ ...problem, detail: detail?.replace(/at byte \d+/, 'at byte') })
  const [one, other] = [small.json<Problem>(), large.json<Problem>()].map((problem) => ({
    ...plain(problem),
    errors: problem.errors?.map(({ path, message }) => ({ path, message: message.replace(/at byte \d+/, 'at byte') })),
  }))
  expect(other).toEqual(one)
})

test.each([
  ['an unknown member', '/pad'],
  ['the metadata', '/metadata'],
  ['a ground truth', '/ground_truth'],
])('a body of which %s is large is refused at the member, before the main thread copies it', async (_what, path) => {
  const large = { extra: Array.from({ length: 600_000 }, () => ({})) }
  const refused = await app.post('/v1/grades', { ...LEXICAL, [path.slice(1)]: large })
  expect([refused.statusCode, refused.json<Problem>().code, refused.json<Problem>().errors?.[0]?.path]).toEqual([
    413,
    'body_too_large',
    path,
  ])
})

test.each(['/v1/grades', '/v1/trajectories', '/v1/batches', '/v1/agreement'])(
  'millions of values are refused before they are parsed: %s',
  async (path) => {
    const refused = await app.post(path, `{"pad":[${'{},'.repeat(2_000_001)}0]}`)
    expect([refused.statusCode, refused.json<Problem>().code]).toEqual([413, 'body_too_large'])
  },
)

test('a name of megabytes is cut where a fault is told', async () => {
  const refused = await app.post('/v1/agreement', { ['k'.repeat(3_000_000)]: 1 })
  expect(refused.statusCode).toBe(400)
  expect(refused.body.length).toBeLessThan(10_000)
})

test('a large body is graded as the same small one is, pictures and all, and its document is stored whole', async () => {
  const trajectory = runWithPictures([{ media_type: 'image/png', path: 'board.png', data: PNG }])
  const body = { ...LEXICAL, trajectory, metadata: { task: '‘quoted’ 🙂' } }
  const large = await app.post('/v1/grades', JSON.stringify(body) + PADDING)
  expect(large.statusCode).toBe(201)
  const grade = large.json<Grade>()
  const id = grade.receipt.trajectory as `sha256:${string}`
  expect(await app.context.service.trajectory(id)).toEqual(expectRead(trajectory))
  const small = await app.post('/v1/grades', body)
  expect([small.statusCode, small.json<Grade>().id]).toEqual([200, grade.id])
  expect((await app.context.stores.trajectories.get(id))?.document).toEqual(trajectory)
})

/** As the thread that reads small bodies has it. */
function expectRead(document: object) {
  const read = readTrajectory(document, app.context.config.limits)
  return read.ok ? read.value : null
}

/** Far more than the second that is promised: this machine may have a lot to do. What is checked is that no request waits for the whole grading. */
const MOST_WAIT_MS = 10_000
const OUTPUT = 'a line of output that shows none of the instructions\n'.repeat(17_000)

const run = {
  steps: [
    { actor: 'user', text: 'Build the project.' },
    { actor: 'agent_action', text: 'cat BUILD.txt' },
    { actor: 'tool_output', text: GROUND_TRUTH.cue.text },
    { actor: 'agent_action', text: 'make release-7f3a' },
    ...Array.from({ length: 12 }, () => ({ actor: 'tool_output', text: OUTPUT })),
    { actor: 'agent_action', text: 'for f in a b; do echo "$f" >> c; done\n'.repeat(50_000) },
  ],
}

test('others are answered while a run of 13 MB is graded', async () => {
  let isOver = false
  const origin = await app.listen()
  const grading = postJson(`${origin}/v1/grades`, { trajectory: run, ground_truth: GROUND_TRUTH, judge: 'lexical' })
  void grading.finally(() => (isOver = true))
  let longest = 0
  while (!isOver) {
    const asked = performance.now()
    expect((await fetch(`${origin}/healthz`)).status).toBe(200)
    longest = Math.max(longest, performance.now() - asked)
  }
  const response = await grading
  expect(response.status).toBe(201)
  // The last action is longer than what is read: a denial of the distractor’s act is not sure, whatever the judge says.
  expect(await response.json()).toMatchObject({ label: 'aligned', confidence: { reported: 'low' } })
  expect(longest).toBeLessThan(MOST_WAIT_MS)
})
