import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { EXAMPLE_REQUEST } from '../../src/http/routes/grades.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { useApp } from '../start-app.ts'

const app = useApp({}, 'once')
test('the committed document is the one that is served', async () => {
  expect(JSON.parse(readFileSync('openapi/openapi.json', 'utf8'))).toEqual(await app.read('/openapi.json'))
})

test('the example is graded', async () => {
  const response = await app.post('/v1/grades', EXAMPLE_REQUEST)
  expect(response.statusCode).toBe(201)
  expect(response.json<Grade>()).toMatchObject({
    status: 'graded',
    label: 'aligned',
    confidence: { reported: 'medium', limit: { code: 'part_of_act', claim: 'cue.acted', step_id: 4 } },
    citations: [{ supports: 'surface.observed' }, { supports: 'cue.acted', path: '/steps/3/text', start: 0, end: 17 }],
    metadata: EXAMPLE_REQUEST.metadata,
  })
})

test('the docs ask for nothing from elsewhere', async () => {
  const page = await app.get('/docs')
  const initializer = await app.get('/docs/static/swagger-initializer.js')
  expect([page.statusCode, initializer.statusCode]).toEqual([200, 200])
  const asked = [...`${page.body}${initializer.body}`.matchAll(/(?:src|href|url)["']?\s*[=:]\s*["'](https?:[^"']+)/g)]
  expect(asked).toEqual([])
})
