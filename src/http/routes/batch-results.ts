import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { nextTurn } from '../../audit/disagreements/next-turn.ts'
import { endedPages } from '../../batches/ended-items.ts'
import type { BatchService } from '../../batches/service.ts'
import type { ItemRecord } from '../../ports/batch-ports.ts'
import type { GradeStore } from '../../ports/grade-ports.ts'
import type { AttemptLedger } from '../../ports/ledger-ports.ts'
import type { Clock } from '../../ports/ports.ts'
import { Type } from '../../schemas/type.ts'
import { problems, streamed } from '../body/schemas.ts'
import { notFound } from '../problem.ts'
import { toResults } from './batch-result.ts'
import { BatchId, type BatchRouteOptions } from './batch-route.ts'
import { watchBatch } from './batch-watch.ts'
import { LedgerQuery, listBatchCalls } from './ledger.ts'

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
      const { batches, stores } = request.project
      if ((await batches.get(id)) === null) throw notFound('batch', id)
      const pages =
        request.query.wait === true
          ? waitForResults(batches, context.clock, id, () => state.draining || reply.raw.destroyed)
          : endedPages(batches, id)
      return reply.type('application/x-ndjson').send(Readable.from(writeLines(stores.grades, pages)))
    },
  })
}

/** All calls of a batch, one a line: also those that no grade came of. */
export function batchCallRoute(app: FastifyInstance): void {
  app.withTypeProvider<TypeBoxTypeProvider>().get('/v1/batches/:id/attempts', {
    schema: {
      operationId: 'readBatchAttempts',
      summary: 'The ledger of a batch: every call of a judge that was made for it',
      description:
        'In order, with those whose grade was never stored: `grade_id` is null there. A good reply of such a call is kept, and used when the same question is asked again.',
      tags: ['batches'],
      params: BatchId,
      querystring: LedgerQuery,
      response: { 200: streamed('application/x-ndjson', 'BatchCall', 'One a line.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { id } = request.params
      const { batches, stores } = request.project
      if ((await batches.get(id)) === null) throw notFound('batch', id)
      const lines = writeCalls(stores.attempts, id, request.query.raw === true)
      return reply.type('application/x-ndjson').send(Readable.from(lines))
    },
  })
}

async function* writeCalls(attempts: Pick<AttemptLedger, 'listForBatch'>, batch: string, raw: boolean) {
  for (let after: number | null = 0; after !== null; ) {
    const { calls, next } = await attempts.listForBatch(batch, after)
    for (const call of listBatchCalls(calls, raw)) yield `${JSON.stringify(call)}\n`
    after = next
    await nextTurn()
  }
}

async function* writeLines(grades: Pick<GradeStore, 'getMany'>, pages: AsyncIterable<readonly ItemRecord[]>) {
  for await (const page of pages) {
    for (const result of await toResults(grades, page)) yield `${JSON.stringify(result)}\n`
    await nextTurn()
  }
}

/** In order: an item that has not ended holds back those behind it. */
async function* waitForResults(
  batches: BatchService,
  clock: Clock,
  id: string,
  isOff: () => boolean,
): AsyncGenerator<readonly ItemRecord[]> {
  const watch = watchBatch(batches, id, clock)
  let last = -1
  try {
    while (!isOff()) {
      const batch = await batches.get(id)
      const page = await batches.results(id, last, PAGE)
      const next = last + 1
      const ready = page.filter(({ index }, at) => index === next + at)
      if (ready.length > 0) yield ready
      last += ready.length
      if (ready.length === PAGE) continue
      if (batch === null || isOver(batch)) return yield* endedPages(batches, id, last)
      await delay(SHORTEST_MS)
      await watch.next(1000)
    }
  } finally {
    watch.close()
  }
}

const isOver = ({ status, resumes_at }: { status: string; resumes_at: string | null }): boolean =>
  status === 'done' || status === 'cancelled' || (status === 'parked' && resumes_at === null)
