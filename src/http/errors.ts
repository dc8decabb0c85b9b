import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Issue } from '../domain/result.ts'
import { ANSWER_HEADERS } from './guard/access/security-headers.ts'
import { HttpProblem, problemBody, STATUS_CODES, sendProblem } from './problem.ts'

/** Every error leaves as problem+json through here; unexpected ones say nothing but `internal`. */
export function installErrors(app: FastifyInstance): void {
  const routes: { readonly method: string; readonly matches: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    const matches = new RegExp(
      `^${url
        .replaceAll(/[.*+?^$()[\]\\|]/g, '\\$&')
        .replaceAll(/:[^/]+/g, '[^/]+')
        .replace('\\*', '.*')}$`,
    )
    for (const one of [method].flat()) routes.push({ method: one, matches })
  })
  app.setErrorHandler((error, request, reply) => sendProblem(reply, toProblem(error as FastifyError, request)))
  app.setNotFoundHandler((request, reply) => {
    const path = request.url.split('?')[0] ?? ''
    const allowed = [...new Set(routes.filter((one) => one.matches.test(path)).map((one) => one.method))].sort()
    if (allowed.length === 0 || allowed.includes(request.method)) return sendProblem(reply, noSuchPath())
    const headers = { allow: allowed.join(', ') }
    return sendProblem(reply, new HttpProblem(405, 'method_not_allowed', `use ${headers.allow}`, { headers }))
  })
}

const noSuchPath = (): HttpProblem =>
  new HttpProblem(404, 'not_found', 'there is no such path; /openapi.json lists what there is')

/** What the framework refuses before any route is found, such as a path that cannot be decoded. */
export function sendFrameworkError(error: FastifyError, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem =
    error.code === 'FST_ERR_BAD_URL'
      ? new HttpProblem(400, 'invalid_request', 'the path cannot be decoded')
      : noSuchPath()
  return sendProblem(reply.headers(ANSWER_HEADERS), problem)
}

const CLIENT_ERRORS: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request did not arrive in time'],
  HPE_HEADER_OVERFLOW: [431, 'the headers are too large'],
}

/** How long a client has to read why its connection ends. */
const LINGER_MS = 1000

