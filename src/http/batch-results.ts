import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { BatchService } from '../grading/batch/service.ts'
import type { ItemRecord } from '../grading/batch-ports.ts'
import type { Clock } from '../grading/ports.ts'
import type { BatchResult } from '../schemas/batch.ts'
import { BatchId, type BatchRouteOptions } from './batch-route.ts'
import { watchBatch } from './batch-watch.ts'
import { notFound } from './problem.ts'
import { problems, streamed } from './schemas.ts'

const PAGE = 200
/** At most this often it is looked for more: a slow first item would have every end looked at. */
const SHORTEST_MS = 100
const ResultQuery = Type.Object(
  {
    wait: Type.Optional(
      Type.Boolean({
        description: 'Go on until the batch is done, cancelled, or parked for somebody; else only what has ended.',
      }),
    ),
  },
  { additionalProperties: false },
)

/** The ended items of a batch, one a line. */
export function batchResultRoute(app: FastifyInstance, { context, state }: BatchRouteOptions): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get('/v1/batches/:id/results', {
    schema: {
      operationId: 'readResults',
      summary: 'The results of a batch, in item order',
      tags: ['batches'],
      params: BatchId,
      querystring: ResultQuery,
      response: { 200: streamed('application/x-ndjson', 'BatchResult', 'One a line.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const { batches } = request.project
      if ((await batches.get(id)) === null) throw notFound('batch')
      const records =
        request.query.wait === true
          ? waitForResults(batches, context.clock, id, () => state.draining || reply.raw.destroyed)
          : endedResults(batches, id, -1)
      return reply.type('application/x-ndjson').send(Readable.from(writeLines(records)))
    },
  })
}

async function* writeLines(records: AsyncIterable<ItemRecord>) {
  for await (const record of records) yield `${JSON.stringify(toResult(record))}\n`
}

async function* endedResults(batches: BatchService, id: string, after: number): AsyncGenerator<ItemRecord> {
  let last = after
  for (;;) {
    const page = await batches.results(id, last, PAGE)
    yield* page
    last = page.at(-1)?.index ?? last
    if (page.length < PAGE) return
  }
}

/** In order: an item that has not ended holds back those behind it. */
async function* waitForResults(
  batches: BatchService,
  clock: Clock,
  id: string,
  isOff: () => boolean,
): AsyncGenerator<ItemRecord> {
  const watch = watchBatch(batches, id, clock)
  let last = -1
  try {
    while (!isOff()) {
      const batch = await batches.get(id)
      const page = await batches.results(id, last, PAGE)
      for (const record of page) {
        if (record.index !== last + 1) break
        yield record
        last = record.index
      }
      if (page.length === PAGE && last === page.at(-1)?.index) continue
      if (batch === null || isOver(batch)) return yield* endedResults(batches, id, last)
      await delay(SHORTEST_MS)
      await watch.next(1000)
    }
  } finally {
    watch.close()
  }
}

const isOver = ({ status, resumes_at }: { status: string; resumes_at: string | null }): boolean =>
  status === 'done' || status === 'cancelled' || (status === 'parked' && resumes_at === null)

const toResult = (record: ItemRecord): BatchResult => ({
  item_id: record.item_id,
  index: record.index,
  status: record.status,
  label: record.label,
  grade_id: record.grade_id,
  failure: record.failure,
  cached: record.cached,
  base_grade_id: record.base_grade,
  metadata: record.request.metadata ?? {},
})
