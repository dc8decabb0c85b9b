import { readStoredRatings } from '../../audit/agreement/stored-ratings.ts'
import type { Stores } from '../../db/stores.ts'
import type { Issue } from '../../domain/result.ts'
import type { Rubrics } from '../../domain/rubric/claim-values.ts'
import type { AgreementRequest } from '../../schemas/audit/agreement.ts'
import { type AgreementCall, AgreementCallSchema, type RaterCoverage } from '../../schemas/audit/stored-agreement.ts'
import { requireNames } from '../known-names.ts'
import { answer, operation, SENT } from '../operation.ts'
import { HttpProblem } from '../problem.ts'
import { computeApart, type RouteDeps, type Routes } from './route-deps.ts'

/** Adds the route that computes the agreement of given or stored raters. */
export function agreementRoutes(routes: Routes, { context, statistics }: RouteDeps): void {
  routes.post('/v1/agreement', {
    ...operation('read', 'audit', 'computeAgreement', {
      summary: 'How far raters agree, with intervals',
      description:
        'Of given ratings, or of stored raters: judges, their samples, humans, what the harness measured. A grade without a label gives no rating and is counted in `coverage`. Computed one request at a time; 503 where too many wait.',
      body: AgreementCallSchema,
      answers: {
        200: answer('Agreement', 'Every statistic, or why it is undefined.'),
      },
      problems: [...SENT, 404],
    }),
    handler: async ({ body }) => {
      const { stored } = body
      await requireNames(context, { rubric: stored?.rubric }, '/stored')
      await requireNames(context, stored?.query ?? {}, '/stored/query')
      const { request: asked, coverage } = await readCall({ ...context.stores, loaded: context.rubrics }, body)
      const computed = await computeApart(statistics)('agreement', asked)
      if (!computed.ok) throw invalid('the agreement of these ratings cannot be computed', computed.error)
      return { ...computed.value, ...(coverage && { coverage }) }
    },
  })
}

async function readCall(
  stores: Stores & { readonly loaded: Rubrics },
  { ratings, stored, labels, scale, bootstrap }: AgreementCall,
): Promise<{ request: AgreementRequest; coverage?: RaterCoverage[] }> {
  const resampling = bootstrap && { bootstrap }
  if (stored === undefined) {
    if (ratings === undefined)
      throw invalid('there is nothing to compare', [fault('/ratings', 'is required without stored')])
    return { request: { ratings, ...(labels && { labels }), ...(scale && { scale }), ...resampling } }
  }
  const errors = [
    ...(ratings === undefined ? [] : [fault('/ratings', 'does not go with stored: give one of them')]),
    ...(labels === undefined ? [] : [fault('/labels', 'does not go with stored: the measure says which there are')]),
    ...(scale === undefined ? [] : [fault('/scale', 'does not go with stored: the measure has its own')]),
  ]
  if (errors.length > 0) throw invalid('give ratings or stored, not both', errors)
  const read = await readStoredRatings(stores, stored)
  if (!read.ok) throw invalid('these raters cannot be compared', read.error)
  return { request: { ...read.value.request, ...resampling }, coverage: read.value.coverage }
}

const fault = (path: string, message: string): Issue => ({ path, message })
const invalid = (detail: string, errors: readonly Issue[]) =>
  new HttpProblem(400, 'invalid_request', detail, { errors })
