import { beforeAll, describe, expect, test } from 'vitest'
import { createStatisticsWorker } from '../../src/audit/statistics-worker.ts'
import { agreement } from '../../src/domain/statistics/agreement.ts'
import type { Agreement } from '../../src/schemas/agreement.ts'
import { putGrade, type QuestionWords } from '../audit/make-question.ts'
import { startApp, useApp } from '../start-app.ts'

const app = useApp({}, 'once')

const put = (words: QuestionWords) => putGrade(app.context.stores, words)

const agree = (body: object) => app.tell<Agreement>('/v1/agreement', body, 200)
const stored = (raters: readonly string[], more: object = {}) =>
  agree({ stored: { raters, ...more }, bootstrap: { draws: 100 } })

const refused = async (body: object) =>
  (await app.tell<{ errors: { path: string; message: string }[] }>('/v1/agreement', body, 400)).errors

const rating = (item: string, rater: string, label: string) => ({ item, rater, label })

describe('given ratings', () => {
  // Cohen (1960) by hand: 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: p₀ 0.7, pₑ 0.5.
  const CELLS = [
    ['yes', 'yes', 20],
    ['yes', 'no', 5],
    ['no', 'yes', 10],
    ['no', 'no', 15],
  ] as const
  const ratings = CELLS.flatMap(([one, other, n]) =>
    Array.from({ length: n }, (_, k) => [
      rating(`${one}${other}${k}`, 'a', one),
      rating(`${one}${other}${k}`, 'b', other),
    ]).flat(),
  )

  test('are answered with every statistic, as the domain computes them', async () => {
    const answer = await agree({ ratings })
    expect(answer.raw_agreement.value).toBeCloseTo(0.7, 12)
    expect(answer.cohen_kappa.value).toBeCloseTo(0.4, 12)
    expect(answer).not.toHaveProperty('coverage')
    expect({ ok: true, value: answer }).toEqual(agreement({ ratings }))
  })

  test.each([
    [{}, '/ratings'],
    [{ ratings: [] }, '/ratings'],
    [{ ratings: [rating('i', 'a', 'x'), rating('i', 'a', 'y')] }, '/ratings/1'],
    [{ ratings: [{ ...rating('i', 'a', 'x'), weight: 1 }] }, '/ratings/0/weight'],
    [{ ratings: [rating('i', 'a', 'x')], labels: ['y'] }, '/ratings/0/label'],
    [{ ratings: [rating('i', 'a', 'x')], stored: { raters: ['humans'] } }, '/ratings'],
    [{ labels: ['x'], stored: { raters: ['humans'] } }, '/labels'],
    [{ ratings: [rating('i', 'a', '')] }, '/ratings/0/label'],
    [{ ratings: [rating('i', '', 'x')] }, '/ratings/0/rater'],
    [{ ratings: [rating('i', 'a', 'x')], labels: ['x', 'x'] }, '/labels'],
    [{ ratings: [rating('i', 'a', 'x'.repeat(101))] }, '/ratings/0/label'],
    [{ ratings: [rating('i', 'a', 'x')], labels: Array.from({ length: 101 }, (_, at) => `${at}`) }, '/labels'],
    [{ ratings: [rating('i', 'a', 'x')], bootstrap: { draws: 1 } }, '/bootstrap/draws'],
    [{ ratings: [rating('i', 'a', 'x')], bootstrap: { draws: 1e6 } }, '/bootstrap/draws'],
    [{ ratings: [rating('i', 'a', 'x')], bootstrap: { seed: 0.5 } }, '/bootstrap/seed'],
    [{ ratings: [rating('i', 'a', 'x')], bootstrap: { seed: -1 } }, '/bootstrap/seed'],
    [{ stored: { raters: [] } }, '/stored/raters'],
    [{ stored: { raters: ['judge:'] } }, '/stored/raters/0'],
    [{ stored: { raters: ['humans', 'lexical'] } }, '/stored/raters/1'],
    [{ stored: { raters: ['humans', 'signals'] } }, '/stored/raters/1'],
    [{ stored: { raters: ['signals'], measure: 'cue_acted' } }, '/stored/raters/0'],
    [{ stored: { raters: ['humans'], query: {} } }, '/stored/query'],
    [{ stored: { raters: ['humans'], query: { labels: 'x' } } }, '/stored/query/labels'],
  ])('%j is refused at %s', async (body, path) => {
    expect((await refused(body))[0]?.path).toBe(path)
  })
})

