import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Comparison } from '../../src/schemas/agreement.ts'
import type { Batch, BatchResult } from '../../src/schemas/batch.ts'
import type { Grade } from '../../src/schemas/grade.ts'
import { GOOD_ANSWER, IGNORED } from '../grading/harness.ts'
import { startApp, type TestApp, useApp } from '../start-app.ts'
import { tempFolder } from '../temp-folder.ts'
import { answeringJudge, finish, makeItems, startBatch } from './make-batch.ts'

let app: TestApp

const regrade = async (body: object) => finish(app, (await app.tell<Batch>('/v1/regrades', body, 202)).id)
const compare = (query: string) => app.read<Comparison>(`/v1/comparisons?${query}`)

const bodies = async (results: readonly BatchResult[]) =>
  Promise.all(results.map(async (one) => (await app.get(`/v1/grades/${one.grade_id}`)).body))

/** The project’s rubric, and a second version of it with a stricter word to the judge. */
function twoRubrics(): string {
  const folder = tempFolder()
  for (const version of [2, 3])
    cpSync('rubrics/tab-behavior@2', join(folder, `tab-behavior@${version}`), { recursive: true })
  const second = join(folder, 'tab-behavior@3')
  const manifest = readFileSync(join(second, 'rubric.yaml'), 'utf8')
  writeFileSync(join(second, 'rubric.yaml'), manifest.replace('version: 2', 'version: 3'))
  appendFileSync(join(second, 'system.md'), '\nSTRICTER: half an act is none.\n')
  return folder
}

test('a changed rubric: the old grades stay byte for byte, and the flips have both receipts', async () => {
  const judge = answeringJudge(() => GOOD_ANSWER)
  const strict = answeringJudge((run) => (run < 2 ? IGNORED : GOOD_ANSWER))
  const ask: typeof judge.ask = (request) => (request.system.includes('STRICTER') ? strict : judge).ask(request)
  app = await startApp({ judges: [{ ...judge, ask }], rubrics: twoRubrics() })
  const base = await finish(app, (await startBatch(app, makeItems(5))).id)
  const before = await bodies(base.results)
  const head = await regrade({ query: { batch: base.batch.id }, rubric: 'tab-behavior@3' })
  expect(head.batch).toMatchObject({ kind: 'regrade', cached: 0, counts: { graded: 5 } })
  expect(await bodies(base.results)).toEqual(before)
  const { flips, flipped, matrix } = await compare(`head=${head.batch.id}`)
  expect([flipped, matrix.counts[0]]).toEqual([2, [3, 0, 2, 0, 0]])
  for (const { base: old, head: now } of flips) {
    expect([old.receipt.rubric, now.receipt.rubric]).toEqual(['tab-behavior@2', 'tab-behavior@3'])
    expect(old.receipt.rubric_digest).not.toBe(now.receipt.rubric_digest)
  }
})

test('a batch is graded again by the names of its items, not of the requests that paid for their grades', async () => {
  app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
  const named = (task: string) => makeItems(2).map((item) => ({ ...item, metadata: { task } }))
  const paid = await finish(app, (await startBatch(app, named('first'))).id)
  const base = await finish(app, (await startBatch(app, named('second'))).id)
  expect(base.results.map(({ grade_id }) => grade_id)).toEqual(paid.results.map(({ grade_id }) => grade_id))
  const { results } = await regrade({ query: { batch: base.batch.id, task: 'second' }, samples: 3 })
  expect(results.map(({ metadata }) => metadata['task'])).toEqual(['second', 'second'])
  const none = await app.post('/v1/regrades', { query: { batch: base.batch.id, task: 'first' }, samples: 3 })
  expect(none.statusCode, none.body).toBe(400)
})

