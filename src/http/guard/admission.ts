import type { FastifyInstance, FastifyRequest, RouteHandlerMethod, RouteOptions } from 'fastify'
import { Counter, Gauge, type Registry } from 'prom-client'
import { LARGE, nextTurn } from '../../asking/turns.ts'
import { type AnswerRaw, mostBytes, wantsBody } from '../body/json-body.ts'
import { boundLargeAnswers } from '../body/large-answers.ts'
import type { Context } from '../context.ts'
import { answerClientError } from '../errors.ts'
import { watchPressure } from './pressure.ts'
import { createSlots } from './slots.ts'
import { watchSlowBodies } from './slow-bodies.ts'

type Limits = Context['config']['limits']

export type Admission = ReturnType<typeof installAdmission>

/** What one request holds; given back when its work is done, or with its answer where no work began. */
declare module 'fastify' {
  interface FastifyRequest {
    /** What it holds; null: nothing yet. */
    ticket: Ticket | null
  }
}

interface Ticket {
  readonly releases: (() => void)[]
  /** Of its body, as far as they are known. */
  bytes: number
  /** Whether its headers told of them, and room was made for all. */
  announced: boolean
  working: boolean
}

const ROOMS: Readonly<Record<string, 'statistics' | 'streams'>> = {
  '/v1/batches/:id/events': 'streams',
  '/v1/batches/:id/results': 'streams',
  '/v1/reports': 'statistics',
  '/v1/reports/alignment': 'statistics',
  '/v1/comparisons': 'statistics',
  '/v1/agreement': 'statistics',
  '/v1/disagreements': 'statistics',
}

/**
 * Refuses at once, with 503 `overloaded` and `Retry-After`, what one process cannot take on, before it costs much. Never refused: hits,
 * probes, reads of what is stored. To be installed behind access and before the routes. A batch that was taken in is not work of a
 * request: it waits in its lane behind single grades.
 */
export function installAdmission(
  app: FastifyInstance,
  { limits, registry }: { readonly limits: Limits; readonly registry: Registry },
) {
  const pools = createPools(limits, registry)
  const pressure = watchPressure(limits)
  const slow = watchSlowBodies(limits.slow_body_ms, (socket) =>
    answerClientError({ code: 'ERR_HTTP_REQUEST_TIMEOUT' }, socket),
  )
  app.decorateRequest('ticket', null)
  app.addHook('onClose', () => {
    pressure.close()
    slow.close()
  })
  app.server.maxConnections = limits.connections
  app.server.headersTimeout = limits.headers_ms
  // Before any route, so that a body that no route wants is watched too.
  app.server.on('request', (message) => slow.watch(message, isLines(message.headers) ? 0 : limits.body_bytes_per_s))

  // Of a body whose size its headers do not tell; the ticket is that of a request that says it.
  app.decorateRequest('holdBytes', function holdArrived(this: FastifyRequest, bytes: number) {
    const ticket = ticketOf(this)
    if (ticket.announced) return
    ticket.bytes += bytes
    const most = ticket.bytes > LARGE ? limits.held_bytes * 0.75 : limits.held_bytes
    ticket.releases.push(pools.held.take(bytes, most))
  })
  boundLargeAnswers(app, pools.answers, limits.slow_reader_ms)
  app.addHook('onRoute', (route) => boundWork(route, pools))
  app.addHook('preParsing', (request, _reply, payload, done) => {
    if (!wantsBody(request)) return done(null, payload)
    try {
      const ticket = ticketOf(request)
      if (isLines(request.headers)) ticket.releases.push(pools.uploads.take(1))
      const bytes = announced(request, limits)
      ticket.bytes = bytes
      ticket.announced = bytes > 0
      ticket.releases.push(pools.held.take(bytes, mostHeld(limits, bytes)))
      done(null, payload)
    } catch (error) {
      done(error as Error)
    }
  })
  // Every answer comes by here, also one that finds its client gone.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    if (request.ticket?.working === false) giveBack(request)
    done()
  })
  // Validation is over, and the handler is the next long step.
  app.addHook('preHandler', (request, _reply, done) => {
    if ((request.ticket?.bytes ?? 0) <= LARGE) return done()
    nextTurn().then(() => done(), done)
  })

  return {
    /** Looks for room once it is clear that the bytes are no hit: what the cache answers is never refused. */
    behindHits:
      (answerRaw: AnswerRaw): AnswerRaw =>
      async (request, reply) => {
        if (await answerRaw(request, reply)) return true
        const ticket = ticketOf(request)
        if (request.routeOptions.url === '/v1/grades') {
          const reason = pressure.reason()
          if (reason !== null) throw pools.grading.refusal(reason)
          ticket.releases.push(pools.grading.take(1))
        }
        if (ticket.bytes > LARGE) await nextTurn()
        return false
      },
    /** Room for a body of so many bytes, and how it is given back; null where there is none. */
    holdBody: (bytes: number) => pools.held.tryTake(bytes, mostHeld(limits, bytes)),
  }
}

