import { Readable } from 'node:stream'
import { type Following, followBatch, isEnded } from '../../batches/follow.ts'
import type { Batch } from '../../schemas/batch.ts'
import { IdParams, NoQuery, problems, streamed } from '../body/schemas.ts'
import { notFound } from '../problem.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

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
