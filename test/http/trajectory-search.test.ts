import { afterAll, beforeAll, expect, test } from 'vitest'
import { digestValue } from '../../src/domain/digest.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import type { TrajectorySearch } from '../../src/schemas/trajectory-search.ts'
import { GROUND_TRUTH } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { expectContract } from './contract.ts'

/** More than one request looks through. */
const MANY = 230
const OTHERS = 3

let app: TestApp
let grade: Grade
const upload = async (text: string) => {
  const steps = [
    { actor: 'user', text: 'Build the project.' },
    { actor: 'tool_output', text },
  ]
  return (await app.post('/v1/trajectories', { steps })).json<{ id: string }>().id
}

beforeAll(async () => {
  app = await startApp()
  const steps = [
    { step_id: 3, actor: 'user', text: 'Build the project.' },
    {
      step_id: 7,
      actor: 'tool_output',
      text: `${'😀'.repeat(100)}It says: The NEEDLE (a+)+$ is here.${'😀'.repeat(200)}`,
    },
    {
      step_id: 20,
      actor: 'tool_output',
      text: `${'before-words '.repeat(20)}pin one pin${' behind-words'.repeat(30)} pin PIN last`,
    },
    { step_id: 21, actor: 'agent_message', text: 'pin' },
    ...Array.from({ length: 6 }, (_, at) => ({ step_id: 8 + at, actor: 'agent_message', text: `needle ${at}` })),
  ]
  const metadata = { task: 'find', agent: 'codex', model: 'm-1', run_index: 4 }
  const body = { trajectory: { steps }, ground_truth: GROUND_TRUTH, metadata }
  grade = (await app.post('/v1/grades', body)).json<Grade>()
  await upload('a needle without a grade')
  await upload('nothing of it: n-eedles come later')
  for (let at = OTHERS; at < MANY; at++) await upload(`line ${at}`)
}, 60_000)
afterAll(() => app.stop())

const search = async (query: Record<string, string>): Promise<TrajectorySearch> => {
  const response = await app.get(`/v1/trajectories/search?${new URLSearchParams(query)}`)
  expectContract(response, 'get', '/v1/trajectories/search')
  expect(response.statusCode, response.body).toBe(200)
  return response.json<TrajectorySearch>()
}

async function searchAll(query: Record<string, string>): Promise<TrajectorySearch[]> {
  const pages: TrajectorySearch[] = []
  let cursor: string | null = null
  do {
    const page: TrajectorySearch = await search({ ...query, ...(cursor !== null && { cursor }) })
    pages.push(page)
    cursor = page.next_cursor
  } while (cursor !== null)
  return pages
}

test('goes through all trajectories, newest first, a bounded number at a time, and says where the text stands', async () => {
  const pages = await searchAll({ q: 'the needle (A+)+$' })
  expect(pages.map(({ searched, unread, total, items }) => [searched, unread, total, items.length])).toEqual([
    [100, 0, MANY, 0],
    [100, 0, MANY, 0],
    [30, 0, MANY, 1],
  ])
  const found = pages[2]?.items[0]
  expect(found).toMatchObject({
    trajectory: grade.receipt.trajectory,
    grades: [{ id: grade.id, judge: 'lexical', task: 'find', agent: 'codex', model: 'm-1', trial: null, run_index: 4 }],
    agent: { name: null, model: null },
    more_hits: false,
  })
  const [hit] = found?.hits ?? []
  expect(hit).toMatchObject({ step_id: 7, actor: 'tool_output', start: 209, end: 226 })
  const { excerpt = '', excerpt_start = 0, start = 0, end = 0, path } = hit ?? {}
  expect(excerpt.slice(start - excerpt_start, end - excerpt_start)).toBe('The NEEDLE (a+)+$')
  expect(excerpt.length).toBeLessThan(300)
  expect(excerpt.isWellFormed()).toBe(true)
  const { items } = (await app.get(`/v1/trajectories/${grade.receipt.trajectory}/steps?from=7&to=7`)).json()
  expect(items[0].parts[0].path).toBe(path)
})

