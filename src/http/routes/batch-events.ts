import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { BatchService } from '../../batches/service.ts'
import type { Clock } from '../../ports/ports.ts'
import type { Batch } from '../../schemas/batch.ts'
import { NoQuery, problems, streamed } from '../body/schemas.ts'
import { notFound } from '../problem.ts'
import { BatchId, type BatchRouteOptions } from './batch-route.ts'
import { watchBatch } from './batch-watch.ts'

/** At most this often a state is sent. */
const SHORTEST_MS = 200
const HEARTBEAT_MS = 10_000

/** The progress of a batch as server-sent events. */
export function batchEventRoute(app: FastifyInstance, { context, state }: BatchRouteOptions): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get('/v1/batches/:id/events', {
    schema: {
      operationId: 'watchBatch',
      summary: 'Follow a batch',
      description:
        'Server-sent events: `progress` with the batch as it is, at once and after every change, at most five a second; `end` with its last state once it is done or cancelled, and then the stream ends. A parked batch keeps it open. Comments in between keep the connection alive.',
      tags: ['batches'],
      params: BatchId,
      querystring: NoQuery,
      response: { 200: streamed('text/event-stream', 'Batch', 'The events.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const { batches } = request.project
      if ((await batches.get(id)) === null) throw notFound('batch', id)
      reply.header('cache-control', 'no-store').header('x-accel-buffering', 'no').type('text/event-stream')
      return reply.send(Readable.from(writeEvents(batches, context.clock, id, state)))
    },
  })
}

async function* writeEvents(batches: BatchService, clock: Clock, id: string, state: { readonly draining: boolean }) {
  const watch = watchBatch(batches, id, clock)
  let last = ''
  let silent = 0
  try {
    while (!state.draining) {
      const batch = await batches.get(id)
      if (batch === null) return
      const text = JSON.stringify(batch)
      const ended = batch.status === 'done' || batch.status === 'cancelled'
      if (text !== last || ended) {
        yield renderEvent(ended ? 'end' : 'progress', batch)
        last = text
        silent = 0
      } else if (silent >= HEARTBEAT_MS) {
        yield ': still there\n\n'
        silent = 0
      }
      if (ended) return
      await delay(SHORTEST_MS)
      await watch.next(1000)
      silent += 1000
    }
  } finally {
    watch.close()
  }
}

const renderEvent = (event: 'progress' | 'end', batch: Batch): string =>
  `event: ${event}\ndata: ${JSON.stringify(batch)}\n\n`
