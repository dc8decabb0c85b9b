import type { Static } from 'typebox'
import { findReviewFaults, makeReview } from '../../audit/disagreements/review-grade.ts'
import { type ReviewFilter, readReviews } from '../../audit/disagreements/standing-opinions.ts'
import { given } from '../../domain/given.ts'
import { type Rubrics, rubricOf } from '../../domain/rubric/said-claims.ts'
import { type ReviewRequest, ReviewRequestSchema } from '../../schemas/audit/review.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import { decodeCursor, idOf, mapAsync, sendJson, takeAsync, takePage } from '../body/answers.ts'
import { FormatQuery, REVIEWS, sendCsv, withCsv } from '../body/csv.ts'
import { answer, IdempotencyHeader, IdParams, NoQuery, problems } from '../body/schemas.ts'
import { hasLabel, labelsOf, requireNames } from '../known-names.ts'
import { faultAt, HttpProblem, orNotFound } from '../problem.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

const ReviewQuery = Closed({
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

/** Adds the routes that store and list reviews. */
export function reviewRoutes(routes: Routes, { context, answerOnce }: RouteDeps): void {
  const { clock, newId } = context

  async function review(gradeId: string, body: ReviewRequest) {
    const { stores } = context
    const grade = orNotFound(await stores.grades.get(gradeId), 'grade', gradeId)
    const rubric = rubricOf(context.rubrics, grade.receipt.rubric)
    if (rubric === null) throw notLoaded(grade.receipt.rubric)
    const errors = findReviewFaults(body, rubric)
    if (errors.length > 0)
      throw new HttpProblem(400, 'invalid_request', `the review does not fit ${rubric.name}`, { errors })
    const made = makeReview(body, grade, rubric, { id: newId('rev'), at: clock.now() })
    await stores.reviews.put(made)
    return { status: 201, text: JSON.stringify(made) }
  }

  routes.post('/v1/grades/:id/reviews', {
    schema: {
      operationId: 'createReview',
      summary: 'Say what a human finds',
      description:
        'Append-only: of one rater’s reviews of a question (a trajectory and its ground truth) by a rubric the newest counts. Label and claims are those of the rubric of the grade (`GET /v1/rubrics/{id}`). Any grade of the question can be reviewed, whatever its status.',
      tags: ['audit'],
      params: IdParams,
      headers: IdempotencyHeader,
      querystring: NoQuery,
      body: ReviewRequestSchema,
      response: { 201: answer('Review', 'It is stored.'), ...problems(400, 404, 409, 413, 415, 422) },
    },
    handler: (request, reply) => answerOnce(request, reply, () => review(request.params.id, request.body)),
  })

  routes.get('/v1/reviews', {
    schema: {
      operationId: 'listReviews',
      summary: 'List reviews, newest first',
      description: 'With `format=csv` all of them in one table, or `limit` of them, from `cursor` on.',
      tags: ['audit'],
      querystring: ReviewQuery,
      response: { 200: withCsv(answer('ReviewPage', 'One page.'), REVIEWS.columns), ...problems(400) },
    },
    handler: async (request, reply) => {
      const { limit, format } = request.query
      await requireNames(context, { rubric: request.query.rubric })
      const reviews = readReviews(context.stores.reviews, filterOf(request.query, context.rubrics))
      if (format === 'csv')
        return sendCsv(reply, 'reviews', REVIEWS.columns, mapAsync(takeAsync(reviews, limit), REVIEWS.toRow))
      return sendJson(reply, await takePage(reviews, limit ?? 50, idOf))
    },
  })
}

function filterOf(query: Static<typeof ReviewQuery>, rubrics: Rubrics): ReviewFilter {
  const { rater, grade_id, question, rubric, label, cursor } = query
  const before = decodeCursor(cursor, /^rev_[0-9a-z]{26}$/)
  if (label !== undefined && label !== 'none' && !hasLabel(rubrics, label)) throw noSuchLabel(rubrics)
  return given({
    ...{ rater, grade_id, question, before },
    rubric: rubric === undefined ? undefined : rubricIdOf(rubric),
    label: label === 'none' ? null : label,
  })
}

function noSuchLabel(rubrics: Rubrics): HttpProblem {
  const message = `must be one of ${[...new Set([...labelsOf(rubrics), 'none'])].join(', ')}`
  return faultAt('/querystring/label', message, 'invalid_request', 'no loaded rubric has this label')
}

const notLoaded = (name: string): HttpProblem =>
  new HttpProblem(
    400,
    'unknown_rubric',
    `the rubric of this grade is not loaded, and says what a review may be: ${name}`,
  )
