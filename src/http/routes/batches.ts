import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readBatchCalls } from '../../audit/calls.ts'
import { requireNames } from '../../audit/names.ts'
import { endedPages, followBatch, followResults, isEnded, toResults } from '../../batches/follow.ts'
import { type IntakeItem, planOf } from '../../batches/intake.ts'
import type { ItemRecord } from '../../db/batches.ts'
import type { Stores } from '../../db/stores.ts'
import { defined } from '../../domain/result.ts'
import { RegradeRequestSchema } from '../../schemas/agreement.ts'
import type { Batch, BatchOptions, BatchRequest } from '../../schemas/batch.ts'
import { BatchOptionsSchema, BatchRequestSchema } from '../../schemas/batch.ts'
import { orNotFound, RequestError } from '../../schemas/problem.ts'
import { decodeCursor, idOf, LedgerQuery, PageQuery, toPage } from '../../schemas/queries.ts'
import { Closed, Opt } from '../../schemas/type.ts'
import { BATCH_STATUSES } from '../../schemas/vocabulary.ts'
import type { Context } from '../context.ts'
import { isStream, readItems } from '../ndjson.ts'
import { answer, IdParams, operation, payerOf, type RouteDeps, type Routes, SENT, streamed } from '../operation.ts'

const ListQuery = Closed({
  key: Opt.String({ maxLength: 200 }),
  status: Opt.Choice(BATCH_STATUSES),
  ...PageQuery,
})
const ResultQuery = Closed({
  wait: Opt.Bool('Go on until the batch is done, cancelled, or parked for somebody; else only what has ended.'),
})

/** Adds the routes that take batches and re-grades in, list, stop, resume and follow them. */
export function batchRoutes(routes: Routes, { context, inFlight, state }: RouteDeps): void {
  const { batches, stores, clock } = context
  const load = async (id: string) => orNotFound(await batches.get(id), 'batch', id)

  routes.post('/v1/batches', {
    ...operation('grade', 'batches', 'createBatch', {
      summary: 'Grade many trials',
      description:
        'As `application/x-ndjson`: one item a line, of any number of bytes in all, with the options in the query. As JSON: `items`, with the options beside them. Every item is read before the first is graded: one fault refuses the whole batch, with its place. With `dry_run` nothing is graded, and the answer says what it would take.',
      querystring: BatchOptionsSchema,
      body: {
        content: {
          'application/json': { schema: BatchRequestSchema },
          'application/x-ndjson': { schema: { description: 'One `BatchItem` a line.' } },
        },
      },
      answers: {
        200: answer('BatchEstimate', 'With `dry_run`: what it would take.'),
        202: answer('Batch', 'It is stored whole and runs.'),
      },
      problems: [...SENT, 404],
    }),
    handler: async (request, reply) => {
      const { options, items } = readBatch(request, context)
      const plan = planOf(options, payerOf(request))
      if (options.dry_run === true) return await batches.estimate(plan, items)
      return sendBatch(reply, await inFlight.track(batches.create(plan, items)))
    },
  })

  routes.post('/v1/regrades', {
    ...operation('grade', 'batches', 'createRegrade', {
      summary: 'Grade stored grades again',
      description:
        'A batch over the stored grades that fit `query` (of equal questions the newest), with another rubric, judge or sample count; or, with `recheck`, over their stored replies under the evidence rules of today, without a call. The old grades stay as they are.',
      body: RegradeRequestSchema,
      answers: {
        200: answer('BatchEstimate', 'With `dry_run`: what it would take.'),
        202: answer('Batch', 'It is stored whole and runs.'),
      },
      problems: [...SENT, 404],
    }),
    handler: async (request, reply) => {
      const { body } = request
      await requireNames(context, body.query, '/query')
      if (body.dry_run === true) return await batches.estimateRegrade(body)
      return sendBatch(reply, await inFlight.track(batches.regrade(body, payerOf(request))))
    },
  })

  routes.get('/v1/batches', {
    ...operation('read', 'batches', 'listBatches', {
      summary: 'List batches, newest first',
      querystring: ListQuery,
      answers: { 200: answer('BatchPage', 'One page.') },
    }),
    handler: async ({ query: { limit = 50, cursor, ...filters } }) => {
      const before = decodeCursor(cursor, /^bat_[0-9a-z]{26}$/)
      return toPage(await batches.list({ ...filters, limit: limit + 1, ...defined({ before }) }), limit, idOf)
    },
  })

  routes.get('/v1/batches/:id', {
    ...operation('read', 'batches', 'getBatch', {
      summary: 'How far a batch is',
      params: IdParams,
      answers: { 200: answer('Batch', 'Its counts always add up to its total.') },
    }),
    handler: ({ params: { id } }) => load(id),
  })

  for (const verb of ['cancel', 'resume'] as const) {
    routes.post(`/v1/batches/:id/${verb}`, {
      ...operation('grade', 'batches', `${verb}Batch`, {
        summary: SUMMARY[verb],
        params: IdParams,
        answers: { 202: answer('Batch', 'It was told to.') },
        problems: [...SENT, 404, 409],
      }),
      handler: async ({ params: { id } }, reply) => {
        const done = orNotFound(await batches[verb](id), 'batch', id)
        if (!done) throw new RequestError('batch_ended', `this batch has ended: there is nothing to ${verb}`)
        return await reply.code(202).send(await batches.get(id))
      },
    })
  }
  const lines = async (reply: FastifyReply, id: string, records: () => AsyncIterable<object>) => {
    await load(id)
    return reply.type('application/x-ndjson').send(Readable.from(writeLines(records())))
  }

  routes.get('/v1/batches/:id/results', {
    ...operation('read', 'batches', 'readResults', {
      summary: 'The results of a batch, in item order',
      params: IdParams,
      querystring: ResultQuery,
      answers: { 200: streamed('application/x-ndjson', 'BatchResult', 'One a line.') },
    }),
    handler: ({ params: { id }, query: { wait = false } }, reply) => {
      const isOff = () => state.draining || reply.raw.destroyed
      return lines(reply, id, () =>
        listResults(stores.grades, wait ? followResults({ batches, clock, id, isOff }) : endedPages(batches, id)),
      )
    },
  })

  routes.get('/v1/batches/:id/attempts', {
    ...operation('read', 'batches', 'readBatchAttempts', {
      summary: 'The ledger of a batch: every call of a judge that was made for it',
      description:
        'In order, with those whose grade was never stored: `grade_id` is null there. A good reply of such a call is kept, and used when the same question is asked again.',
      params: IdParams,
      querystring: LedgerQuery,
      answers: { 200: streamed('application/x-ndjson', 'BatchCall', 'One a line.') },
    }),
    handler: ({ params: { id }, query: { raw = false } }, reply) =>
      lines(reply, id, () => readBatchCalls(stores.attempts, id, raw)),
  })

  routes.get('/v1/batches/:id/events', {
    ...operation('read', 'batches', 'watchBatch', {
      summary: 'Follow a batch',
      description:
        'Server-sent events: `progress` with the batch as it is, at once and after every change, at most five a second; `end` with its last state once it is done or cancelled, and then the stream ends. A parked batch keeps it open. Comments in between keep the connection alive.',
      params: IdParams,
      answers: { 200: streamed('text/event-stream', 'Batch', 'The events.') },
    }),
    handler: async ({ params: { id } }, reply) => {
      await load(id)
      const states = followBatch({ batches, clock, id, isOff: () => state.draining }, SHORTEST_MS)
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type('text/event-stream')
      return reply.send(Readable.from(writeEvents(states)))
    },
  })
}

