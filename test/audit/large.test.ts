import { afterAll, beforeAll, expect, test } from 'vitest'
import { readStoredRatings } from '../../src/audit/agreement.ts'
import { readDisagreements } from '../../src/audit/disagreements.ts'
import type { GradeStore } from '../../src/db/grades.ts'
import { openSqliteStores, type Stores } from '../../src/db/stores.ts'
import type { Disagreement } from '../../src/schemas/review.ts'
import { LOADED } from '../tab-behavior.ts'
import { putGrade } from './make-question.ts'

const QUESTIONS = 10_000
let stores: Stores
beforeAll(async () => {
  stores = openSqliteStores({ path: ':memory:' })
  for (let from = 0; from < QUESTIONS; from += 500) {
    const some = Array.from({ length: 500 }, (_, index) => from + index)
    const notes = 'x'.repeat(2000)
    const put = (index: number, judge: string) =>
      putGrade(stores, {
        question: `q${index}`,
        judge,
        notes,
        label: judge === 'b' && index % 10 === 0 ? 'compliant' : 'aligned',
        metadata: { task: `t${index % 50}` },
      })
    await Promise.all(some.flatMap((index) => [put(index, 'a'), put(index, 'b')]))
  }
}, 120_000)
afterAll(() => stores.close())

/** The store, with its calls counted and the turns of the event loop beside them. */
function counted() {
  const calls = { listStanding: 0, most: 0, listForQuestion: 0, turns: 0 }
  const grades: Pick<GradeStore, 'listStanding' | 'listForQuestion'> = {
    listStanding: (query) => {
      calls.listStanding++
      calls.most = Math.max(calls.most, query.limit)
      return stores.grades.listStanding(query)
    },
    listForQuestion: (question) => {
      calls.listForQuestion++
      return stores.grades.listForQuestion(question)
    },
  }
  let running = true
  const turn = () => {
    calls.turns++
    if (running) setImmediate(turn)
  }
  setImmediate(turn)
  return { calls, stores: { ...stores, grades: { ...stores.grades, ...grades } }, stop: () => (running = false) }
}

async function readAll(query: Parameters<typeof readDisagreements>[1], given: Stores): Promise<Disagreement[]> {
  const all: Disagreement[] = []
  for await (const { disagreement } of readDisagreements({ stores: given, rubrics: LOADED }, query))
    all.push(disagreement)
  return all
}

test('the whole queue reads each grade once, 200 at a time, and leaves the event loop its turns', async () => {
  const { calls, stores: given, stop } = counted()
  const all = await readAll({}, given)
  stop()
  expect(all).toHaveLength(QUESTIONS / 10)
  expect(calls).toMatchObject({ listStanding: (2 * QUESTIONS) / 200 + 1, most: 200, listForQuestion: 0 })
  expect(calls.turns).toBeGreaterThanOrEqual(100)
})

test('a filtered queue looks up only the questions that it chooses', async () => {
  const { calls, stores: given, stop } = counted()
  const all = await readAll({ task: 't10' }, given)
  stop()
  expect(all).toHaveLength(QUESTIONS / 50)
  expect(calls.listForQuestion).toBe(QUESTIONS / 50)
  expect(calls.listStanding).toBe((2 * QUESTIONS) / 50 / 200 + 1)
})

test('stored ratings of all questions, each grade read once', async () => {
  const { calls, stores: given, stop } = counted()
  const read = await readStoredRatings({ ...given, loaded: LOADED }, { raters: ['judge:a', 'judge:b'] })
  stop()
  expect(read.request.ratings).toHaveLength(2 * QUESTIONS)
  expect(new Set(read.request.ratings.map(({ cluster }) => cluster)).size).toBe(50)
  expect(read.coverage.map(({ rater, n, graded }) => [rater, n, graded])).toEqual([
    ['judge:a', QUESTIONS, QUESTIONS],
    ['judge:b', QUESTIONS, QUESTIONS],
  ])
  expect(calls).toMatchObject({ listStanding: (2 * QUESTIONS) / 200 + 1, listForQuestion: 0 })
  expect(calls.turns).toBeGreaterThanOrEqual(100)
})