describe('another judge', () => {
  test('grades everything again, leaves the old grades byte for byte, and the flips are counted', async () => {
    const other = answeringJudge((run) => (run < 2 ? IGNORED : GOOD_ANSWER), 'other')
    // Labels differ from run to run: what is paired wrongly is seen.
    const first = answeringJudge((run) => (run === 4 ? IGNORED : GOOD_ANSWER))
    app = await startApp({ judges: [first, other] })
    const base = await finish(app, (await startBatch(app, makeItems(5))).id)
    const before = await bodies(base.results)
    const head = await regrade({ query: { batch: base.batch.id }, judge: 'other' })
    expect(head.batch).toMatchObject({ kind: 'regrade', status: 'done', counts: { graded: 5 } })
    expect(await bodies(base.results)).toEqual(before)
    expect(head.results.map((one) => one.base_grade_id)).toEqual(base.results.map((one) => one.grade_id))
    expect(head.results.map((one) => one.item_id)).toEqual(base.results.map((one) => one.item_id))
    expect(head.batch.name).toBe(`regrade of ${base.batch.name ?? base.batch.id}`)
    expect((await regrade({ query: { batch: base.batch.id }, recheck: true, name: 'mine' })).batch.name).toBe('mine')

    const compared = await compare(`base=${base.batch.id}&head=${head.batch.id}`)
    expect(compared).toMatchObject({ pairs: 5, same: 2, flipped: 3, base_counts: { n: 5, graded: 5 } })
    expect(compared.matrix.labels).toEqual(['aligned', 'compliant', 'ignored', 'distractor_only', 'not_observed'])
    expect(compared.matrix.counts[0]).toEqual([2, 0, 2, 0, 0])
    expect(compared.flips.map((one) => [one.base.label, one.head.label, one.head.receipt.judge])).toEqual([
      ['aligned', 'ignored', 'other'],
      ['aligned', 'ignored', 'other'],
      ['ignored', 'aligned', 'other'],
    ])
    for (const { trajectory, base: one, head: two } of compared.flips)
      expect([one.receipt.trajectory, two.receipt.trajectory]).toEqual([trajectory, trajectory])
    const own = await compare(`head=${head.batch.id}&limit=1`)
    expect(own).toMatchObject({ pairs: 5, flipped: 3 })
    expect(own.flips).toHaveLength(1)
    const rest = await compare(`head=${head.batch.id}&limit=2&cursor=${own.next_cursor}`)
    expect(rest.next_cursor).toBeNull()
    expect(rest.flips).toHaveLength(2)
    expect(rest.flips[0]?.trajectory).not.toBe(own.flips[0]?.trajectory)
  })

  test('of equal questions only the newest is graded again', async () => {
    const judge = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ judges: [judge, answeringJudge(() => GOOD_ANSWER, 'other')] })
    await finish(app, (await startBatch(app, makeItems(2))).id)
    await finish(app, (await startBatch(app, makeItems(2), '?cache=refresh')).id)
    const { batch } = await regrade({ query: { judge: 'scripted' }, judge: 'other' })
    expect(batch.counts.total).toBe(2)
  })

  test('by ids, and with what each grade had where nothing else is said', async () => {
    app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
    const { results } = await finish(app, (await startBatch(app, makeItems(3), '?samples=3')).id)
    const ids = results.slice(0, 2).map((one) => one.grade_id)
    const head = await regrade({ query: { ids }, cache: 'refresh' })
    expect(head.batch).toMatchObject({ counts: { total: 2, graded: 2 }, cached: 0, calls: { made: 6 } })
  })
})

describe('only the evidence rules', () => {
  test('stored replies are checked again: no call, no cost, and the grade that answers stays', async () => {
    const judge = answeringJudge((_, call) => (call === 1 ? { ...GOOD_ANSWER, citations: [] } : GOOD_ANSWER))
    app = await startApp({ judges: [judge] })
    const [item] = makeItems(1)
    const base = await finish(app, (await startBatch(app, [item ?? {}])).id)
    expect(judge.calls).toHaveLength(2)
    const { batch, results } = await regrade({ query: { batch: base.batch.id }, recheck: true })
    expect(batch).toMatchObject({ kind: 'recheck', counts: { graded: 1 }, calls: { made: 0 }, cost_usd: 0 })
    expect(judge.calls).toHaveLength(2)
    const again = await app.read<Grade>(`/v1/grades/${results[0]?.grade_id}`)
    expect(again.receipt.attempts.map((one) => [one.purpose, one.replayed, one.cost_usd])).toEqual([
      ['decide', true, 0],
      ['repair', true, 0],
    ])
    const asked = (await app.post('/v1/grades', { ...item, item_id: undefined })).json<Grade>()
    expect(asked.id).toBe(base.results[0]?.grade_id)
    expect((await compare(`head=${batch.id}`)).flipped).toBe(0)
  })
})

describe('what makes no sense is refused', () => {
  const empty = useApp({ judges: [answeringJudge(() => GOOD_ANSWER)] }, 'once')
  test.each([
    ['nothing changes', { query: { judge: 'scripted' } }, ''],
    ['a recheck asks nobody', { query: { judge: 'scripted' }, recheck: true, judge: 'other' }, '/recheck'],
    ['no selection', { query: {}, judge: 'other' }, '/query'],
    ['nothing fits', { query: { task: 'none' }, judge: 'lexical' }, '/query'],
  ])('%s', async (_, body, path) => {
    const response = await empty.post('/v1/regrades', body)
    expect(response.json()).toMatchObject({ status: 400, errors: [{ path }] })
  })

  test('a comparison without a base needs a re-grade', async () => {
    app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
    const { batch } = await finish(app, (await startBatch(app, makeItems(1))).id)
    expect((await app.get(`/v1/comparisons?head=${batch.id}`)).statusCode).toBe(400)
    expect((await app.get(`/v1/comparisons?head=${batch.id}&base=bat_none`)).statusCode).toBe(404)
    expect((await app.get('/v1/comparisons?head=bat_none')).statusCode).toBe(404)
  })
})

