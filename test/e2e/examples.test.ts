import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import { LABELS } from '../../src/schemas/vocabulary.ts'
import { startApp, type TestApp } from '../start-app.ts'

const NAMES = readdirSync('examples', { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : [],
)
const read = (name: string, file: string): unknown => JSON.parse(readFileSync(`examples/${name}/${file}`, 'utf8'))

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

test.each(NAMES)('example %s is graded as expected, and every citation reads the same at its place', async (name) => {
  const trajectory = read(name, 'trajectory.json')
  const grade = (
    await app.post('/v1/grades', { trajectory, ground_truth: read(name, 'ground-truth.json') })
  ).json<Grade>()
  expect({ label: grade.label, status: grade.status }).toEqual({
    label: (read(name, 'expected.json') as Grade).label,
    status: (read(name, 'expected.json') as Grade).status,
  })
  expect(grade.receipt.warnings).toEqual([])
  for (const citation of grade.citations) {
    expect(citation.status).toBe('verified')
    expect(resolve(trajectory, citation.path ?? '').slice(citation.start ?? 0, citation.end ?? 0)).toBe(citation.quote)
  }
})

test('the examples cover all five labels and an unverified one', () => {
  const expected = NAMES.map((name) => read(name, 'expected.json') as Grade)
  expect(new Set(expected.flatMap((one) => one.label ?? []))).toEqual(new Set(LABELS))
  expect(expected.map((one) => one.status)).toContain('unverified')
})

function resolve(document: unknown, path: string): string {
  const [outer = '', inner] = path.split('#')
  const value = outer
    .split('/')
    .slice(1)
    .reduce<unknown>(
      (node, key) => (node as Record<string, unknown>)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
      document,
    )
  return inner === undefined ? String(value) : resolve(JSON.parse(String(value)), inner)
}
