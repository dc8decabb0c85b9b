import type { Stores } from '../../db/stores.ts'
import type { Issue } from '../../domain/result.ts'
import type { Rubrics } from '../../domain/rubric/claim-values.ts'
import type { AgreementRequest } from '../../schemas/audit/agreement.ts'
import type { AgreementAnswer, AgreementCall, RaterCoverage } from '../../schemas/audit/stored-agreement.ts'
import { RequestError } from '../../schemas/problem.ts'
import { type AuditContext, requireNames } from '../names.ts'
import type { Compute } from './statistics-worker.ts'
import { readStoredRatings } from './stored-ratings.ts'

/** Computes the agreement of given or stored raters. Throws a RequestError for names and ratings that do not fit. */
export async function computeAgreement(
  context: AuditContext,
  compute: Compute,
  call: AgreementCall,
): Promise<AgreementAnswer> {
  await requireNames(context, { rubric: call.stored?.rubric }, '/stored')
  await requireNames(context, call.stored?.query ?? {}, '/stored/query')
  const { request, coverage } = await readCall({ ...context.stores, loaded: context.rubrics }, call)
  const computed = await compute('agreement', request)
  if (!computed.ok) throw invalid('the agreement of these ratings cannot be computed', computed.error)
  return { ...computed.value, ...(coverage && { coverage }) }
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
  const { request, coverage } = await readStoredRatings(stores, stored)
  return { request: { ...request, ...resampling }, coverage }
}

const fault = (path: string, message: string): Issue => ({ path, message })
const invalid = (detail: string, errors: readonly Issue[]) => new RequestError('invalid_request', detail, { errors })
