import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Comment } from '../../src/schemas/comment.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { GROUND_TRUTH } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { expectContract } from './contract.ts'

let app: TestApp
const grades: Grade[] = []
beforeAll(async () => {
  app = await startApp()
  const steps = [3, 7].map((step_id) => ({ step_id, actor: 'tool_output', text: `line ${step_id}` }))
  for (const text of ['make one', 'make two']) {
    const ground_truth = { ...GROUND_TRUTH, cue: { text } }
    grades.push((await app.post('/v1/grades', { trajectory: { steps }, ground_truth })).json<Grade>())
  }
})
afterAll(() => app.stop())

const idOf = (at: number): string => grades[at]?.id ?? ''

async function comment(id: string, body: object, headers: Record<string, string> = {}) {
  const response = await app.post(`/v1/grades/${id}/comments`, body, headers)
  expectContract(response, 'post', '/v1/grades/{id}/comments')
  return response
}

async function list(id: string, query = ''): Promise<{ items: Comment[]; next_cursor: string | null }> {
  const response = await app.get(`/v1/grades/${id}/comments?${query}`)
  expectContract(response, 'get', '/v1/grades/{id}/comments')
  expect(response.statusCode, response.body).toBe(200)
  return response.json()
}

test('a comment is stored once, and stands at every grade of its trajectory, oldest first', async () => {
  const first = await comment(idOf(0), { step_id: 7, text: 'Seen.\0 \u202e', rater: 'Ada L.' })
  expect(first.statusCode, first.body).toBe(201)
  const once = { 'idempotency-key': 'once' }
  const second = await comment(idOf(1), { step_id: 3, text: 'Who wrote this?' }, once)
  expect((await comment(idOf(1), { step_id: 3, text: 'Who wrote this?' }, once)).json()).toEqual(second.json())
  expect(first.json()).toMatchObject({ step_id: 7, text: 'Seen.\0 \u202e', rater: 'Ada L.', grade_id: idOf(0) })
  expect(second.json()).toMatchObject({ step_id: 3, rater: null, grade_id: idOf(1) })
  const both = [first.json<Comment>(), second.json<Comment>()]
  for (const at of [0, 1]) expect(await list(idOf(at))).toEqual({ items: both, next_cursor: null })
  const page = await list(idOf(0), 'limit=1')
  expect(page.items).toEqual([both[0]])
  expect(await list(idOf(0), `limit=1&cursor=${page.next_cursor}`)).toEqual({ items: [both[1]], next_cursor: null })
})

test.each([
  ['a step that is not there', { step_id: 4, text: 'x' }],
  ['no text', { step_id: 3, text: ' \n' }],
  ['too long a text', { step_id: 3, text: 'x'.repeat(5001) }],
  ['a name that cannot be seen', { step_id: 3, text: 'x', rater: 'a\u202eb' }],
  ['half of a character', { step_id: 3, text: 'cut \ud83d here' }],
  ['more than is known', { step_id: 3, text: 'x', label: 'aligned' }],
])('%s is refused', async (_what, body) => {
  expect((await comment(idOf(0), body)).statusCode).toBe(400)
})

test('of no grade is 404', async () => {
  expect((await comment('grd_none', { step_id: 3, text: 'x' })).statusCode).toBe(404)
  expect((await app.get('/v1/grades/grd_none/comments')).statusCode).toBe(404)
})
