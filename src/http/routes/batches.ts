import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Incoming, planOf, type Taken } from '../../batches/intake.ts'
import type { Estimated } from '../../batches/service.ts'
import { given } from '../../domain/given.ts'
import { type BatchOptions, BatchOptionsSchema, type BatchRequest, BatchRequestSchema } from '../../schemas/batch.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { BatchStatusSchema } from '../../schemas/vocabulary.ts'
import { decodeCursor, idOf, sendJson, toPage } from '../body/answers.ts'
import { isStream, readItems } from '../body/ndjson.ts'
import { answer, IdParams, NoQuery, problems } from '../body/schemas.ts'
import type { Context } from '../context.ts'
import { HttpProblem, orNotFound, refusalProblem } from '../problem.ts'
import { payerOf, type RouteDeps, type Routes } from './route-deps.ts'

const ListQuery = Closed({
  key: Type.Optional(Type.String({ maxLength: 200 })),
  status: Type.Optional(BatchStatusSchema),
  ...PageQuery,
})

/** Adds the routes that take batches in, list, stop and resume them. */
export function batchRoutes(routes: Routes, { context, inFlight }: RouteDeps): void {
  routes.post('/v1/batches', {
    schema: {
      operationId: 'createBatch',
      summary: 'Grade many trials',
      description:
        'As `application/x-ndjson`: one item a line, of any number of bytes in all, with the options in the query. As JSON: `items`, with the options beside them. Every item is read before the first is graded: one fault refuses the whole batch, with its place. With `dry_run` nothing is graded, and the answer says what it would take.',
      tags: ['batches'],
      querystring: BatchOptionsSchema,
      body: {
        content: {
          'application/json': { schema: BatchRequestSchema },
          'application/x-ndjson': { schema: { description: 'One `BatchItem` a line.' } },
        },
      },
      response: {
        200: answer('BatchEstimate', 'With `dry_run`: what it would take.'),
        202: answer('Batch', 'It is stored whole and runs.'),
        ...problems(400, 404, 413, 415),
      },
    },
    handler: async (request, reply) => {
      const { options, items } = readBatch(request, context)
      const { batches } = context
      const plan = planOf(options, payerOf(request))
      if (options.dry_run === true) return sendEstimate(reply, await batches.estimate(plan, items))
      return sendTaken(reply, await inFlight.track(batches.create(plan, items)))
    },
  })

  routes.get('/v1/batches', {
    schema: {
      operationId: 'listBatches',
      summary: 'List batches, newest first',
      tags: ['batches'],
      querystring: ListQuery,
      response: { 200: answer('BatchPage', 'One page.'), ...problems(400) },
    },
    handler: async (request, reply) => {
      const { limit = 50, cursor, ...filters } = request.query
      const before = decodeCursor(cursor, /^bat_[0-9a-z]{26}$/)
      const page = await context.batches.list({ ...filters, limit: limit + 1, ...given({ before }) })
      return sendJson(reply, toPage(page, limit, idOf))
    },
  })

  routes.get('/v1/batches/:id', {
    schema: {
      operationId: 'getBatch',
      summary: 'How far a batch is',
      tags: ['batches'],
      params: IdParams,
      querystring: NoQuery,
      response: { 200: answer('Batch', 'Its counts always add up to its total.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const batch = orNotFound(await context.batches.get(request.params.id), 'batch', request.params.id)
      return sendJson(reply, batch)
    },
  })

  for (const verb of ['cancel', 'resume'] as const) {
    routes.post(`/v1/batches/:id/${verb}`, {
      schema: {
        operationId: `${verb}Batch`,
        summary: SUMMARY[verb],
        tags: ['batches'],
        params: IdParams,
        querystring: NoQuery,
        response: { 202: answer('Batch', 'It was told to.'), ...problems(400, 404, 409, 413, 415) },
      },
      handler: async (request, reply) => {
        const { batches } = context
        const { id } = request.params as { id: string }
        const done = orNotFound(await batches[verb](id), 'batch', id)
        if (!done) throw new HttpProblem(409, 'batch_ended', `this batch has ended: there is nothing to ${verb}`)
        return sendJson(reply, await batches.get(id), 202)
      },
    })
  }
}

const SUMMARY = {
  cancel: 'Stop a batch: what is in flight ends, the rest is cancelled',
  resume: 'Let a parked batch go on',
} as const

/** Reads options and items out of either form of a body. */
function readBatch(
  request: FastifyRequest,
  context: Context,
): { readonly options: BatchOptions; readonly items: AsyncIterable<Incoming> } {
  const query = request.query as BatchOptions
  const { body } = request
  if (isStream(body)) return { options: query, items: readItems(request, context.config.limits) }
  const { items, ...options } = body as BatchRequest
  return { options: { ...query, ...options }, items: listItems(items) }
}

async function* listItems(items: BatchRequest['items']): AsyncGenerator<Incoming> {
  for (const [index, item] of items.entries()) yield { item, place: `/items/${index}` }
}

export function sendTaken(reply: FastifyReply, taken: Taken): FastifyReply {
  if (!taken.ok) throw refusalProblem(taken.refusal)
  return sendJson(reply.header('location', `/v1/batches/${taken.batch.id}`), taken.batch, 202)
}

export function sendEstimate(reply: FastifyReply, estimated: Estimated): FastifyReply {
  if (!estimated.ok) throw refusalProblem(estimated.refusal)
  return sendJson(reply, estimated.estimate)
}
