import { expect, test } from 'vitest'
import { questionOfReview, readReviews, standingReviewsOf } from '../../src/audit/reviews.ts'
import type { ReviewStore } from '../../src/db/reviews.ts'
import { openSqliteStores } from '../../src/db/stores.ts'
import { digestBytes } from '../../src/domain/digest.ts'
import { collect } from '../collect.ts'
import { makeReview, putGrade } from './make-question.ts'

test('many are read a page at a time, each once, and stand as if they were read at once', async () => {
  const stores = openSqliteStores({ path: ':memory:' })
  const { id } = await putGrade(stores, { question: 'q0' })
  const all = Array.from({ length: 1000 }, (_, index) =>
    makeReview({
      ...{ grade_id: id, trajectory: digestBytes(`q${index % 7}`) },
      ...{ rater: `r${index % 11}`, label: index % 2 === 0 ? 'aligned' : null },
    }),
  )
  await Promise.all(all.map((review) => stores.reviews.put(review)))
  const limits: number[] = []
  const counted: ReviewStore = {
    ...stores.reviews,
    list: (query) => {
      limits.push(query.limit)
      return stores.reviews.list(query)
    },
  }
  expect(await collect(readReviews(counted, {}))).toEqual(all.toReversed())
  expect(limits).toEqual([200, 200, 200, 200, 200, 200])
  const asked = all.slice(0, 6).map((review) => `${questionOfReview(review)}/tab-behavior`)
  const standing = await standingReviewsOf(counted, new Map(asked.map((one) => [one, null])))
  const newest = all.slice(-77).filter(({ trajectory }) => trajectory !== digestBytes('q6'))
  const ids = [...standing.values()].flat().map(({ id }) => id)
  expect(ids.sort()).toEqual(newest.map(({ id }) => id).sort())
  expect(await collect(readReviews(counted, { label: null, rater: 'r3' }))).toEqual(
    all.toReversed().filter(({ label, rater }) => label === null && rater === 'r3'),
  )
  await stores.close()
})
