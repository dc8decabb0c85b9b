import type { Static } from 'typebox'
import { compareBatches } from '../../audit/comparison/comparison.ts'
import { MOST_LABELS } from '../../audit/comparison/comparison-labels.ts'
import { PageQuery } from '../../schemas/page.ts'
import { type Comparison, RegradeRequestSchema } from '../../schemas/regrade.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { rubricIdOf } from '../../schemas/vocabulary.ts'
import { decodeCursor, encodeCursor } from '../answers.ts'
import type { Context } from '../context.ts'
import { requireNames } from '../known-names.ts'
import { answer, NAMED, operation, SENT } from '../operation.ts'
import { faultAt, HttpProblem, notFound } from '../problem.ts'
import { estimateOf, sendBatch } from './batches.ts'
import { type Compute, computeApart, payerOf, type RouteDeps, type Routes } from './route-deps.ts'

export const ComparisonQuery = Closed({
  base: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'A batch. Absent: the grades that the head, a re-grade, started from.',
    }),
  ),
  head: Type.String({ maxLength: 100, description: 'A batch.' }),
  rubric: Type.Optional(
    Type.String({
      maxLength: 200,
      description: 'Compare what was asked by this rubric, whatever its version. Needed where both ask by several.',
    }),
  ),
  statistics: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'False: without `agreement`, `tests` and `repeat_noise`, for later pages of the flips.',
    }),
  ),
  ...PageQuery,
})

/** Adds the routes that grade stored grades again and compare two batches. */
export function regradeRoutes(routes: Routes, { context, inFlight, statistics: worker }: RouteDeps): void {
  routes.post('/v1/regrades', {
    ...operation('grade', 'batches', 'createRegrade', {
      summary: 'Grade stored grades again',
      description:
        'A batch over the stored grades that fit `query` (of equal questions the newest), with another rubric, judge or sample count; or, with `recheck`, over their stored replies under the evidence rules of today, without a call. The old grades stay as they are.',
      body: RegradeRequestSchema,
      answers: {
        200: answer('BatchEstimate', 'With `dry_run`: what it would take.'),
        202: answer('Batch', 'It is stored whole and runs.'),
      },
      problems: [...SENT, 404],
    }),
    handler: async (request, reply) => {
      const { body } = request
      const { batches } = context
      await requireNames(context, body.query, '/query')
      if (body.dry_run === true) return estimateOf(await batches.estimateRegrade(body))
      return sendBatch(reply, await inFlight.track(batches.regrade(body, payerOf(request))))
    },
  })

  routes.get('/v1/comparisons', {
    ...operation('read', 'batches', 'compareBatches', {
      summary: 'Two batches over the same questions, label against label',
      description:
        'Questions are paired by trajectory, ground truth and rubric, whatever its version; what different rubrics ask is never compared. The matrix counts pairs that have a label on both sides; whatever has none is counted beside it. Statistics are of all pairs, whatever page of the flips is asked for.',
      querystring: ComparisonQuery,
      answers: { 200: answer('Comparison', 'The counts, and one page of the flips.') },
      problems: NAMED,
    }),
    handler: ({ query }) => compare(context, computeApart(worker), query),
  })
}

/** Compares two batches, and returns one page of the flips. Throws a problem for batches that cannot be compared. */
export async function compare(
  context: Context,
  compute: Compute,
  { base, head, rubric, limit = 50, cursor, statistics = true }: Static<typeof ComparisonQuery>,
): Promise<Comparison> {
  await requireNames(context, { rubric })
  const after = Number(decodeCursor(cursor, /^\d{1,9}$/) ?? 0)
  const compared = await compareBatches(
    { ...context.stores, loaded: context.rubrics },
    {
      ...{ base: base ?? null, head },
      rubric: rubric === undefined ? null : rubricIdOf(rubric),
      limit,
      after,
      statistics: statistics ? (pairs) => compute('comparisonStatistics', pairs) : null,
    },
  )
  if (compared.ok) {
    const next_cursor = compared.next === null ? null : encodeCursor(String(compared.next))
    return { ...compared.comparison, next_cursor }
  }
  if (compared.reason === 'no_regrade') throw NEEDS_BASE
  if (compared.reason === 'several_rubrics') throw needsRubric(compared.rubrics)
  if (compared.reason === 'too_many_labels') throw tooManyLabels(compared.labels)
  throw compared.reason === 'no_head' ? notFound('batch (head)', head) : notFound('batch (base)', base ?? head)
}

const NEEDS_BASE = faultAt(
  '/querystring/base',
  'is needed, as the head is no re-grade',
  'invalid_request',
  'the head is no re-grade: say what to compare it with',
)

const needsRubric = (rubrics: readonly string[]): HttpProblem => {
  const message = `is needed: both batches ask by ${rubrics.join(', ')}, which are never compared with each other`
  return faultAt('/querystring/rubric', message, 'several_rubrics', 'say which rubric to compare by')
}

const tooManyLabels = (labels: number): HttpProblem =>
  new HttpProblem(
    400,
    'too_many_labels',
    `the outcomes have ${labels} different values; ${MOST_LABELS} can be compared`,
  )
