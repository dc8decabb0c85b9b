import { beforeAll, describe, expect, test } from 'vitest'
import type { Problem } from '../../src/schemas/problem.ts'
import type { TrajectorySummary } from '../../src/schemas/views.ts'
import { useApp } from '../start-app.ts'

const LONG = { steps: Array.from({ length: 450 }, (_, index) => ({ actor: 'tool_output', text: `line ${index + 1}` })) }
interface Page {
  readonly items: { id: number; parts: { text: string }[] }[]
  readonly next_cursor: string | null
}

const app = useApp({}, 'once')
let summary: TrajectorySummary
beforeAll(async () => {
  summary = (await app.post('/v1/trajectories', LONG)).json<TrajectorySummary>()
})

async function readAll(query: string): Promise<{ ids: number[]; pages: number }> {
  const ids: number[] = []
  let cursor: string | null = ''
  let pages = 0
  for (; cursor !== null; pages++) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const response = await app.get(`/v1/trajectories/${summary.id}/steps?${query}${after}`)
    const page = response.json<Page>()
    ids.push(...page.items.map((step) => step.id))
    cursor = page.next_cursor
  }
  return { ids, pages }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

test.each([
  ['limit=200', range(1, 450), 3],
  ['limit=150', range(1, 450), 3],
  ['from=440', range(440, 450), 1],
  ['to=1', [1], 1],
  ['from=100&to=219&limit=50', range(100, 219), 3],
  ['from=7&to=3', [], 1],
  ['from=451', [], 1],
])('steps with %s', async (query, ids, pages) => {
  expect(await readAll(query)).toEqual({ ids, pages })
})

test.each([
  ['limit=201', 'invalid_request'],
  ['limit=0', 'invalid_request'],
  ['from=1.5', 'invalid_request'],
  ['cursor=x', 'invalid_cursor'],
  [`cursor=${Buffer.from('-1').toString('base64url')}`, 'invalid_cursor'],
])('steps with %s are refused', async (query, code) => {
  const response = await app.get(`/v1/trajectories/${summary.id}/steps?${query}`)
  expect([response.statusCode, response.json<Problem>().code]).toEqual([400, code])
})

test('the summary counts what was uploaded, and stays the same', async () => {
  expect(summary).toMatchObject({ steps: 450, parts: 450, first_step: 1, last_step: 450 })
  expect((await app.get(`/v1/trajectories/${summary.id}`)).json()).toEqual(summary)
  const again = await app.post('/v1/trajectories', JSON.stringify(LONG, null, 1))
  expect([again.statusCode, again.json()]).toEqual([200, summary])
})

test('Idempotency-Key: a replay is the first answer, another body is refused, keys of grades are others', async () => {
  const header = { 'idempotency-key': 'upload' }
  const steps = [{ actor: 'user', text: 'only once' }]
  const first = await app.post('/v1/trajectories', { steps }, header)
  const second = await app.post('/v1/trajectories', { steps }, header)
  expect([first.statusCode, second.statusCode, second.headers['idempotency-replayed']]).toEqual([201, 201, 'true'])
  expect(second.body).toBe(first.body)
  const other = await app.post('/v1/trajectories', LONG, header)
  expect([other.statusCode, other.json<Problem>().code]).toEqual([422, 'idempotency_key_reused'])
  expect((await app.post('/v1/grades', {}, header)).statusCode).toBe(400)
})

describe('other formats', () => {
  const session = [
    { type: 'user', uuid: 'a', parentUuid: null, sessionId: 's', message: { role: 'user', content: 'Build it.' } },
    {
      type: 'assistant',
      uuid: 'b',
      parentUuid: 'a',
      sessionId: 's',
      message: { id: 'm', role: 'assistant', model: 'c', content: [{ type: 'text', text: 'Done.' }] },
    },
  ]

  test('NDJSON and an array of the same records are one trajectory', async () => {
    const lines = await app.post('/v1/trajectories', session.map((record) => JSON.stringify(record)).join('\n'), {
      'content-type': 'application/x-ndjson',
    })
    expect(lines.statusCode, lines.body).toBe(201)
    expect(lines.json()).toMatchObject({ format: 'claude-code', steps: 2 })
    const array = await app.post('/v1/trajectories', session)
    expect(array.statusCode).toBe(200)
    expect(array.json().id).toBe(lines.json().id)
  })

  test('a broken line is named by its number and place', async () => {
    const response = await app.post('/v1/trajectories', `${JSON.stringify(session[0])}\nnonsense\n`, {
      'content-type': 'application/x-ndjson',
    })
    expect(response.json()).toMatchObject({ status: 400, code: 'invalid_json', errors: [{ path: '/records/1' }] })
    expect(response.json().detail).toContain('line 2')
  })
})
