import { afterEach, expect, test } from 'vitest'
import type { Comparison } from '../../src/schemas/regrade.ts'
import { GOOD_ANSWER, IGNORED } from '../grading/harness.ts'
import { startApp, type TestApp } from '../start-app.ts'
import { expectContract } from './contract.ts'
import { answeringJudge, finish, makeItems, startBatch } from './make-batch.ts'

let app: TestApp
afterEach(() => app.stop())

async function compare(query: string): Promise<Comparison> {
  const response = await app.get(`/v1/comparisons?${query}`)
  expect(response.statusCode, response.body).toBe(200)
  expectContract(response, 'get', '/v1/comparisons')
  return response.json()
}

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
  app = await startApp({
    judges: [answeringJudge(() => GOOD_ANSWER), answeringJudge((run) => (run < 2 ? IGNORED : GOOD_ANSWER), 'other')],
  })
  const base = await finish(app, (await startBatch(app, makeItems(4))).id)
  const head = await finish(app, (await startBatch(app, makeItems(4, { judge: 'other' }))).id)
  const query = `base=${base.batch.id}&head=${head.batch.id}&limit=1`
  const { agreement, tests, repeat_noise, ...rest } = await compare(query)
  expect([agreement, tests, repeat_noise]).not.toContain(undefined)
  expect(await compare(`${query}&statistics=false`)).toEqual(rest)
  const next = await compare(`${query}&statistics=false&cursor=${rest.next_cursor}`)
  expect(next).toMatchObject({ flipped: 2, next_cursor: null })
})

test('without tasks the pairs of one run are one cluster, and the p-values are said not to know it', async () => {
  app = await startApp({
    judges: [answeringJudge(() => GOOD_ANSWER), answeringJudge((run) => (run < 2 ? IGNORED : GOOD_ANSWER), 'other')],
  })
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
