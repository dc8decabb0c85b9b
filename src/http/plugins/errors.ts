import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { inputIssues, misfit } from '../../schemas/check.ts'
import { RequestError, storageRefusal } from '../../schemas/problem.ts'
import { problemBody, STATUS_CODES, sendProblem } from '../problem.ts'
import { ANSWER_HEADERS } from './access.ts'

/** Refuses requests that do not fit their schema, and turns every error into problem+json; an unexpected error is only told as `internal`. */
export function installErrors(app: FastifyInstance): void {
  app.setValidatorCompiler(({ schema, httpPart = 'body' }) => {
    const isBody = httpPart === 'body'
    return (value: unknown) => {
      const errors = inputIssues(schema as object, value, { isText: !isBody })
      return errors.length === 0 || { error: misfit('', errors) }
    }
  })
  // Routes write their answers; response schemas only describe them.
  app.setSerializerCompiler(() => JSON.stringify)
  const routes: { readonly method: string; readonly matches: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const matches = new RegExp(
      `^${url
        .replaceAll(/[.*+?^$()[\]\\|]/g, '\\$&')
        .replaceAll(/:[^/]+/g, '[^/]+')
        .replace('\\*', '.*')}$`,
    )
    for (const name of [method].flat()) routes.push({ method: name, matches })
  })
  app.setErrorHandler((error, request, reply) => sendProblem(reply, toProblem(error as FastifyError, request)))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = [...new Set(routes.filter((route) => route.matches.test(path)).map((route) => route.method))].sort()
    if (allowed.length === 0 || allowed.includes(request.method)) return sendProblem(reply, noSuchPath())
    const headers = { allow: allowed.join(', ') }
    return sendProblem(reply, new RequestError('method_not_allowed', `use ${headers.allow}`, { headers }))
  })
}

const noSuchPath = (): RequestError =>
  new RequestError('not_found', 'there is no such path; /openapi.json lists what there is')

/** Answers the refusals of Fastify that precede any route, such as a path that cannot be decoded. */
export function sendFrameworkError(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem =
    error.code === 'FST_ERR_BAD_URL' ? new RequestError('invalid_request', 'the path cannot be decoded') : noSuchPath()
  return sendProblem(reply.headers(ANSWER_HEADERS), problem)
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
}

/** The time in which a client can read the reason for the end of its connection. */
const LINGER_MS = 1000

/** Answers a request that is no HTTP on the bare socket, and closes the socket. */
export function answerClientError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, detail] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'this is not an HTTP request']
  const body = problemBody(new RequestError('invalid_request', detail, { status }))
  const headers = {
    ...ANSWER_HEADERS,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (!socket.writable) return void socket.destroy()
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // `end` closes one side: a client that keeps the other open would keep the handle for ever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** Refuses expectations other than `100-continue` with a problem. Node.js would refuse them before Fastify, without a document and without headers. */
export function answerExpectations(server: Server): void {
  const body = problemBody(new RequestError('invalid_request', 'Expect: only 100-continue is met', { status: 417 }))
  const headers = { ...ANSWER_HEADERS, 'content-type': 'application/problem+json' }
  server.on('checkExpectation', (_request, response) => response.writeHead(417, headers).end(body))
}

/** Puts the places of an error into the request: the input of a GET is its query, unless a check of Fastify names the part. */
function inRequest(
  error: RequestError & { readonly validationContext?: string },
  request: FastifyRequest,
): RequestError {
  const { errors, ...extras } = error.extras
  const part = error.validationContext ?? (request.method === 'POST' ? 'body' : 'querystring')
  if (errors === undefined || part === 'body') return error
  const placed = errors.map(({ path, message }) => ({ path: `/${part}${path}`, message }))
  return new RequestError(error.code, error.message, { ...extras, errors: placed })
}

function toProblem(error: FastifyError, request: FastifyRequest): RequestError {
  if (error instanceof RequestError) return inRequest(error, request)
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedType(request)
  const storage = storageRefusal(error)
  if (storage !== null) request.log.error({ code: error.code, detail: error.message }, 'the database refused')
  if (storage !== null) return storage
  if (error.code === 'ECONNRESET') return new RequestError('invalid_request', 'the body broke off')
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new RequestError('invalid_request', 'the request cannot be read', { status: error.statusCode })
  request.log.error({ err: describeError(error) }, 'unexpected error')
  return new RequestError('internal', 'something went wrong here; the log has it under the id in x-request-id')
}

/** Describes an error by name, code and frames, without its message, which can quote the input. */
function describeError(error: FastifyError): { name: string; code: string | undefined; frames: string[] } {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  return { name: error.name, code: error.code, frames }
}

/** Lists the media types that the route of a request accepts. */
export function acceptedTypes({ routeOptions }: FastifyRequest): readonly string[] {
  const content = (routeOptions.schema?.body as { content?: object } | undefined)?.content
  return content === undefined ? ['application/json'] : Object.keys(content)
}

const FORM = /^application\/x-www-form-urlencoded\b/i
/** The media type of a request or a record a line. */
export const NDJSON = 'application/x-ndjson'

/** Says how to send lines to a route that takes them, behind the faults of `curl -d`, which sends a form, and takes the line ends away. */
export const linesAdvice = (request: FastifyRequest, code?: string): string =>
  acceptedTypes(request).includes(NDJSON) &&
  (code === 'invalid_json' || FORM.test(request.headers['content-type'] ?? ''))
    ? `; to send lines: curl -H 'Content-Type: ${NDJSON}' --data-binary @FILE (-d takes the line ends away)`
    : ''

export const unsupportedType = (request: FastifyRequest): RequestError => {
  const types = `set the header Content-Type: ${acceptedTypes(request).join(' or ')}`
  return new RequestError('unsupported_media_type', types + linesAdvice(request))
}
