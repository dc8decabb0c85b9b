import { ComparisonQuery, compare } from '../../audit/comparison/compare.ts'
import { requireNames } from '../../audit/names.ts'
import { accepted } from '../../grading/service.ts'
import { RegradeRequestSchema } from '../../schemas/regrade.ts'
import { answer, NAMED, operation, SENT } from '../operation.ts'
import { sendBatch } from './batches.ts'
import { payerOf, type RouteDeps, type Routes } from './route-deps.ts'

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
      if (body.dry_run === true) return accepted(await batches.estimateRegrade(body)).estimate
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
    handler: ({ query }) => compare(context, worker.run, query),
  })
}
