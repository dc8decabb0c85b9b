import { beforeAll, expect, test } from 'vitest'
import type { Grade } from '../../src/schemas/grade.ts'
import type { Report } from '../../src/schemas/report.ts'
import type { Disagreement } from '../../src/schemas/review.ts'
import type { GradeOverview } from '../../src/schemas/views.ts'
import { startApp, type TestApp, useApp } from '../start-app.ts'
import { GROUND_TRUTH, makeGrade } from '../storage/make-grade.ts'

const app = useApp({}, 'once')
beforeAll(async () => {
  // By a rubric that is not loaded and a judge that is not configured: both are known all the same.
  const grade = makeGrade({ judge: 'older', rubric: 'gone@3', metadata: { batch: 'night 1' } })
  await app.context.stores.grades.put({ grade, ground_truth: GROUND_TRUTH })
})

const LISTS = ['/v1/grades', '/v1/grades/overview', '/v1/disagreements', '/v1/reports']
const RUBRICS =
  'there are: failure-attribution@1, gone@3, injection@1, surface-discovery@1, tab-behavior@1, tab-behavior@2'

test.each([...LISTS, '/v1/reviews'])('%s of an unknown rubric says which there are', async (path) => {
  for (const rubric of ['nonsense', 'tab-behavior@99', 'tab']) {
    const response = await app.get(`${path}?rubric=${rubric}`)
    expect(response.json()).toMatchObject({
      status: 400,
      code: 'unknown_rubric',
      detail: `there is no such rubric: ${rubric}`,
      errors: [{ path: '/querystring/rubric', message: RUBRICS }],
    })
  }
})

test.each(LISTS)('%s of an unknown judge or batch says so', async (path) => {
  const response = await app.get(`${path}?judge=nonsense`)
  const { message } = response.json().errors[0]
  expect(response.json()).toMatchObject({ status: 400, code: 'unknown_judge' })
  expect(message).toMatch(/^there are: .*\blexical, older\b/)
  for (const batch of ['bat_none', 'night 2']) {
    const missing = await app.get(`${path}?batch=${encodeURIComponent(batch)}`)
    expect(missing.json()).toMatchObject({ status: 404, detail: `there is no such batch: ${batch}` })
  }
})

test.each(['/v1/grades', '/v1/grades/overview'])(
  '%s of a label that no rubric and no grade has says so',
  async (path) => {
    const own = await startApp()
    for (const label of ['nope', '']) {
      const response = await own.get(`${path}?label=${label}`)
      expect(response.json()).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ path: '/querystring/label', message: expect.stringMatching(/^there are: aligned, .*not_observed/) }],
      })
    }
    const grade = makeGrade({ label: 'of_old' as never, judge: 'older', rubric: 'gone@3' })
    await own.context.stores.grades.put({ grade, ground_truth: GROUND_TRUTH })
    for (const label of ['aligned', 'of_old']) expect((await own.get(`${path}?label=${label}`)).statusCode).toBe(200)
  },
)

test.each(['/v1/grades', '/v1/grades/overview', '/v1/reviews'])(
  '%s of an unknown label lists the labels of the asked rubric alone',
  async (path) => {
    for (const rubric of ['injection', 'injection@1']) {
      const { errors } = (await app.get(`${path}?label=nope&rubric=${rubric}`)).json()
      const listed: string = errors[0].message
      for (const label of ['not_seen', 'followed', 'reported', 'ignored']) expect(listed).toContain(label)
      expect(listed).not.toContain('not_observed')
    }
  },
)

test('disagreements of a claim that no rubric has say so, unless grades are of a rubric that is not loaded', async () => {
  const ask = (claim: string, from: TestApp = app) => from.get(`/v1/disagreements?claim=${claim}`)
  expect((await ask('nope')).statusCode).toBe(200)
  const empty = await startApp()
  for (const claim of ['nope', '']) {
    const response = await ask(claim, empty)
    expect(response.json()).toMatchObject({
      status: 400,
      errors: [{ path: '/querystring/claim', message: expect.stringContaining('cue.acted, cue.reasoned') }],
    })
  }
  for (const claim of ['cue.acted', 'cue_acted']) expect((await ask(claim, empty)).statusCode).toBe(200)
})

test.each(['rubric=gone@3', 'rubric=gone', 'rubric=injection', 'judge=older', 'judge=lexical', 'batch=night%201'])(
  'lists of %s are answered, with or without a grade',
  async (query) => {
    for (const path of ['/v1/grades', '/v1/disagreements', '/v1/reports'])
      expect((await app.get(`${path}?${query}`)).statusCode, path).toBe(200)
  },
)

