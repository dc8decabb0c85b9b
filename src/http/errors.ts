import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify'
import type { Issue } from '../domain/result.ts'
import { HttpProblem, problemBody } from './problem.ts'

/** Every error leaves as problem+json through here; unexpected ones say nothing but `internal`. */
export function installErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    const problem = toProblem(error as FastifyError)
    if (problem.status >= 500 && problem.code === 'internal')
      request.log.error({ err: { name: (error as Error).name, stack: (error as Error).stack } }, 'unexpected error')
    return sendProblem(reply, problem)
  })
  app.setNotFoundHandler((request, reply) => {
    const allowed = (['GET', 'POST'] as const).filter((method) =>
      app.hasRoute({ method, url: request.url.split('?')[0] ?? '' }),
    )
    if (allowed.length > 0 && !allowed.includes(request.method as 'GET')) {
      const headers = { allow: allowed.join(', ') }
      return sendProblem(reply, new HttpProblem(405, 'method_not_allowed', `use ${headers.allow}`, { headers }))
    }
    return sendProblem(reply, new HttpProblem(404, 'not_found', 'there is no such path; /docs lists what there is'))
  })
}

export function sendProblem(reply: FastifyReply, problem: HttpProblem): FastifyReply {
  return reply
    .code(problem.status)
    .headers({ ...problem.extras.headers })
    .type('application/problem+json')
    .send(problemBody(problem))
}

interface AjvError {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Record<string, unknown>
}

function toProblem(error: FastifyError): HttpProblem {
  if (error instanceof HttpProblem) return error
  if (error.validation) {
    const errors = (error.validation as unknown as AjvError[]).map((one) =>
      toIssue(one, error.validationContext ?? 'body'),
    )
    return new HttpProblem(400, 'invalid_request', 'the request does not fit its schema', {
      errors: errors.slice(0, 20),
    })
  }
  const name = (error as { code?: string }).code
  if (name === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new HttpProblem(413, 'body_too_large', 'the body is larger than this service takes')
  if (name === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new HttpProblem(415, 'unsupported_media_type', 'send application/json')
  if (name === 'storage_full' || name === 'storage_busy' || name === 'storage_error') {
    return new HttpProblem(503, name, error.message, { headers: { 'retry-after': '5' } })
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new HttpProblem(error.statusCode, 'invalid_request', 'the request cannot be read')
  }
  return new HttpProblem(500, 'internal', 'something went wrong here; the log has it under this request’s id')
}

/** The place of the fault itself: the missing or the unknown property, not the object around it. */
function toIssue(error: AjvError, context: string): Issue {
  const { missingProperty, additionalProperty } = error.params
  const property =
    typeof missingProperty === 'string'
      ? missingProperty
      : typeof additionalProperty === 'string'
        ? additionalProperty
        : null
  const escaped = property === null ? '' : `/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const message = typeof additionalProperty === 'string' ? 'is not a known property' : (error.message ?? 'is not valid')
  const prefix = context === 'body' ? '' : `/${context}`
  return { path: `${prefix}${error.instancePath}${escaped}`, message }
}
