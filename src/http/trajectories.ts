import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Context } from '../context.ts'
import type { Trajectory } from '../domain/trajectory.ts'
import { TrajectoryDocumentSchema } from '../schemas/grade-request.ts'
import { ActorSchema } from '../schemas/vocabulary.ts'
import { refusalProblem } from './grades.ts'
import { createIdempotency } from './idempotency.ts'
import { decodeCursor, encodeCursor, PageOf } from './paging.ts'
import { notFound, ProblemSchema } from './problem.ts'
import { sendJson, sendText } from './reply.ts'

const Id = Type.Object({ id: Type.String({ maxLength: 100 }) }, { additionalProperties: false })
const NullableString = Type.Union([Type.String(), Type.Null()])
const SummarySchema = Type.Object({
  id: Type.String(),
  format: Type.String(),
  agent: Type.Object({ name: NullableString, model: NullableString }),
  steps: Type.Integer(),
  parts: Type.Integer(),
  chars: Type.Integer(),
  first_step: Type.Integer(),
  last_step: Type.Integer(),
  warnings: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  document: Type.Optional(TrajectoryDocumentSchema),
})
const StepSchema = Type.Object({
  id: Type.Integer(),
  name: NullableString,
  copied: Type.Boolean(),
  parts: Type.Array(
    Type.Object({
      actor: ActorSchema,
      text: Type.String(),
      path: Type.String(),
      name: Type.String(),
      media: Type.Boolean(),
    }),
  ),
})
const StepsQuery = Type.Object(
  {
    from: Type.Optional(Type.Integer({ description: 'First step id.' })),
    to: Type.Optional(Type.Integer({ description: 'Last step id, inclusive.' })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
    cursor: Type.Optional(Type.String({ maxLength: 300 })),
  },
  { additionalProperties: false },
)

/** Upload once, grade by id, read back in steps. */
export function trajectoryRoutes(app: FastifyInstance, options: { readonly context: Context }): void {
  const { context } = options
  const idempotency = createIdempotency(context.stores.idempotency)
  const load = async (id: string): Promise<Trajectory> => {
    const trajectory = await context.service.trajectory(id)
    if (trajectory === null) throw notFound('trajectory')
    return trajectory
  }

  app.post<{ Body: Record<string, unknown> }>('/v1/trajectories', {
    schema: {
      operationId: 'uploadTrajectory',
      summary: 'Upload a trajectory; its id is the digest of its content',
      tags: ['trajectories'],
      body: TrajectoryDocumentSchema,
      response: { 200: SummarySchema, 201: SummarySchema, 400: ProblemSchema, 413: ProblemSchema, 415: ProblemSchema },
    },
    handler: async (request, reply) => {
      const at = context.clock.now().toISOString()
      const answer = await idempotency.run(request, reply, request.bodyDigest, at, async () => {
        const outcome = await context.service.upload(request.body)
        if (!outcome.ok) throw refusalProblem(outcome.refusal)
        return { status: outcome.created ? 201 : 200, text: JSON.stringify(summarize(outcome.trajectory)) }
      })
      return sendText(reply, answer.text, answer.status)
    },
  })

  app.get<{ Params: { id: string }; Querystring: { document?: boolean } }>('/v1/trajectories/:id', {
    schema: {
      operationId: 'getTrajectory',
      summary: 'What a stored trajectory is',
      tags: ['trajectories'],
      params: Id,
      querystring: Type.Object({ document: Type.Optional(Type.Boolean()) }, { additionalProperties: false }),
      response: { 200: SummarySchema, 404: ProblemSchema },
    },
    handler: async (request, reply) => {
      const trajectory = await load(request.params.id)
      const stored = request.query.document === true ? await context.stores.trajectories.get(trajectory.id) : null
      return sendJson(reply, { ...summarize(trajectory), ...(stored && { document: stored.document }) })
    },
  })

  app.get<{ Params: { id: string }; Querystring: { from?: number; to?: number; limit?: number; cursor?: string } }>(
    '/v1/trajectories/:id/steps',
    {
      schema: {
        operationId: 'listSteps',
        summary: 'Steps of a trajectory, with the actor and place of every part',
        tags: ['trajectories'],
        params: Id,
        querystring: StepsQuery,
        response: { 200: PageOf(StepSchema), 400: ProblemSchema, 404: ProblemSchema },
      },
      handler: async (request, reply) => {
        const trajectory = await load(request.params.id)
        const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, limit = 50, cursor } = request.query
        const after = Number(decodeCursor(cursor, /^\d{1,9}$/) ?? 0)
        const wanted = trajectory.steps.filter((step) => step.id >= from && step.id <= to)
        const items = wanted.slice(after, after + limit)
        const next = after + items.length < wanted.length ? encodeCursor(String(after + items.length)) : null
        return sendJson(reply, { items, next_cursor: next })
      },
    },
  )
}

function summarize(trajectory: Trajectory) {
  const parts = trajectory.steps.flatMap((step) => step.parts)
  return {
    id: trajectory.id,
    format: trajectory.format,
    agent: trajectory.agent,
    steps: trajectory.steps.length,
    parts: parts.length,
    chars: parts.reduce((sum, part) => sum + part.text.length, 0),
    first_step: trajectory.steps[0]?.id ?? 0,
    last_step: trajectory.steps.at(-1)?.id ?? 0,
    warnings: trajectory.warnings,
  }
}
