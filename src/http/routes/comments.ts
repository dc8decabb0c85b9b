import { randomBytes } from 'node:crypto'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import { findCommentFaults, makeComment } from '../../audit/comment-step.ts'
import { createIdMaker } from '../../ports/id.ts'
import { type CommentRequest, CommentRequestSchema } from '../../schemas/audit/comment.ts'
import type { Grade } from '../../schemas/grade.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { createIdempotency } from '../body/idempotency.ts'
import { decodeCursor, toPage } from '../body/paging.ts'
import { sendJson, sendText } from '../body/reply.ts'
import { answer, IdempotencyHeader, NoQuery, problems } from '../body/schemas.ts'
import type { Context, Project } from '../context.ts'
import type { InFlight } from '../guard/in-flight.ts'
import { HttpProblem, notFound } from '../problem.ts'
import { perProject } from '../project.ts'

const GradeId = Closed({ id: Type.String({ maxLength: 100 }) })
const ListQuery = Closed(PageQuery)

interface CommentDeps {
  readonly context: Context
  readonly inFlight: InFlight
}

/** Comments on the steps of graded runs. */
export function commentRoutes(app: FastifyInstance, { context: { clock }, inFlight }: CommentDeps): void {
  const idempotencyOf = perProject(({ stores }) => createIdempotency(stores))
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  const newId = createIdMaker(
    () => clock.now().getTime(),
    () => randomBytes(10),
  )

  async function comment({ stores, service }: Project, id: string, body: CommentRequest) {
    const grade = await readGrade(stores, id)
    const errors = findCommentFaults(await service.trajectory(grade.receipt.trajectory), body)
    if (errors.length > 0) throw new HttpProblem(400, 'invalid_request', 'the trajectory has no such step', { errors })
    const made = makeComment(body, grade, { id: newId('com'), at: clock.now() })
    await stores.comments.put(made)
    return { status: 201, text: JSON.stringify(made) }
  }

  routes.post('/v1/grades/:id/comments', {
    schema: {
      operationId: 'createComment',
      summary: 'Comment on a step',
      description: 'Append-only; it stands at every grade of the same trajectory.',
      tags: ['audit'],
      params: GradeId,
      headers: IdempotencyHeader,
      querystring: NoQuery,
      body: CommentRequestSchema,
      response: { 201: answer('Comment', 'It is stored.'), ...problems(400, 404, 409, 413, 415, 422) },
    },
    handler: async (request, reply) => {
      const work = idempotencyOf(request.project).run(request, reply, clock.now().toISOString(), () =>
        comment(request.project, request.params.id, request.body),
      )
      const { text, status } = await inFlight.track(work)
      return sendText(reply, text, status)
    },
  })

  routes.get('/v1/grades/:id/comments', {
    schema: {
      operationId: 'listComments',
      summary: 'List the comments on the steps of a run, oldest first',
      tags: ['audit'],
      params: GradeId,
      querystring: ListQuery,
      response: { 200: answer('CommentPage', 'One page.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { stores } = request.project
      const { limit = 50, cursor } = request.query
      const after = decodeCursor(cursor, /^com_[0-9a-z]{26}$/)
      const { trajectory } = (await readGrade(stores, request.params.id)).receipt
      const found = await stores.comments.list({ trajectory, limit: limit + 1, ...(after !== undefined && { after }) })
      return sendJson(
        reply,
        toPage(found, limit, ({ id }) => id),
      )
    },
  })
}

async function readGrade({ grades }: Pick<Project['stores'], 'grades'>, id: string): Promise<Grade> {
  const grade = await grades.get(id)
  if (grade === null) throw notFound('grade', id)
  return grade
}
