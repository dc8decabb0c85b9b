import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { LedgerEntry } from '../grading/ports.ts'
import type { Refusal } from '../grading/service.ts'
import { AttemptSummarySchema, type Grade, GradeSchema } from '../schemas/grade.ts'
import { type GradeRequest, GradeRequestSchema } from '../schemas/grade-request.ts'
import { GradeStatusSchema, LabelSchema } from '../schemas/vocabulary.ts'
import { type Aliases, createAliases } from './aliases.ts'
import { type Answered, createIdempotency } from './idempotency.ts'
import { RawBody } from './json-body.ts'
import type { Metrics } from './metrics.ts'
import { decodeCursor, encodeCursor, PageOf, PageQuery } from './paging.ts'
import { HttpProblem, notFound, ProblemSchema } from './problem.ts'
import { sendJson, sendText } from './reply.ts'

declare module 'fastify' {
  interface FastifyRequest {
    bodyDigest: string
  }
}

const GradeId = Type.Object({ id: Type.String({ maxLength: 100 }) }, { additionalProperties: false })
const text = () => Type.Optional(Type.String({ maxLength: 300 }))
const ListQuery = Type.Object(
  {
    label: Type.Optional(LabelSchema),
    status: Type.Optional(GradeStatusSchema),
    judge: text(),
    rubric: text(),
    agent: text(),
    model: text(),
    task: text(),
    batch: text(),
    ...PageQuery,
  },
  { additionalProperties: false },
)
const AttemptsQuery = Type.Object(
  { raw: Type.Optional(Type.Boolean({ description: 'With the provider’s raw replies.' })) },
  { additionalProperties: false },
)
const AttemptSchema = Type.Object({
  ...AttemptSummarySchema.properties,
  replayed: Type.Optional(Type.Boolean()),
  latency_ms: Type.Union([Type.Number(), Type.Null()]),
  judge: Type.String(),
  started_at: Type.String(),
  request_digest: Type.String(),
  model_resolved: Type.Union([Type.String(), Type.Null()]),
  raw_reply: Type.Optional(Type.Union([Type.String(), Type.Null()])),
})

const PROBLEMS = {
  400: ProblemSchema,
  404: ProblemSchema,
  409: ProblemSchema,
  413: ProblemSchema,
  415: ProblemSchema,
  422: ProblemSchema,
  502: ProblemSchema,
  503: ProblemSchema,
  504: ProblemSchema,
}

/** POST and GET /v1/grades. */
export function gradeRoutes(
  app: FastifyInstance,
  options: { readonly context: Context; readonly metrics: Metrics },
): void {
  const { context, metrics } = options
  const aliases = createAliases(context.stores, context.answer_config)
  const idempotency = createIdempotency(context.stores.idempotency)
  app.decorateRequest('bodyDigest', '')

  app.post<{ Body: GradeRequest }>('/v1/grades', {
    schema: {
      operationId: 'createGrade',
      summary: 'Grade one trajectory',
      description:
        'Answers 201 with a new grade, 200 with a stored one. A failed judge is 502, 503 or 504 with its code, never a 2xx.',
      tags: ['grades'],
      headers: Type.Object({ 'idempotency-key': Type.Optional(Type.String({ maxLength: 255 })) }),
      body: GradeRequestSchema,
      response: { 200: GradeSchema, 201: GradeSchema, ...PROBLEMS },
    },
    handler: async (request, reply) => {
      const at = context.clock.now().toISOString()
      const answer = await idempotency.run(request, reply, request.bodyDigest, at, () =>
        gradeOne(request.body, request, context, metrics, aliases),
      )
      return sendText(reply, answer.text, answer.status)
    },
  })

  app.get<{ Querystring: Record<string, string> & { limit?: number; cursor?: string } }>('/v1/grades', {
    schema: {
      operationId: 'listGrades',
      summary: 'List grades, newest first',
      tags: ['grades'],
      querystring: ListQuery,
      response: { 200: PageOf(GradeSchema), 400: ProblemSchema },
    },
    handler: async (request, reply) => {
      const { limit = 50, cursor, ...filters } = request.query
      const before = decodeCursor(cursor, /^grd_[0-9a-z]{26}$/)
      const found = await context.stores.grades.list({
        ...filters,
        limit: limit + 1,
        ...(before !== undefined && { before }),
      })
      const items = found.slice(0, limit)
      const last = items.at(-1)
      return sendJson(reply, { items, next_cursor: found.length > limit && last ? encodeCursor(last.id) : null })
    },
  })

  app.get<{ Params: { id: string } }>('/v1/grades/:id', {
    schema: {
      operationId: 'getGrade',
      summary: 'Read one grade',
      tags: ['grades'],
      params: GradeId,
      response: { 200: GradeSchema, 404: ProblemSchema },
    },
    handler: async (request, reply) => {
      const grade = await context.stores.grades.get(request.params.id)
      if (grade === null) throw notFound('grade')
      return sendJson(reply, grade)
    },
  })

  app.get<{ Params: { id: string }; Querystring: { raw?: boolean } }>('/v1/grades/:id/attempts', {
    schema: {
      operationId: 'listAttempts',
      summary: 'The ledger of one grade: every call of the judge',
      tags: ['grades'],
      params: GradeId,
      querystring: AttemptsQuery,
      response: { 200: Type.Object({ items: Type.Array(AttemptSchema) }), 404: ProblemSchema },
    },
    handler: async (request, reply) => {
      if ((await context.stores.grades.get(request.params.id)) === null) throw notFound('grade')
      const entries = await context.stores.attempts.listForGrade(request.params.id)
      return sendJson(reply, { items: entries.map((entry) => attemptView(entry, request.query.raw === true)) })
    },
  })

  installAliasHook(app, aliases, metrics)
}

