import type { FastifyReply, FastifyRequest } from 'fastify'
import type { GradeRequest } from '../../schemas/grade-request.ts'
import type { Answered } from '../body/idempotency.ts'
import { sendText } from '../body/reply.ts'
import { failureProblem, refusalProblem } from '../outcomes.ts'
import { payerOf } from '../project.ts'
import type { RouteDeps } from './route-deps.ts'

/** Before anything is parsed: sends the stored answer, where the same bytes were answered before. Answers whether it did. */
export async function answerKnownBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  { aliasesOf, metrics }: Pick<RouteDeps, 'aliasesOf' | 'metrics'>,
): Promise<boolean> {
  if (request.url !== '/v1/grades' || request.headers['idempotency-key'] !== undefined) return false
  const known = await aliasesOf(request.project).find(request.bodyDigest)
  if (known === null) return false
  metrics.hit()
  request.log.debug({ grade_id: known.grade_id, cached: true }, 'graded')
  sendText(reply, known.text)
  return true
}

/** A good or unverified grade as its answer; refusals and failed judges are thrown as problems. */
export async function gradeOne(body: GradeRequest, request: FastifyRequest, deps: RouteDeps): Promise<Answered> {
  const outcome = await request.project.service.grade(body, payerOf(request))
  if (!outcome.ok) throw refusalProblem(outcome.refusal)
  const { grade, cached } = outcome
  const { judge } = grade.receipt
  const failure = grade.failure?.code
  request.log.info({ grade_id: grade.id, cached, status: grade.status, label: grade.label, judge, failure }, 'graded')
  if (cached) deps.metrics.hit()
  else deps.metrics.graded(grade)
  if (grade.status === 'failed') throw failureProblem(grade)
  if ((body.cache ?? 'use') === 'use')
    // The grade is stored already: without its alias the next equal request is only slower.
    await deps
      .aliasesOf(request.project)
      .remember(request.bodyDigest, grade)
      .catch(({ code }: { code?: string }) => {
        request.log.warn({ code }, 'the alias of a request could not be stored')
      })
  return { status: cached ? 200 : 201, text: JSON.stringify(grade) }
}
