import type { FastifyRequest } from 'fastify'
import { HttpProblem } from '../problem.ts'

export const NDJSON = 'application/x-ndjson'
const JSON_TYPE = 'application/json'

/** What the body of the route may be. */
function takenTypes({ routeOptions }: FastifyRequest): readonly string[] {
  const content = (routeOptions.schema?.body as { content?: object } | undefined)?.content
  return content === undefined ? [JSON_TYPE] : Object.keys(content)
}

/** A body of a type that the route does not take. */
export const unsupportedType = (request: FastifyRequest): HttpProblem =>
  new HttpProblem(415, 'unsupported_media_type', `send ${takenTypes(request).join(' or ')}`)

/** Why a body of lines cannot be read here; null: it can. */
export const linesFault = (request: FastifyRequest): HttpProblem | null =>
  request.routeOptions.schema?.body === undefined || takenTypes(request).includes(NDJSON)
    ? charsetFault(request)
    : unsupportedType(request)

/** Read as UTF-8, text in another encoding would be other text: a quote of it would not be found. Null: it can be read. */
export function charsetFault({ headers }: FastifyRequest): HttpProblem | null {
  for (const parameter of (headers['content-type'] ?? '').split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=', 2)
    if (name.trim().toLowerCase() !== 'charset') continue
    if (!UTF8.includes(value.trim().replaceAll('"', '').toLowerCase()))
      return new HttpProblem(415, 'unsupported_encoding', 'send the body as UTF-8')
  }
  return null
}

/** ASCII is a part of it. */
const UTF8: readonly string[] = ['utf-8', 'utf8', 'us-ascii', 'ascii']
