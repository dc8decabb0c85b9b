import { beforeEach, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Report } from '../../src/schemas/report.ts'
import type { Disagreement } from '../../src/schemas/review.ts'
import type { GradeOverview } from '../../src/schemas/views.ts'
import { useApp } from '../start-app.ts'
import { GROUND_TRUTH, makeGrade } from '../storage/make-grade.ts'

const app = useApp()
let grades: Grade[]
beforeEach(async () => {
  const { stores } = app.context
  // Two judges disagree in each of two versions.
  grades = [
    makeGrade({ key: 'a', rubric: 'tab-behavior@1' }),
    makeGrade({ key: 'b', rubric: 'tab-behavior@2', label: 'ignored', judge: 'openai' }),
    makeGrade({ key: 'c', rubric: 'injection@1', label: 'ignored' }),
  ]
  for (const grade of grades) await stores.grades.put({ grade, ground_truth: GROUND_TRUTH })
})

const itemsOf = async <T>(path: string): Promise<T[]> => {
  const response = await app.get(path)
  expect(response.statusCode, response.body).toBe(200)
  return response.json<{ items: T[] }>().items
}

test('the id of a rubric lists the grades of all its versions', async () => {
  const ids = async (rubric: string) => (await itemsOf<Grade>(`/v1/grades?rubric=${rubric}`)).map(({ id }) => id)
  const [first, second, other] = grades.map(({ id }) => id)
  expect(await ids('tab-behavior')).toEqual([second, first])
  expect(await ids('tab-behavior@1')).toEqual([first])
  expect(await ids('injection')).toEqual([other])
  const overview = await app.read<GradeOverview>('/v1/grades/overview?rubric=tab-behavior')
  expect(overview.total).toBe(2)
})

test('so it does for disagreements, stored agreement, re-grades and reports', async () => {
  const queue = await itemsOf<Disagreement>('/v1/disagreements?rubric=tab-behavior')
  expect(queue.map(({ rubric }) => rubric)).toEqual(['tab-behavior'])
  const agreement = await app.post('/v1/agreement', {
    stored: { raters: ['judge:lexical', 'judge:openai'], query: { rubric: 'tab-behavior' } },
  })
  expect(agreement.json()).toMatchObject({ n_items: 1, n_ratings: 2 })
  const query = { rubric: 'tab-behavior' }
  const regrade = await app.post('/v1/regrades', { query, judge: 'lexical', cache: 'refresh', dry_run: true })
  // Chosen, though their trajectories were never uploaded here.
  expect(regrade.json()).toMatchObject({ code: 'unknown_trajectory', errors: [{ path: '/items/0/trajectory/id' }] })
  const report = await app.read<Report>('/v1/reports?rubric=injection&draws=100')
  expect(report).toMatchObject({ rubric: 'injection@1', overall: { counts: { n: 1 } } })
})

test('a report counts a trial once: of several versions one must be named', async () => {
  const response = await app.get('/v1/reports?rubric=tab-behavior&judge=lexical&draws=100')
  expect(response.json<Report>().rubric).toBe('tab-behavior@1')
  const grade = makeGrade({ key: 'd', rubric: 'tab-behavior@2' })
  await app.context.stores.grades.put({ grade, ground_truth: GROUND_TRUTH })
  const several = await app.get('/v1/reports?rubric=tab-behavior&judge=lexical')
  expect(several.statusCode).toBe(400)
  expect(several.json()).toMatchObject({
    code: 'several_graders',
    errors: [{ path: '/querystring/rubric', message: 'is needed, one of: tab-behavior@1, tab-behavior@2' }],
  })
})

test('a rubric of which nothing is stored has an empty report of its own labels', async () => {
  const report = await app.read<Report>('/v1/reports?rubric=failure-attribution&draws=100')
  expect(report).toMatchObject({ rubric: null, overall: { counts: { n: 0 } } })
  expect(Object.keys(report.overall?.claims ?? {})).toContain('failure.category')
})
