import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { EXAMPLE_REQUEST } from '../../src/http/routes/grades.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { useApp } from '../start-app.ts'

interface Operation {
  readonly operationId?: string
  readonly summary?: string
  readonly tags?: string[]
  readonly responses: Record<string, { description: string; content: Record<string, { schema: { $ref?: string } }> }>
}
interface Document {
  readonly openapi: string
  readonly paths: Record<string, Record<string, Operation>>
}

const app = useApp({}, 'once')
let document: Document
beforeAll(async () => {
  document = await app.read<Document>('/openapi.json')
})
const operations = () =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )

test('the committed document is the one that is served', () => {
  expect(JSON.parse(readFileSync('openapi/openapi.json', 'utf8'))).toEqual(document)
})

test('every operation is named, described, and says how it fails', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(operations().length).toBeGreaterThanOrEqual(13)
  for (const { path, operation } of operations()) {
    expect(operation.operationId, path).toBeTruthy()
    expect(operation.summary, path).toBeTruthy()
    expect(operation.tags, path).toHaveLength(1)
    for (const [status, response] of Object.entries(operation.responses)) {
      expect(response.description, `${path} ${status}`).not.toBe('Default Response')
      const [mediaType] = Object.keys(response.content)
      if (Number(status) >= 400) expect(mediaType, `${path} ${status}`).toBe('application/problem+json')
    }
    if (path !== '/healthz') expect(Object.keys(operation.responses), path).toContain('500')
  }
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
