import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import type { Scope } from '../access/keys.ts'
import type { StatisticsWorker } from '../audit/statistics-worker.ts'
import type { Payer } from '../db/spending.ts'
import { defined } from '../domain/result.ts'
import type { InFlight } from '../grading/lane.ts'
import { Closed, Opt, Type } from '../schemas/type.ts'
import type { Context } from './context.ts'
import type { Metrics } from './plugins/metrics.ts'
import { type ComponentName, ref } from './plugins/openapi.ts'
import type { AnswerOnce, KnownBodies } from './plugins/replay.ts'

/** The dependencies of routes. */
export interface RouteDeps {
  readonly context: Context
  readonly metrics: Metrics
  readonly knownBodies: KnownBodies
  readonly inFlight: InFlight
  readonly answerOnce: AnswerOnce
  readonly statistics: StatisticsWorker
  /** Streams end once the service drains. */
  readonly state: { readonly draining: boolean }
}

/** Gives handlers the types of their schemas. */
export const typedRoutes = (app: FastifyInstance) => app.withTypeProvider<TypeBoxTypeProvider>()
export type Routes = ReturnType<typeof typedRoutes>

/** Names the payer of a request; null: a caller without a key. */
export const payerOf = ({ caller: { key_id, max_cost_usd_per_day } }: FastifyRequest): Payer | null =>
  key_id === null ? null : { key_id, max_cost_usd_per_day }

/** `open`: every caller; `key`: callers with a good key; `page`: the same, and a browser without a session is led to sign in. */
export type Need = Scope | 'open' | 'key' | 'page'

interface Parts extends Pick<FastifySchema, 'params' | 'querystring' | 'headers' | 'body'> {
  readonly summary: string
  readonly description?: string
  readonly answers: Readonly<Record<number, Response>>
  /** The statuses of its problems, beside those of the guard; by default those of a GET, with 404 for a name in the path. */
  readonly problems?: readonly number[]
}

type Words = 'answers' | 'problems' | 'summary' | 'description'

/** The statuses of the problems of a route without names and body, with names, and with a body. */
const READ = [400, 500, 503]
export const NAMED = [...READ, 404]
export const SENT = [...READ, 413, 415]

/** Describes an operation for the guard, the validation and the OpenAPI document. Without a query only probes take parameters. */
export function operation<const P extends Parts>(
  need: Need,
  tag: string,
  operationId: string,
  parts: P,
): { readonly config: { readonly need: Need }; readonly schema: FastifySchema & Omit<P, Words> } {
  const {
    answers,
    problems: statuses = parts.params === undefined ? READ : NAMED,
    summary,
    description,
    ...schemas
  } = parts
  const scopes = need === 'key' || need === 'page' || need === 'open' ? [] : [need]
  const refusals = need === 'open' ? [421] : [401, 403, 421, 429]
  return {
    config: { need },
    schema: {
      operationId,
      summary,
      ...defined({ description }),
      tags: [tag],
      security: need === 'open' ? [] : [{ key: scopes }, { session: scopes }],
      ...(statuses.includes(400) && { querystring: NoQuery }),
      ...schemas,
      response: { ...answers, ...problems([...statuses, ...refusals]) },
    },
  }
}

export interface Response {
  readonly description: string
  readonly content: Readonly<Record<string, { readonly schema: object; readonly example?: unknown }>>
  readonly headers?: Readonly<Record<string, object>>
}

/** Describes a successful answer. */
export const answer = (of: ComponentName | TSchema, description: string, example?: unknown): Response => ({
  description,
  content: { 'application/json': { schema: typeof of === 'string' ? ref(of) : of, ...defined({ example }) } },
})

/** Describes a successful answer that is a stream of components. */
export const streamed = (type: string, name: ComponentName, description: string): Response => ({
  description,
  content: { [type]: { schema: { type: 'string', description: `A stream of \`${name}\`.` } } },
})

const PROBLEMS: Readonly<Record<number, string>> = {
  400: 'The request is not understood; `errors` names the places.',
  401: 'A key is needed and there is none, or it is not good: `unauthorized`.',
  403: 'The key lacks a scope, `forbidden`; or a page of another origin asks, `cross_origin`.',
  404: 'There is no such thing.',
  409: 'A request with this Idempotency-Key is still being answered.',
  413: 'The body is larger than the service takes.',
  415: 'The body is not declared as application/json.',
  421: 'The service is not asked by this name: `wrong_host`.',
  422: 'This Idempotency-Key was used with another body.',
  429: 'The key asked too often, or too many sign-ins failed: `too_many_requests`. A provider that limits us is 503 `rate_limited`.',
  500: 'Something went wrong in the service.',
  502: 'The judge failed; `code` says how, `grade_id` names the stored attempt.',
  503: 'The judge is out of quota or busy, the database cannot be written, or the service is stopping.',
  504: 'The judge did not answer in time.',
}

const CHALLENGE = { 'www-authenticate': { type: 'string', description: 'What to send, or which scope is missing.' } }
const waitFor = (description: string) => ({ 'retry-after': { type: 'integer', description } })
const MAYBE_WAIT = waitFor('Seconds after which to try again, where known.')
const HEADERS: Readonly<Record<number, object>> = {
  401: CHALLENGE,
  403: CHALLENGE,
  409: MAYBE_WAIT,
  429: waitFor('Seconds after which to try again.'),
  503: MAYBE_WAIT,
}

const problems = (statuses: readonly number[]) =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: PROBLEMS[status] ?? 'Error',
        content: { 'application/problem+json': { schema: ref('Problem') } },
        ...(HEADERS[status] && { headers: HEADERS[status] }),
      },
    ]),
  )

const NoQuery = Closed({})
/** The parameters of a path with `:id`. */
export const IdParams = Closed({ id: Type.String({ maxLength: 100 }) })
export const IdempotencyHeader = Type.Object({
  'idempotency-key': Opt.Str('The first success under this key is stored and replayed to the same body.', {
    minLength: 1,
    maxLength: 255,
  }),
})

/** The parts of a route that stores something beside a thing of an id, once for an `Idempotency-Key`. */
export const STORES = { params: IdParams, headers: IdempotencyHeader, problems: [...SENT, 404, 409, 422] }