/** The handler of a route: what its request holds is held until the work ends, also where the client has gone. */
function boundWork(route: RouteOptions, pools: Pools): void {
  const room = ROOMS[route.url]
  if (route.method === 'HEAD' || (room === undefined && route.method !== 'POST')) return
  const { handler } = route
  const admitted: RouteHandlerMethod = async function (request, reply) {
    const ticket = ticketOf(request)
    ticket.working = true
    try {
      if (room === 'streams') {
        const release = pools.streams.take(1)
        reply.raw.once('close', release).once('finish', release)
      }
      if (room === 'statistics') ticket.releases.push(pools.statistics.take(1))
      return await handler.call(this, request, reply)
    } finally {
      giveBack(request)
    }
  }
  route.handler = admitted
}

type Pools = ReturnType<typeof createPools>

function createPools(limits: Limits, registry: Registry) {
  const refusals = new Counter({
    name: 'veridict_refused_total',
    help: 'Requests that were refused because the service had too much to do, by what there was too much of.',
    labelNames: ['of'],
    registers: [registry],
  })
  const refused = (of: string) => refusals.inc({ of })
  const pools = {
    grading: createSlots('grades', limits.grading_at_once, refused),
    uploads: createSlots('uploads', limits.uploads_at_once, refused),
    streams: createSlots('streams', limits.streams_at_once, refused),
    statistics: createSlots('statistics', limits.statistics_at_once, refused),
    held: createSlots('body_bytes', limits.held_bytes, refused),
    answers: createSlots('answer_chars', limits.answer_chars, refused),
  }
  new Gauge({
    name: 'veridict_admitted',
    help: 'What is being worked on now: grades, uploads, streams, statistics, and bytes of bodies.',
    labelNames: ['of'],
    registers: [registry],
    collect() {
      for (const { name, used } of Object.values(pools)) this.set({ of: name }, used)
    },
  })
  return pools
}

/** Large bodies leave a quarter of the room to small ones. */
const mostHeld = ({ held_bytes }: Limits, bytes: number): number =>
  bytes > LARGE ? Math.max(bytes, held_bytes * 0.75) : held_bytes

function ticketOf(request: FastifyRequest): Ticket {
  request.ticket ??= { releases: [], bytes: 0, announced: false, working: false }
  return request.ticket
}

function giveBack(request: FastifyRequest): void {
  const releases = request.ticket?.releases.splice(0) ?? []
  for (const release of releases) release()
}

/**
 * What a body will take, where its headers say so: nothing for one that is refused for its size, whose size shows as it arrives, or of
 * which only a line is kept.
 */
function announced(request: FastifyRequest, limits: { readonly body_bytes: number }): number {
  const most = mostBytes(request, limits)
  const length = Number(request.headers['content-length'] ?? 0) || 0
  if (isLines(request.headers))
    return request.routeOptions.url === '/v1/trajectories' ? Math.min(length || most, most) : 0
  return length > most || (request.headers['content-encoding'] ?? 'identity') !== 'identity' ? 0 : length
}

const isLines = (headers: FastifyRequest['headers']): boolean =>
  headers['content-type']?.startsWith('application/x-ndjson') ?? false