/** The shortest time between two events. */
const SHORTEST_MS = 200

const SUMMARY = {
  cancel: 'Stop a batch: what is in flight ends, the rest is cancelled',
  resume: 'Let a parked batch go on',
} as const

/** Reads options and items out of either form of a body. */
function readBatch(
  request: FastifyRequest,
  context: Context,
): { readonly options: BatchOptions; readonly items: AsyncIterable<IntakeItem> } {
  const query = request.query as BatchOptions
  const { body } = request
  if (isStream(body)) return { options: query, items: readItems(request, context.config.limits) }
  const { items, ...options } = body as BatchRequest
  return { options: { ...query, ...options }, items: listItems(items) }
}

async function* listItems(items: BatchRequest['items']): AsyncGenerator<IntakeItem> {
  for (const [index, item] of items.entries()) yield { item, place: `/items/${index}` }
}

async function* listResults(grades: Stores['grades'], pages: AsyncIterable<readonly ItemRecord[]>) {
  for await (const page of pages) {
    yield* await toResults(grades, page)
    await nextTurn()
  }
}

async function* writeLines(records: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const record of records) yield `${JSON.stringify(record)}\n`
}

async function* writeEvents(states: ReturnType<typeof followBatch>): AsyncGenerator<string> {
  for await (const batch of states)
    yield batch === null
      ? ': still there\n\n'
      : `event: ${isEnded(batch) ? 'end' : 'progress'}\ndata: ${JSON.stringify(batch)}\n\n`
}

/** Answers with a batch that was taken in, and where it is. */
const sendBatch = (reply: FastifyReply, batch: Batch): FastifyReply =>
  reply.code(202).header('location', `/v1/batches/${batch.id}`).send(batch)