/** What is not HTTP: answered on the bare socket, which is then closed. */
export function answerClientError(error: { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return
  const [status, detail] = CLIENT_ERRORS[error.code ?? ''] ?? [400, 'this is not an HTTP request']
  const body = problemBody(new HttpProblem(status, 'invalid_request', detail))
  const headers = {
    ...ANSWER_HEADERS,
    'content-type': 'application/problem+json',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  if (!socket.writable) return void socket.destroy()
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`)
  // `end` closes our side only: a client that keeps its own open would keep the handle for ever.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/** Other expectations than `100-continue` are refused before the framework sees them: without this by Node.js, with no document and no headers of ours. */
export function answerExpectations(server: Server): void {
  const body = problemBody(new HttpProblem(417, 'invalid_request', 'Expect: only 100-continue is met'))
  const headers = { ...ANSWER_HEADERS, 'content-type': 'application/problem+json' }
  server.on('checkExpectation', (_request, response) => response.writeHead(417, headers).end(body))
}

const BACK_SOON = { headers: { 'retry-after': '5' } }
const STORAGE_CODES: readonly string[] = ['storage_full', 'storage_busy', 'storage_error']

/** What the database refused; null: the error is another one. */
export function storageProblem(error: unknown): HttpProblem | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  // Another process has it: asked again, its answer is there, or is waited for.
  if (error.code === 'lease_lost') return new HttpProblem(503, 'storage_busy', error.message, BACK_SOON)
  const code = STORAGE_CODES.find((one) => one === error.code)
  return code === undefined ? null : new HttpProblem(503, code, error.message, BACK_SOON)
}

function toProblem(error: FastifyError, request: FastifyRequest): HttpProblem {
  if (error instanceof HttpProblem) return error
  if (error.validation) return invalidRequest(error)
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return unsupportedType(request)
  const storage = storageProblem(error)
  if (storage !== null && error.code !== 'lease_lost')
    request.log.error({ code: error.code, detail: error.message }, 'the database refused')
  if (storage !== null) return storage
  if (error.code === 'ECONNRESET') return new HttpProblem(400, 'invalid_request', 'the body broke off')
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500)
    return new HttpProblem(error.statusCode, 'invalid_request', 'the request cannot be read')
  request.log.error({ err: describeError(error) }, 'unexpected error')
  return new HttpProblem(500, 'internal', 'something went wrong here; the log has it under the id in x-request-id')
}

/** Name, code and frames, not the message: it can quote what was being read. */
function describeError(error: FastifyError): { name: string; code: string | undefined; frames: string[] } {
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  return { name: error.name, code: error.code, frames }
}

/** Media types that the route of a request takes. */
export function takenTypes({ routeOptions }: FastifyRequest): readonly string[] {
  const content = (routeOptions.schema?.body as { content?: object } | undefined)?.content
  return content === undefined ? ['application/json'] : Object.keys(content)
}

export const unsupportedType = (request: FastifyRequest): HttpProblem =>
  new HttpProblem(415, 'unsupported_media_type', `send ${takenTypes(request).join(' or ')}`)

export interface AjvError {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Record<string, unknown>
  /** The object that is wrong, and what it should be. */
  readonly data?: unknown
  readonly parentSchema?: {
    readonly properties?: object
    readonly required?: readonly string[]
    readonly description?: string
  }
}

function invalidRequest(error: FastifyError): HttpProblem {
  const context = error.validationContext ?? 'body'
  const errors = toIssues(error.validation as unknown as AjvError[], context)
  return new HttpProblem(400, 'invalid_request', 'the request does not fit its schema', { errors })
}

const MOST_ISSUES = 20

/**
 * What is wrong, at most twenty places. The check ends at the first fault, which bounds its work; where that is an unknown or a missing
 * property, the other ones of the same object are named too: a misspelt name is both.
 */
export function toIssues(errors: readonly AjvError[], context: string): Issue[] {
  const [only] = errors
  const all = errors.length === 1 && only !== undefined ? siblingsOf(only) : errors
  return all.slice(0, MOST_ISSUES).map((one) => toIssue(one, context))
}

function siblingsOf(error: AjvError): readonly AjvError[] {
  const { keyword, data, parentSchema } = error
  const isOfObject = keyword === 'required' || keyword === 'additionalProperties'
  if (!isOfObject || typeof data !== 'object' || data === null || parentSchema?.properties === undefined) return [error]
  const { properties, required = [] } = parentSchema
  const { instancePath } = error
  const missing = required.filter((name) => !Object.hasOwn(data, name))
  const found: AjvError[] = missing.map((missingProperty) => ({
    instancePath,
    keyword: 'required',
    message: `must have required property '${missingProperty}'`,
    params: { missingProperty },
  }))
  if (keyword !== 'additionalProperties' && !isClosed(parentSchema)) return found
  for (const additionalProperty in data) {
    if (found.length >= MOST_ISSUES) break
    if (Object.hasOwn(data, additionalProperty) && !Object.hasOwn(properties, additionalProperty))
      found.push({ instancePath, keyword: 'additionalProperties', params: { additionalProperty } })
  }
  return found
}

const isClosed = (schema: object): boolean => 'additionalProperties' in schema && schema.additionalProperties === false

/** The place of the fault itself: the missing or the unknown property, not the object around it. */
function toIssue(error: AjvError, context: string): Issue {
  const { missingProperty, additionalProperty, allowedValues } = error.params
  const property = [missingProperty, additionalProperty].find((one) => typeof one === 'string')
  const escaped = property === undefined ? '' : `/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const prefix = context === 'body' ? '' : `/${context}`
  const message =
    typeof additionalProperty === 'string'
      ? 'is not a known property'
      : Array.isArray(allowedValues)
        ? `must be one of: ${allowedValues.join(', ')}`
        : error.keyword === 'type' || error.keyword === 'pattern'
          ? explained(error)
          : (error.message ?? 'is not valid')
  return { path: `${prefix}${error.instancePath}${escaped}`, message }
}

/** A value of another type or form: the contract says what it should be, and a pattern is not read. */
const explained = ({ keyword, message = 'is not valid', parentSchema }: AjvError): string =>
  (keyword === 'pattern' && parentSchema?.description !== undefined
    ? 'is not valid'
    : message.replaceAll(',', ' or ')) +
  (parentSchema?.description === undefined ? '' : `: ${parentSchema.description}`)