describe('stored raters', () => {
  const counts = ({ coverage = [] }: Agreement) =>
    coverage.map((one) => [one.rater, one.n, one.graded, one.unverified, one.failed, one.undecided, one.missing])

  const review = (grade: string, body: object) => app.tell(`/v1/grades/${grade}/reviews`, body)

  beforeAll(async () => {
    const trial = { metadata: { task: 't1', batch: 'one' }, signals: { appeared: true, executed: false } }
    const { id } = await put({ question: 'q1', judge: 'a', ...trial, votes: ['aligned', 'aligned', 'ignored'] })
    await put({ question: 'q1', judge: 'b', label: 'compliant', signals: trial.signals })
    const second = await put({ question: 'q2', judge: 'a', label: 'ignored', metadata: { task: 't1', batch: 'one' } })
    await put({ question: 'q2', judge: 'b', status: 'unverified', metadata: { task: 't1' } })
    await put({ question: 'q3', judge: 'a', status: 'failed', metadata: { task: 't2', batch: 'two' } })
    const unseen = { label: 'not_observed', signals: { appeared: false } } as const
    await put({ question: 'q3', judge: 'b', rubric: 'tab-behavior@2', ...unseen })
    await review(id, { rater: 'ada', label: 'aligned' })
    await review(id, { rater: 'bob', label: 'ignored' })
    await review(id, { rater: 'bob', label: 'compliant' })
    await review(second.id, { rater: 'ada', label: null })
  })

  test('judges: what gives no rating is counted', async () => {
    const answer = await stored(['judge:a', 'judge:b'])
    expect(counts(answer)).toEqual([
      ['judge:a', 3, 2, 0, 1, 0, 0],
      ['judge:b', 3, 2, 1, 0, 0, 0],
    ])
    expect(answer).toMatchObject({ n_items: 3, n_raters: 2, n_ratings: 4, bootstrap: { unit: 'cluster', n_units: 2 } })
    expect(answer.confusion?.labels).toEqual(['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed'])
    expect(answer.confusion?.matrix.flat().reduce((sum, n) => sum + n, 0)).toBe(1)
    expect(answer.confusion?.matrix[0]?.[1]).toBe(1)
  })

  test('under one rubric, and a judge that nobody knows', async () => {
    expect(counts(await stored(['judge:b@tab-behavior@1', 'judge:b@tab-behavior@2', 'judge:nobody']))).toEqual([
      ['judge:b@tab-behavior@1', 3, 1, 1, 0, 0, 1],
      ['judge:b@tab-behavior@2', 3, 1, 0, 0, 0, 2],
      ['judge:nobody', 3, 0, 0, 0, 0, 3],
    ])
  })

  test('raters stand in the order in which they were named', async () => {
    const answer = await stored(['samples:a', 'signals', 'judge:b'], { measure: 'observed' })
    const raters = answer.coverage?.map(({ rater }) => rater).join(' ')
    expect(raters).toBe('samples:a#0 samples:a#1 samples:a#2 signals judge:b')
    for (const [row_rater, column_rater] of ['ab', 'ba'].map((pair) => [...pair].map((name) => `judge:${name}`)))
      expect((await stored([row_rater ?? '', column_rater ?? ''])).confusion).toMatchObject({ row_rater, column_rater })
  })

  test('samples are raters, and a single answer is its own first sample', async () => {
    expect(counts(await stored(['samples:a']))).toEqual([
      ['samples:a#0', 3, 2, 0, 1, 0, 0],
      ['samples:a#1', 3, 1, 0, 0, 0, 2],
      ['samples:a#2', 3, 1, 0, 0, 0, 2],
    ])
  })

  test('humans by their newest review; who cannot tell is counted apart; a rater named twice rates once', async () => {
    const answer = await stored(['human:bob', 'humans', 'judge:b', 'human:eve'], { query: { task: 't1' } })
    expect(counts(answer)).toEqual([
      ['human:bob', 2, 1, 0, 0, 0, 1],
      ['human:ada', 2, 1, 0, 0, 1, 0],
      ['judge:b', 2, 1, 1, 0, 0, 0],
      ['human:eve', 2, 0, 0, 0, 0, 2],
    ])
    expect(answer.prevalence['compliant']).toBeCloseTo(2 / 3, 12)
  })

  test.each([
    ['observed', ['judge:a 2', 'signals 2'], 'yes'],
    ['distractor_acted', ['judge:a 2', 'signals 1'], 'no'],
  ] as const)('signals against a judge by %s', async (measure, graded, both) => {
    const answer = await stored(['judge:a', 'signals'], { measure })
    expect(answer.coverage?.map((one) => `${one.rater} ${one.graded}`)).toEqual(graded)
    expect(answer.confusion?.labels).toEqual(['yes', 'no'])
    const at = both === 'yes' ? 0 : 1
    expect(answer.confusion?.matrix[at]?.[at]).toBe(1)
  })

  test.each([
    [{ batch: 'two' }, 1],
    [{ batch: 'one', judge: 'a' }, 2],
    [{ judge: 'b', label: 'not_observed' }, 1],
    [{ ids: ['grd_none'] }, 0],
  ])('the query %j means %i questions', async (query, n) => {
    expect((await stored(['judge:a'], { query })).coverage?.[0]?.n).toBe(n)
  })

  test('by ids, with filters; of nothing every statistic is null with its reason', async () => {
    const ids = (await app.list<{ id: string }>('/v1/grades')).map(({ id }) => id)
    expect((await stored(['judge:a'], { query: { ids } })).coverage?.[0]?.n).toBe(3)
    expect((await stored(['judge:a'], { query: { ids, task: 't2' } })).coverage?.[0]?.n).toBe(1)
    expect((await stored(['judge:a'], { query: { ids, batch: 'one' } })).coverage?.[0]?.n).toBe(2)
    const none = await stored(['judge:a', 'judge:b'], { query: { task: 'none' } })
    const krippendorff_alpha = { value: null, reason: expect.any(String) }
    expect(none).toMatchObject({ n_items: 0, n_ratings: 0, krippendorff_alpha })
  })
})

test('while it computes, others are answered; a stop ends it', async () => {
  const ratings = Array.from({ length: 100_000 }, (_, index) =>
    rating(`i${index >> 1}`, `r${index & 1}`, `l${(index * 7919) % 7}`),
  )
  let done = false
  const own = await startApp({ statistics: createStatisticsWorker() })
  const ask = (draws: number) => own.post('/v1/agreement', { ratings, bootstrap: { draws } })
  const computing = ask(600).finally(() => (done = true))
  let answered = 0
  while (!done) {
    expect((await own.get('/healthz')).statusCode).toBe(200)
    answered++
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect((await computing).json<Agreement>().n_items).toBe(50_000)
  // Held up, /healthz would be answered once or twice, however fast or loaded the machine is.
  expect(answered).toBeGreaterThan(50)

  const again = ask(4000)
  await own.get('/healthz')
  await own.http.close()
  expect((await again).statusCode).toBe(503)
})