/** Before anything is parsed: the digest of the bytes, and the stored answer where they were answered before. */
function installAliasHook(app: FastifyInstance, aliases: Aliases, metrics: Metrics): void {
  app.addHook('preValidation', async (request: FastifyRequest, reply: FastifyReply) => {
    if (!(request.body instanceof RawBody)) return
    request.bodyDigest = request.body.digest
    if (request.routeOptions.url !== '/v1/grades' || request.headers['idempotency-key'] !== undefined) return
    const known = await aliases.find(request.bodyDigest)
    if (known === null) return
    metrics.hit()
    request.log.debug({ grade_id: known.grade_id, cached: true }, 'graded')
    return sendText(reply, known.text)
  })
}

async function gradeOne(
  body: GradeRequest,
  request: FastifyRequest,
  context: Context,
  metrics: Metrics,
  aliases: Aliases,
): Promise<Answered> {
  const outcome = await context.service.grade(body)
  if (!outcome.ok) throw refusalProblem(outcome.refusal)
  const { grade, cached } = outcome
  request.log.info(
    { grade_id: grade.id, cached, status: grade.status, label: grade.label, judge: grade.receipt.judge },
    'graded',
  )
  if (cached) metrics.hit()
  else metrics.graded(grade)
  if (grade.status === 'failed') throw failureProblem(grade)
  if (!cached) aliases.replaced(grade)
  if ((body.cache ?? 'use') === 'use') await aliases.remember(request.bodyDigest, grade, body.metadata)
  return { status: cached ? 200 : 201, text: JSON.stringify(grade) }
}

const REFUSAL_STATUS: Readonly<Record<Refusal['code'], number>> = {
  invalid_request: 400,
  unknown_judge: 400,
  unknown_rubric: 400,
  unknown_trajectory: 404,
  not_cached: 404,
}

export const refusalProblem = (refusal: Refusal): HttpProblem =>
  new HttpProblem(REFUSAL_STATUS[refusal.code], refusal.code, refusal.detail, { errors: refusal.errors })

const UNAVAILABLE: readonly string[] = ['rate_limited', 'quota_exhausted', 'budget_exceeded', 'cancelled']

/** A failed judge is an error of the gateway, with the id under which the failed grade can be read. */
function failureProblem(grade: Grade): HttpProblem {
  const failure = grade.failure
  if (failure === null) return new HttpProblem(500, 'internal', 'a failed grade without a failure')
  const status = failure.code === 'timeout' ? 504 : UNAVAILABLE.includes(failure.code) ? 503 : 502
  const wait = failure.retry_after_s
  return new HttpProblem(status, failure.code, failure.message, {
    members: { grade_id: grade.id, retryable: failure.retryable },
    ...(wait !== null && { headers: { 'retry-after': String(Math.ceil(wait)) } }),
  })
}

function attemptView(entry: LedgerEntry, raw: boolean) {
  const { grade_id: _grade, key: _key, raw_reply, ...rest } = entry
  return raw ? { ...rest, raw_reply } : rest
}
