import { findNeed, type Need } from './route-scopes.ts'

/** The members of an OpenAPI document that this file writes. */
interface Document {
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
interface Operation {
  security?: object[]
  responses?: Record<string, object>
}

/** Credentials of a caller. Behind TLS the name of the cookie has the prefix `__Host-`. */
export const SECURITY_SCHEMES = {
  key: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A key, made with `veridict keys create`. Needed unless the service listens on loopback, or its configuration says otherwise; one that is sent must be good.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'veridict_session',
    description: 'Of a browser that signed in at `POST /v1/session`.',
  },
} as const

const REFUSALS: Readonly<Record<string, string>> = {
  401: 'A key is needed and there is none, or it is not good: `unauthorized`.',
  403: 'The key lacks a scope, `forbidden`; or a page of another origin asks, `cross_origin`.',
  421: 'The service is not asked by this name: `wrong_host`.',
  429: 'The key asked too often, or too many sign-ins failed: `too_many_requests`. A provider that limits us is 503 `rate_limited`.',
}

const CHALLENGE = {
  'www-authenticate': { schema: { type: 'string' }, description: 'What to send, or which scope is missing.' },
}
const WAIT = { 'retry-after': { schema: { type: 'integer' }, description: 'Seconds after which to try again.' } }
const HEADERS: Readonly<Record<string, object>> = { 401: CHALLENGE, 403: CHALLENGE, 429: WAIT }

const METHODS: readonly string[] = ['get', 'post', 'put', 'patch', 'delete']

/** Adds the needed scope and the refusals of the guard to every operation. */
export function describeAccess<T extends object>(document: T): T {
  for (const [path, operations] of Object.entries((document as Document).paths ?? {})) {
    const route = path.replaceAll(/\{([^}]+)\}/g, ':$1')
    for (const method of METHODS.filter((one) => Object.hasOwn(operations, one)))
      describeOperation(operations[method] as Operation, findNeed(method.toUpperCase(), route) ?? 'admin', method)
  }
  return document
}

function describeOperation(operation: Operation, need: Need, method: string): void {
  const scopes = need === 'key' || need === 'page' || need === 'open' ? [] : [need]
  operation.security = need === 'open' ? [] : [{ key: scopes }, { session: scopes }]
  operation.responses = { ...operation.responses }
  for (const status of refusalsOf(operation, need, method))
    operation.responses[status] = {
      description: REFUSALS[status],
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
      ...(HEADERS[status] && { headers: HEADERS[status] }),
    }
}

/** Lists the refusals of an operation. Without a key, a change can still come from another origin, and a sign-in can still fail. */
function refusalsOf({ operationId }: Operation & { operationId?: string }, need: Need, method: string): string[] {
  if (need !== 'open') return ['401', '403', '421', '429']
  if (operationId === 'openSession') return ['401', '403', '421', '429']
  return method === 'get' ? ['421'] : ['403', '421']
}
