import { type Step, summarize, type Trajectory } from '../../domain/trajectory/trajectory.ts'
import type { GradingService } from '../../grading/grade.ts'
import { orNotFound } from '../../schemas/problem.ts'
import { decodeCursor, encodeCursor, PageQuery } from '../../schemas/queries.ts'
import { Closed, Opt, Type } from '../../schemas/type.ts'
import type { TrajectoryStep } from '../../schemas/views.ts'
import { isStream, readRecords } from '../ndjson.ts'
import { answer, IdempotencyHeader, IdParams, operation, type RouteDeps, type Routes, SENT } from '../operation.ts'
import { sendText } from '../problem.ts'
import { EXAMPLE_REQUEST } from './grades.ts'

type Upload = Parameters<GradingService['upload']>[0]
const UploadSchema = Type.Unsafe<Upload>({
  type: ['object', 'array'],
  description: 'One run as an object or an array of records, in any format of docs/formats.md.',
})
const DocumentQuery = Closed({ document: Opt.Bool('With the source document.') })
const StepsQuery = Closed({ from: Opt.Int('First step id.'), to: Opt.Int('Last step id, inclusive.'), ...PageQuery })

/** Adds the routes that store a trajectory and read it back in steps. */
export function trajectoryRoutes(routes: Routes, { context, answerOnce }: RouteDeps): void {
  const upload = async (document: Upload) => {
    const { trajectory, created } = await context.service.upload(document)
    return { status: created ? 201 : 200, text: JSON.stringify(summarize(trajectory)) }
  }
  const load = async (id: string): Promise<Trajectory> =>
    orNotFound(await context.service.trajectory(id), 'trajectory', id)

  routes.post('/v1/trajectories', {
    ...operation('grade', 'trajectories', 'uploadTrajectory', {
      summary: 'Upload a trajectory; its id is the digest of its content',
      description:
        'One run in any format that docs/formats.md lists: an object, an array of records, or NDJSON. A file of many runs is taken apart by `veridict import`.',
      headers: IdempotencyHeader,
      body: {
        content: {
          'application/json': { schema: { ...UploadSchema, examples: [EXAMPLE_REQUEST.trajectory] } },
          'application/x-ndjson': { schema: { description: 'One record a line, as agents write their sessions.' } },
        },
      },
      answers: {
        200: answer('TrajectorySummary', 'It was stored before.'),
        201: answer('TrajectorySummary', 'It is stored now.'),
      },
      problems: [...SENT, 409, 422],
    }),
    handler: async (request, reply) => {
      const { body } = request
      if (!isStream(body)) return await answerOnce(request, reply, () => upload(body as Upload))
      // A repeated upload is the same trajectory: a stream needs no Idempotency-Key.
      const { text, status } = await upload(await readRecords(request, context.config.limits))
      return sendText(reply, text, status)
    },
  })

  routes.get('/v1/trajectories/:id', {
    ...operation('read', 'trajectories', 'getTrajectory', {
      summary: 'Describe a stored trajectory',
      params: IdParams,
      querystring: DocumentQuery,
      answers: { 200: answer('TrajectorySummary', 'The summary.') },
    }),
    handler: async ({ params, query }) => {
      const trajectory = await load(params.id)
      const stored = query.document === true ? await context.stores.trajectories.get(trajectory.id) : null
      return { ...summarize(trajectory), ...(stored && { document: stored.document }) }
    },
  })

  routes.get('/v1/trajectories/:id/steps', {
    ...operation('read', 'trajectories', 'listSteps', {
      summary: 'Steps of a trajectory, with the actor and place of every part',
      params: IdParams,
      querystring: StepsQuery,
      answers: { 200: answer('TrajectoryStepPage', 'One page, in order.') },
    }),
    handler: async ({ params, query }) => {
      const trajectory = await load(params.id)
      const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, limit = 50, cursor } = query
      const after = Number(decodeCursor(cursor, /^\d{1,9}$/) ?? 0)
      const wanted = trajectory.steps.filter((step) => step.id >= from && step.id <= to)
      const items = pageOf(wanted.slice(after, after + limit))
      const next = after + items.length < wanted.length ? encodeCursor(String(after + items.length)) : null
      return { items: items.map(viewStep), next_cursor: next }
    },
  })
}

/** Characters after which a page ends: one step can hold megabytes. */
const PAGE_CHARS = 4 * 1024 * 1024

/** Takes the steps of one page, at least one. */
function pageOf(steps: readonly Step[]): readonly Step[] {
  let chars = 0
  const end = steps.findIndex(({ parts }, index) => {
    for (const { text } of parts) chars += text.length
    return index > 0 && chars > PAGE_CHARS
  })
  return end === -1 ? steps : steps.slice(0, end)
}

const viewStep = ({ id, name, at, copied, parts }: Step): TrajectoryStep => ({
  id,
  name,
  at,
  copied,
  parts: parts.map(({ actor, text, path, name: part, media, act }) => ({
    actor,
    text,
    path,
    name: part,
    media,
    act: act && {
      tool: act.call.tool,
      role: act.role,
      language: act.language,
      target: act.target,
      outcome: act.call.outcome,
    },
  })),
})
