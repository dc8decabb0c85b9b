import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { endedPages, type Following, followBatch, followResults, isEnded, toResults } from '../../batches/follow.ts'
import type { AttemptLedger } from '../../db/attempts.ts'
import type { GradeStore } from '../../db/grades.ts'
import type { ItemRecord } from '../../db/items.ts'
import type { Batch } from '../../schemas/batch.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { IdParams, NoQuery, problems, streamed } from '../body/schemas.ts'
import { notFound } from '../problem.ts'
import { LedgerQuery, listBatchCalls } from './ledger.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

const ResultQuery = Closed({
  wait: Type.Optional(
    Type.Boolean({
      description: 'Go on until the batch is done, cancelled, or parked for somebody; else only what has ended.',
    }),
  ),
})

/** Adds the route that streams the ended items of a batch. */
export function batchResultRoute(routes: Routes, { context, state }: RouteDeps): void {
  routes.get('/v1/batches/:id/results', {
    schema: {
      operationId: 'readResults',
      summary: 'The results of a batch, in item order',
      tags: ['batches'],
      params: IdParams,
      querystring: ResultQuery,
      response: { 200: streamed('application/x-ndjson', 'BatchResult', 'One a line.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const { batches, stores } = context
      if ((await batches.get(id)) === null) throw notFound('batch', id)
      const pages =
        request.query.wait === true
          ? followResults({ batches, clock: context.clock, id, isOff: () => state.draining || reply.raw.destroyed })
          : endedPages(batches, id)
      return reply.type('application/x-ndjson').send(Readable.from(writeLines(stores.grades, pages)))
    },
  })
}

/** Adds the route that streams every call of a batch, with or without a grade. */
export function batchCallRoute(routes: Routes, { context }: RouteDeps): void {
  routes.get('/v1/batches/:id/attempts', {
    schema: {
      operationId: 'readBatchAttempts',
      summary: 'The ledger of a batch: every call of a judge that was made for it',
      description:
        'In order, with those whose grade was never stored: `grade_id` is null there. A good reply of such a call is kept, and used when the same question is asked again.',
      tags: ['batches'],
      params: IdParams,
      querystring: LedgerQuery,
      response: { 200: streamed('application/x-ndjson', 'BatchCall', 'One a line.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const { batches, stores } = context
      if ((await batches.get(id)) === null) throw notFound('batch', id)
      const lines = writeCalls(stores.attempts, id, request.query.raw === true)
      return reply.type('application/x-ndjson').send(Readable.from(lines))
    },
  })
}

/** Yields every call of a batch, in order. */
export async function* readBatchCalls(attempts: Pick<AttemptLedger, 'listForBatch'>, batch: string, raw: boolean) {
  for (let after: number | null = 0; after !== null; ) {
    const { calls, next } = await attempts.listForBatch(batch, after)
    yield* listBatchCalls(calls, raw)
    after = next
    await nextTurn()
  }
}

async function* writeCalls(...given: Parameters<typeof readBatchCalls>) {
  for await (const call of readBatchCalls(...given)) yield `${JSON.stringify(call)}\n`
}

async function* writeLines(grades: Pick<GradeStore, 'getMany'>, pages: AsyncIterable<readonly ItemRecord[]>) {
  for await (const page of pages) {
    for (const result of await toResults(grades, page)) yield `${JSON.stringify(result)}\n`
    await nextTurn()
  }
}

/** The shortest time between two events. */
const SHORTEST_MS = 200

/** Adds the route that follows a batch by server-sent events. */
export function batchEventRoute(routes: Routes, { context, state }: RouteDeps): void {
  routes.get('/v1/batches/:id/events', {
    schema: {
      operationId: 'watchBatch',
      summary: 'Follow a batch',
      description:
        'Server-sent events: `progress` with the batch as it is, at once and after every change, at most five a second; `end` with its last state once it is done or cancelled, and then the stream ends. A parked batch keeps it open. Comments in between keep the connection alive.',
      tags: ['batches'],
      params: IdParams,
      querystring: NoQuery,
      response: { 200: streamed('text/event-stream', 'Batch', 'The events.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const { batches } = context
      if ((await batches.get(id)) === null) throw notFound('batch', id)
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type('text/event-stream')
      return reply.send(Readable.from(writeEvents({ batches, clock: context.clock, id, isOff: () => state.draining })))
    },
  })
}

async function* writeEvents(following: Following): AsyncGenerator<string> {
  for await (const batch of followBatch(following, SHORTEST_MS))
    yield batch === null ? ': still there\n\n' : renderEvent(isEnded(batch) ? 'end' : 'progress', batch)
}

const renderEvent = (event: 'progress' | 'end', batch: Batch): string =>
  `event: ${event}\ndata: ${JSON.stringify(batch)}\n\n`
