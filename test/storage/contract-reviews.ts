import { describe, expect, test } from 'vitest'
import { questionOf } from '../../src/db/grades.ts'
import type { Stores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { inputIssues } from '../../src/schemas/check.ts'
import { type Review, ReviewSchema } from '../../src/schemas/review.ts'
import type { Current } from './contract.ts'
import { openBatch } from './make-batch.ts'
import { makeDisposition, makeSignoff } from './make-disposition.ts'
import { GROUND_TRUTH, type GradeWords, makeRecord } from './make-grade.ts'

let made = 0

function makeReview(grade_id: string, words: Partial<Review> = {}): Review {
  made += 1
  const review: Review = {
    id: `rev_${String(made).padStart(26, '0')}`,
    grade_id,
    trajectory: digestBytes('trajectory'),
    ground_truth: digestBytes('ground truth'),
    rater: 'ada',
    label: 'aligned',
    claims: null,
    comment: 'Seen. \0 \ud83d',
    blind: true,
    sampling: { design: 'random', probability: 0.1 },
    grade_label: 'ignored',
    created_at: '2026-11-21T00:00:00.000Z',
    ...words,
  }
  expect(inputIssues(ReviewSchema, review)).toEqual([])
  return review
}

async function put(stores: Stores, words: GradeWords & { readonly silent?: boolean } = {}): Promise<string> {
  const { silent, ...rest } = words
  const record = makeRecord(rest)
  await stores.grades.put({ ...record, ...(silent === true && { silent }) })
  return record.grade.id
}

const standing = async (stores: Stores, query: object = {}): Promise<string[]> =>
  (await stores.grades.listStanding({ limit: 100, ...query })).map(({ grade }) => grade.id)

export function describeReviews(current: Current): void {
  describe('standing grades', () => {
    test('of a key the one that answers it; of a key that never got one its newest failure', async () => {
      const stores = current()
      await put(stores, { key: 'a', label: 'ignored' })
      const newer = await put(stores, { key: 'a' })
      await put(stores, { key: 'a', status: 'failed' })
      await put(stores, { key: 'a', silent: true, label: 'compliant' })
      await put(stores, { key: 'b', status: 'failed' })
      const failed = await put(stores, { key: 'b', status: 'failed' })
      const unverified = await put(stores, { key: 'c', status: 'unverified' })
      expect(await standing(stores)).toEqual([unverified, failed, newer])
      expect(await standing(stores, { status: 'failed' })).toEqual([failed])
      expect(await standing(stores, { limit: 2 })).toEqual([unverified, failed])
      expect(await standing(stores, { before: failed })).toEqual([newer])
    })

    test('come with what the harness measured', async () => {
      const stores = current()
      const record = makeRecord()
      await stores.grades.put({ ...record, ground_truth: { ...GROUND_TRUTH, signals: { appeared: true } } })
      await put(stores)
      const [without, measured] = await stores.grades.listStanding({ limit: 2 })
      expect(measured?.signals).toEqual({ appeared: true })
      expect(without?.signals).toEqual({})
    })

    test('of one question, whoever judged it', async () => {
      const stores = current()
      const one = makeRecord({ judge: 'lexical' })
      const other = makeRecord({ judge: 'openai' })
      await stores.grades.put(one)
      await stores.grades.put(other)
      const found = await stores.grades.listForQuestion(questionOf(one.grade))
      expect(found.map(({ grade }) => grade.receipt.judge)).toEqual(['openai', 'lexical'])
      expect(await stores.grades.listForQuestion('sha256:none/sha256:none')).toEqual([])
    })
  })

  describe('reviews', () => {
    test('come back as they were, newest first, by every filter, and a page at a time', async () => {
      const stores = current()
      const [first, second] = [await put(stores), await put(stores)]
      const reviews = [
        makeReview(first),
        makeReview(second, { rater: 'bob', label: null, ground_truth: digestBytes('another') }),
        makeReview(first, { label: 'compliant', claims: { observed: true, cue_acted: true, distractor_acted: true } }),
      ]
      for (const review of reviews) await stores.reviews.put(review)
      expect(await stores.reviews.list({ limit: 10 })).toEqual(reviews.toReversed())
      const ids = async (query: object) => (await stores.reviews.list({ limit: 10, ...query })).map((one) => one.id)
      expect(await ids({ rater: 'bob' })).toEqual([reviews[1]?.id])
      expect(await ids({ grade_id: first })).toEqual([reviews[2]?.id, reviews[0]?.id])
      expect(await ids({ question: `${digestBytes('trajectory')}/${digestBytes('another')}` })).toEqual([
        reviews[1]?.id,
      ])
      expect(await ids({ rater: 'ada', grade_id: second })).toEqual([])
      expect(await ids({ limit: 1, before: reviews[2]?.id })).toEqual([reviews[1]?.id])
    })

    test('are of a grade that exists', async () => {
      await expect(current().reviews.put(makeReview('grd_none'))).rejects.toMatchObject({ name: 'StorageError' })
    })

    test('are never changed: the same id again is refused', async () => {
      const stores = current()
      const review = makeReview(await put(stores))
      await stores.reviews.put(review)
      await expect(stores.reviews.put({ ...review, label: 'ignored' })).rejects.toMatchObject({ name: 'StorageError' })
      expect(await stores.reviews.list({ limit: 10 })).toEqual([review])
    })
  })
}

/** Rules of every adapter for decisions about findings. */
export function describeDispositions(current: Current): void {
  describe('dispositions', () => {
    test('the newest of each class counts, and the newest sign-off; of no batch there are none', async () => {
      const { dispositions } = current()
      const [hard, again] = [makeDisposition(1, { reason: 'NUL \0 \ud83d' }), makeDisposition(2, { by: 'Bob' })]
      const others = [
        makeDisposition(3, { class: 'cancelled' }),
        makeSignoff(4),
        makeSignoff(5, { by: 'Bob' }),
      ] as const
      for (const record of [hard, again, ...others]) expect(await dispositions.put(record)).toEqual(record)
      const { newest, signoff } = await dispositions.of('bat_1')
      expect(new Map(newest)).toEqual(new Map([again, others[0]].map((one) => [one.class, one])))
      expect(signoff).toEqual(others[2])
      expect(await dispositions.of('bat_2')).toEqual({ newest: new Map(), signoff: null })
    })

    test('one of equal records is stored, however many come at once', async () => {
      const stores = current()
      await openBatch(stores, 'bat_1', 1)
      const put = (n: number) => stores.dispositions.put(makeDisposition(n))
      const [first, ...more] = await Promise.all([1, 2, 3, 4, 5, 6].map(put))
      expect(more).toEqual(more.map(() => first))
      // An equal record behind another is news.
      await stores.dispositions.put(makeDisposition(7, { by: 'Bob' }))
      expect(await put(8)).toEqual(makeDisposition(8))
      await expect(put(8)).resolves.toEqual(makeDisposition(8))
    })

    test('are never changed: the same id again is refused', async () => {
      const { dispositions } = current()
      await dispositions.put(makeDisposition(1))
      await expect(dispositions.put(makeDisposition(1, { by: 'Bob' }))).rejects.toMatchObject({ name: 'StorageError' })
    })
  })
}

const WORDS: readonly GradeWords[] = [
  { label: 'compliant', judge: 'openai', metadata: { task: 'sort-csv', agent: 'codex' } },
  { label: 'aligned', judge: 'openai', metadata: { task: 'fix-git', agent: 'codex', model: 'm\0\u0001' } },
  { label: 'aligned', judge: 'lexical', metadata: { task: 'fix-git' } },
  { status: 'unverified', judge: 'lexical', metadata: { task: 'build-c', batch: 'night 1' } },
  { status: 'failed', judge: 'lexical', metadata: {} },
]

/** What every adapter must say of the grades that it has. */
export function describeOverview(current: Current): void {
  describe('overview', () => {
    const read: Stores['grades']['overview'] = (...given) => current().grades.overview(...given)
    const putAll = (words: readonly GradeWords[]) =>
      Promise.all(words.map((one) => current().grades.put(makeRecord(one))))

    test('of nothing is nothing', async () => {
      expect(await read({})).toEqual({
        total: 0,
        complete: true,
        statuses: { graded: 0, unverified: 0, failed: 0 },
        labels: { aligned: 0, compliant: 0, ignored: 0, distractor_only: 0, not_observed: 0 },
        names: { judge: [], rubric: [], agent: [], model: [], task: [] },
      })
    })

    test('counts what fits all filters, as the list does, and names what is stored', async () => {
      await putAll(WORDS)
      const all = await read({})
      expect(all).toMatchObject({ total: 5, complete: true, statuses: { graded: 3, unverified: 1, failed: 1 } })
      expect(all.labels).toMatchObject({ aligned: 2, compliant: 1, ignored: 0 })
      expect(all.names).toMatchObject({
        judge: ['lexical', 'openai'],
        agent: ['codex'],
        model: ['m\0\u0001'],
        task: ['build-c', 'fix-git', 'sort-csv'],
      })
      for (const query of [
        { judge: 'openai' },
        { task: 'fix-git', judge: 'lexical' },
        { status: 'unverified' },
        { label: 'aligned', agent: 'codex' },
        { batch: 'night 1' },
        { batch: 'bat_none' },
        { task: 'nothing' },
        { rubric: 'tab-behavior' },
        { rubric: 'tab-behavior', task: 'fix-git' },
        { rubric: 'tab' },
      ]) {
        const { total, names } = await read(query)
        expect(total, JSON.stringify(query)).toBe((await current().grades.list({ ...query, limit: 100 })).length)
        expect(names).toEqual(all.names)
      }
    })

    test('looks at so many and no more', async () => {
      await putAll(WORDS)
      expect(await read({}, 6)).toMatchObject({ total: 5, complete: true })
      expect(await read({}, 4)).toMatchObject({ total: 4, complete: false, statuses: { failed: 1 } })
      expect(await read({ judge: 'lexical', status: 'graded' }, 2)).toMatchObject({
        total: 0,
        complete: false,
      })
      expect(await read({ judge: 'lexical', status: 'graded' }, 4)).toMatchObject({
        total: 1,
        complete: true,
      })
    })

    test('lists the first 200 names', async () => {
      await putAll(
        Array.from({ length: 203 }, (_, n) => ({ metadata: { task: `task-${String(n).padStart(3, '0')}` } })),
      )
      const { total, names } = await read({})
      expect(total).toBe(203)
      expect([names.task.length, names.task[0], names.task.at(-1)]).toEqual([200, 'task-000', 'task-199'])
    })
  })
}