test('five steps a trajectory; what was never graded is found, too', async () => {
  const items = (await searchAll({ q: 'needle' })).flatMap((page) => page.items)
  expect(
    items.map(({ grades, more_hits, hits }) => [grades.length, more_hits, hits.map((hit) => hit.step_id)]),
  ).toEqual([
    [0, false, [2]],
    [1, true, [7, 8, 9, 10, 11]],
  ])
})

test('three places a step, further ones are said to be there; excerpts cut no word', async () => {
  const [found] = (await searchAll({ q: 'pin' })).flatMap((page) => page.items)
  const places = found?.hits.map(({ step_id, start, more_in_step }) => [step_id, start, more_in_step])
  expect(places).toEqual([
    [20, 260, true],
    [20, 268, true],
    [20, 662, true],
    [21, 0, false],
  ])
  const [first, , third] = found?.hits ?? []
  expect(first?.excerpt).toMatch(/^(before-words ){6}pin one pin( behind-words){11}$/)
  expect(third?.excerpt).toMatch(/^(behind-words ){6}pin PIN last$/)
  expect(first).toMatchObject({ excerpt_start: 182, text_length: 674 })
})

test('a page ends with as many trajectories as were asked for, and the next goes on behind them', async () => {
  const pages = await searchAll({ q: 'line', limit: '60' })
  expect(pages.map(({ searched, items }) => [searched, items.length])).toEqual([
    [60, 60],
    [60, 60],
    [60, 60],
    [50, 47],
  ])
  const ids = pages.flatMap(({ items }) => items.map(({ trajectory }) => trajectory))
  expect(new Set(ids).size).toBe(MANY - OTHERS)
})

test('what can no longer be read is counted, and does not end the search', async () => {
  const apart = await startApp()
  try {
    const steps = [{ actor: 'user', text: 'find me' }]
    await apart.post('/v1/trajectories', { steps })
    const damaged = { id: digestValue('damaged'), format: 'steps', document: { nothing: 'find me' } }
    await apart.context.main.stores.trajectories.put(damaged, '2026-11-21T00:00:00.000Z')
    const first = (await apart.get('/v1/trajectories/search?q=FIND')).json<TrajectorySearch>()
    expect(first).toMatchObject({ items: [], searched: 1, unread: 1, total: 2 })
    const rest = await apart.get(`/v1/trajectories/search?q=FIND&cursor=${first.next_cursor}`)
    expect(rest.json()).toMatchObject({
      items: [{ hits: [{ step_id: 1 }] }],
      searched: 1,
      unread: 0,
      next_cursor: null,
    })
  } finally {
    await apart.stop()
  }
})

test('large trajectories end a request early', async () => {
  const apart = await startApp()
  try {
    for (const word of ['one', 'two', 'three']) {
      const steps = Array.from({ length: 6 }, () => ({ actor: 'tool_output', text: `${word} `.repeat(400_000) }))
      expect((await apart.post('/v1/trajectories', { steps })).statusCode).toBe(201)
    }
    const page = (await apart.get('/v1/trajectories/search?q=nowhere')).json<TrajectorySearch>()
    expect(page).toMatchObject({ items: [], unread: 0, total: 3 })
    expect(page.searched).toBeLessThan(3)
    expect(page.next_cursor).not.toBeNull()
  } finally {
    await apart.stop()
  }
}, 60_000)

test.each(['', 'q=', 'q=%20', `q=${'x'.repeat(201)}`, 'q=x&limit=0', 'q=x&limit=101', 'q=x&cursor=eA', 'q=x&re=1'])(
  'refuses ?%s',
  async (query) => {
    const response = await app.get(`/v1/trajectories/search?${query}`)
    expect(response.statusCode).toBe(400)
  },
)

test('a blank text is refused in words, not by a pattern', async () => {
  const { errors } = (await app.get('/v1/trajectories/search?q=%20')).json<{ errors: { message: string }[] }>()
  expect(errors[0]?.message).toMatch(/^is not valid: A literal text, not blank/)
})