test('the grades of a batch that is named are taken whatever replaced them; else only those that stand', async () => {
  app = await startApp({ judges: [answeringJudge(() => GOOD_ANSWER)] })
  const old = await finish(app, (await startBatch(app, makeItems(2))).id)
  await finish(app, (await startBatch(app, makeItems(2), '?cache=refresh')).id)
  const head = await regrade({ query: { batch: old.batch.id }, recheck: true })
  expect(new Set(head.results.map((one) => one.base_grade_id))).toEqual(new Set(old.results.map((one) => one.grade_id)))
  expect((await regrade({ query: { judge: 'scripted' }, recheck: true })).batch.counts.total).toBe(2)
})

test.each(['tab-behavior@1', 'tab-behavior@2'])(
  'a recheck of %s can be made again, and again finds every reply',
  async (rubric) => {
    const judge = answeringJudge(() => GOOD_ANSWER)
    app = await startApp({ judges: [judge] })
    const base = await finish(app, (await startBatch(app, makeItems(3, { rubric }))).id)
    for (let turn = 0; turn < 2; turn++) {
      const { batch } = await regrade({ query: { judge: 'scripted' }, recheck: true })
      expect(batch).toMatchObject({ counts: { total: 3, graded: 3 }, calls: { made: 0 } })
      expect((await compare(`base=${base.batch.id}&head=${batch.id}`)).flipped).toBe(0)
    }
    expect(judge.calls).toHaveLength(3)
  },
)

/** Two judges that differ on two of the runs. */
const startTwo = () =>
  startApp({
    judges: [answeringJudge(() => GOOD_ANSWER), answeringJudge((run) => (run < 2 ? IGNORED : GOOD_ANSWER), 'other')],
  })

const withTasks = (items: readonly object[]): object[] =>
  items.map((item, index) => ({ ...item, metadata: { task: `t${index % 3}`, run_index: index } }))

test('one judge asked the same again: its flips are its own noise', async () => {
  // The second time it is asked it changes its mind on two of six.
  const judge = answeringJudge((run, call) => (call === 2 && run < 2 ? IGNORED : GOOD_ANSWER))
  app = await startApp({ judges: [judge] })
  const items = withTasks(makeItems(6))
  const base = await finish(app, (await startBatch(app, items)).id)
  const head = await finish(app, (await startBatch(app, items, '?cache=refresh')).id)
  const { flipped, agreement, tests, repeat_noise } = await compare(`base=${base.batch.id}&head=${head.batch.id}`)
  expect(flipped).toBe(2)
  expect(agreement?.raw_agreement.value).toBeCloseTo(4 / 6, 12)
  expect(agreement?.bootstrap).toMatchObject({ unit: 'cluster', n_units: 3 })
  expect(tests?.labels.find(({ label }) => label === 'ignored')).toMatchObject({ base_only: 0, head_only: 2 })
  expect(repeat_noise).toMatchObject({ from: 'same_key', same_key: { pairs: 6, flipped: 2 } })
  expect(repeat_noise?.expected_flips).toBeCloseTo(2, 12)
})

test('statistics=false leaves them out, and nothing else', async () => {
  app = await startTwo()
  const base = await finish(app, (await startBatch(app, makeItems(4))).id)
  const head = await finish(app, (await startBatch(app, makeItems(4, { judge: 'other' }))).id)
  const query = `base=${base.batch.id}&head=${head.batch.id}&limit=1`
  const { differs, agreement, tests, repeat_noise, evidence_agreement, ...rest } = await compare(query)
  expect([differs, agreement, tests, repeat_noise, evidence_agreement]).not.toContain(undefined)
  expect(await compare(`${query}&statistics=false`)).toEqual(rest)
  const next = await compare(`${query}&statistics=false&cursor=${rest.next_cursor}`)
  expect(next).toMatchObject({ flipped: 2, next_cursor: null })
})

test('without tasks the pairs of one run are one cluster, and the p-values are said not to know it', async () => {
  app = await startTwo()
  const twice = (judge?: string) => {
    const items = makeItems(3, judge === undefined ? {} : { judge })
    return [...items, ...items.map((item) => ({ ...item, item_id: undefined }))]
  }
  const base = await finish(app, (await startBatch(app, twice())).id)
  const head = await finish(app, (await startBatch(app, twice('other'))).id)
  const { agreement, tests } = await compare(`base=${base.batch.id}&head=${head.batch.id}`)
  expect(agreement?.bootstrap).toMatchObject({ unit: 'cluster', n_units: 3 })
  expect(tests?.notes.join()).toContain('or of one run where no task is named')
  expect(tests?.notes[0]).toContain('read Holm p,')
})
