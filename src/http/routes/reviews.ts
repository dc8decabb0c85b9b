import type { Static } from 'typebox'
import { findReviewFaults, makeReview } from '../../audit/disagreements/review-grade.ts'
import { type ReviewFilter, readReviews } from '../../audit/disagreements/standing-opinions.ts'
import { given } from '../../domain/given.ts'
import { type Rubrics, rubricOf } from '../../domain/rubric/claim-values.ts'
import { type Review, type ReviewRequest, ReviewRequestSchema } from '../../schemas/audit/review.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import { decodeCursor, idOf, mapAsync, takeAsync, takePage } from '../answers.ts'
import type { Context } from '../context.ts'
import { FormatQuery, REVIEWS, sendCsv, withCsv } from '../csv.ts'
import { hasLabel, labelsOf, requireNames } from '../known-names.ts'
import { answer, IdempotencyHeader, IdParams, operation, SENT } from '../operation.ts'
import { faultAt, HttpProblem, orNotFound } from '../problem.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

export const ReviewQuery = Closed({
  rater: Type.Optional(Type.String({ maxLength: 100 })),
  grade_id: Type.Optional(Type.String({ maxLength: 100 })),
  question: Type.Optional(
    Type.String({ maxLength: 200, description: 'The digests of trajectory and ground truth: `sha256:…/sha256:…`.' }),
  ),
  rubric: Type.Optional(
    Type.String({ maxLength: 200, description: 'Reviews of grades by this rubric, whatever its version: its id.' }),
  ),
  label: Type.Optional(
    Type.String({ maxLength: 100, description: 'A label of a loaded rubric; `none`: it could not be told.' }),
  ),
  ...FormatQuery,
  ...PageQuery,
})

/** Stores the review of a grade. Throws a problem for a review that does not fit the rubric of the grade. */
export async function storeReview(context: Context, gradeId: string, body: ReviewRequest): Promise<Review> {
  const { clock, newId, stores } = context
  const grade = orNotFound(await stores.grades.get(gradeId), 'grade', gradeId)
  const rubric = rubricOf(context.rubrics, grade.receipt.rubric)
  if (rubric === null) throw notLoaded(grade.receipt.rubric)
  const errors = findReviewFaults(body, rubric)
  if (errors.length > 0)
    throw new HttpProblem(400, 'invalid_request', `the review does not fit ${rubric.name}`, { errors })
  const made = makeReview(body, grade, rubric, { id: newId('rev'), at: clock.now() })
  await stores.reviews.put(made)
  return made
}

/** Finds reviews, newest first. */
export async function findReviews(context: Context, query: Static<typeof ReviewQuery>) {
  await requireNames(context, { rubric: query.rubric })
  return readReviews(context.stores.reviews, filterOf(query, context.rubrics))
}

/** Lists one page of reviews, newest first. */
export const listReviews = async (context: Context, query: Static<typeof ReviewQuery>) =>
  takePage(await findReviews(context, query), query.limit ?? 50, idOf)

/** Adds the routes that store and list reviews. */
export function reviewRoutes(routes: Routes, { context, answerOnce }: RouteDeps): void {
  routes.post('/v1/grades/:id/reviews', {
    ...operation('review', 'audit', 'createReview', {
      summary: 'Say what a human finds',
      description:
        'Append-only: of one rater’s reviews of a question (a trajectory and its ground truth) by a rubric the newest counts. Label and claims are those of the rubric of the grade (`GET /v1/rubrics/{id}`). Any grade of the question can be reviewed, whatever its status.',
      params: IdParams,
      headers: IdempotencyHeader,
      body: ReviewRequestSchema,
      answers: { 201: answer('Review', 'It is stored.') },
      problems: [...SENT, 404, 409, 422],
    }),
    handler: (request, reply) =>
      answerOnce(request, reply, async () => {
        const review = await storeReview(context, request.params.id, request.body)
        return { status: 201, text: JSON.stringify(review) }
      }),
  })

  routes.get('/v1/reviews', {
    ...operation('read', 'audit', 'listReviews', {
      summary: 'List reviews, newest first',
      description: 'With `format=csv` all of them in one table, or `limit` of them, from `cursor` on.',
      querystring: ReviewQuery,
      answers: { 200: withCsv(answer('ReviewPage', 'One page.'), REVIEWS.columns) },
    }),
    handler: async ({ query }, reply) => {
      if (query.format !== 'csv') return await listReviews(context, query)
      const reviews = takeAsync(await findReviews(context, query), query.limit)
      return sendCsv(reply, 'reviews', REVIEWS.columns, mapAsync(reviews, REVIEWS.toRow))
    },
  })
}

function filterOf(query: Static<typeof ReviewQuery>, rubrics: Rubrics): ReviewFilter {
  const { rater, grade_id, question, rubric, label, cursor } = query
  const before = decodeCursor(cursor, /^rev_[0-9a-z]{26}$/)
  if (label !== undefined && label !== 'none' && !hasLabel(rubrics, label)) throw noSuchLabel(rubrics, rubric)
  return given({
    ...{ rater, grade_id, question, before },
    rubric: rubric === undefined ? undefined : rubricIdOf(rubric),
    label: label === 'none' ? null : label,
  })
}

function noSuchLabel(rubrics: Rubrics, asked: string | undefined): HttpProblem {
  const message = `must be one of ${[...new Set([...labelsOf(rubrics, asked), 'none'])].join(', ')}`
  return faultAt('/querystring/label', message, 'invalid_request', 'no loaded rubric has this label')
}

const notLoaded = (name: string): HttpProblem =>
  new HttpProblem(
    400,
    'unknown_rubric',
    `the rubric of this grade is not loaded, and says what a review may be: ${name}`,
  )
