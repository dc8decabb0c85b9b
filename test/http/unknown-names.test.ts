import { beforeAll, expect, test } from 'vitest'
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
    for (const label of ['nope', '']) {
      const response = await app.get(`${path}?label=${label}`)
      expect(response.json()).toMatchObject({
        status: 400,
        code: 'invalid_request',
        errors: [{ path: '/querystring/label', message: expect.stringMatching(/^there are: aligned, .*not_observed/) }],
      })
    }
    const grade = makeGrade({ label: 'of_old' as never, judge: 'older', rubric: 'gone@3' })
    await app.context.stores.grades.put({ grade, ground_truth: GROUND_TRUTH })
    for (const label of ['aligned', 'of_old']) expect((await app.get(`${path}?label=${label}`)).statusCode).toBe(200)
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