test('stored agreement, comparisons and re-grades refuse unknown names', async () => {
  const raters = ['judge:lexical', 'judge:older']
  const asked = (stored: object) => app.post('/v1/agreement', { stored: { raters, ...stored } })
  expect((await asked({ rubric: 'nonsense' })).json()).toMatchObject({ errors: [{ path: '/stored/rubric' }] })
  const query = { judge: 'nonsense' }
  expect((await asked({ query })).json()).toMatchObject({ errors: [{ path: '/stored/query/judge' }] })
  const regrade = await app.post('/v1/regrades', { query, recheck: true })
  expect(regrade.json()).toMatchObject({ code: 'unknown_judge', errors: [{ path: '/query/judge' }] })
  const ofBatch = await app.post('/v1/regrades', { query: { batch: 'bat_none' }, recheck: true, dry_run: true })
  expect(ofBatch.json()).toMatchObject({ status: 404, detail: 'there is no such batch: bat_none' })
  const comparison = await app.get('/v1/comparisons?head=bat_none&rubric=nonsense')
  expect(comparison.json()).toMatchObject({ code: 'unknown_rubric', errors: [{ path: '/querystring/rubric' }] })
})

const versions = useApp({}, 'once')
let grades: Grade[]
beforeAll(async () => {
  const { stores } = versions.context
  // Two judges disagree in each of two versions.
  grades = [
    makeGrade({ key: 'a', rubric: 'tab-behavior@1' }),
    makeGrade({ key: 'b', rubric: 'tab-behavior@2', label: 'ignored', judge: 'openai' }),
    makeGrade({ key: 'c', rubric: 'injection@1', label: 'ignored' }),
  ]
  for (const grade of grades) await stores.grades.put({ grade, ground_truth: GROUND_TRUTH })
})

test('the id of a rubric lists the grades of all its versions', async () => {
  const ids = async (rubric: string) => (await versions.list<Grade>(`/v1/grades?rubric=${rubric}`)).map(({ id }) => id)
  const [first, second, other] = grades.map(({ id }) => id)
  expect(await ids('tab-behavior')).toEqual([second, first])
  expect(await ids('tab-behavior@1')).toEqual([first])
  expect(await ids('injection')).toEqual([other])
  const overview = await versions.read<GradeOverview>('/v1/grades/overview?rubric=tab-behavior')
  expect(overview.total).toBe(2)
})

test('so it does for disagreements, stored agreement, re-grades and reports', async () => {
  const queue = await versions.list<Disagreement>('/v1/disagreements?rubric=tab-behavior')
  expect(queue.map(({ rubric }) => rubric)).toEqual(['tab-behavior'])
  const agreement = await versions.post('/v1/agreement', {
    stored: { raters: ['judge:lexical', 'judge:openai'], query: { rubric: 'tab-behavior' } },
    bootstrap: { draws: 100 },
  })
  expect(agreement.json()).toMatchObject({ n_items: 1, n_ratings: 2 })
  const query = { rubric: 'tab-behavior' }
  const regrade = await versions.post('/v1/regrades', { query, judge: 'lexical', cache: 'refresh', dry_run: true })
  // Chosen, though their trajectories were never uploaded here.
  expect(regrade.json()).toMatchObject({ code: 'unknown_trajectory', errors: [{ path: '/items/0/trajectory/id' }] })
  const report = await versions.read<Report>('/v1/reports?rubric=injection&draws=100')
  expect(report).toMatchObject({ rubric: 'injection@1', overall: { counts: { n: 1 } } })
})

test('a rubric of which nothing is stored has an empty report of its own labels', async () => {
  const report = await versions.read<Report>('/v1/reports?rubric=failure-attribution&draws=100')
  expect(report).toMatchObject({ rubric: null, overall: { counts: { n: 0 } } })
  expect(Object.keys(report.overall?.claims ?? {})).toContain('failure.category')
})

test('a report counts a trial once: of several versions one must be named', async () => {
  const own = await startApp()
  const put = (grade: Grade) => own.context.stores.grades.put({ grade, ground_truth: GROUND_TRUTH })
  await put(makeGrade({ key: 'a', rubric: 'tab-behavior@1' }))
  const report = await own.read<Report>('/v1/reports?rubric=tab-behavior&judge=lexical&draws=100')
  expect(report.rubric).toBe('tab-behavior@1')
  await put(makeGrade({ key: 'd', rubric: 'tab-behavior@2' }))
  const several = await own.get('/v1/reports?rubric=tab-behavior&judge=lexical')
  expect(several.statusCode).toBe(400)
  expect(several.json()).toMatchObject({
    code: 'several_graders',
    errors: [{ path: '/querystring/rubric', message: 'is needed, one of: tab-behavior@1, tab-behavior@2' }],
  })
})
