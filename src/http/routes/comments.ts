import { findCommentFaults, makeComment } from '../../audit/comment-step.ts'
import { type CommentRequest, CommentRequestSchema } from '../../schemas/audit/comment.ts'
import { PageQuery } from '../../schemas/page.ts'
import { Closed } from '../../schemas/type.ts'
import { decodeCursor, idOf, toPage } from '../body/paging.ts'
import { sendJson } from '../body/reply.ts'
import { answer, IdempotencyHeader, IdParams, NoQuery, problems } from '../body/schemas.ts'
import type { Project } from '../context.ts'
import { HttpProblem, orNotFound } from '../problem.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

const ListQuery = Closed(PageQuery)

/** Comments on the steps of graded runs. */
export function commentRoutes(routes: Routes, { context: { clock, newId }, answerOnce }: RouteDeps): void {
  async function comment({ stores, service }: Project, id: string, body: CommentRequest) {
    const grade = orNotFound(await stores.grades.get(id), 'grade', id)
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
      params: IdParams,
      headers: IdempotencyHeader,
      querystring: NoQuery,
      body: CommentRequestSchema,
      response: { 201: answer('Comment', 'It is stored.'), ...problems(400, 404, 409, 413, 415, 422) },
    },
    handler: (request, reply) =>
      answerOnce(request, reply, () => comment(request.project, request.params.id, request.body)),
  })

  routes.get('/v1/grades/:id/comments', {
    schema: {
      operationId: 'listComments',
      summary: 'List the comments on the steps of a run, oldest first',
      tags: ['audit'],
      params: IdParams,
      querystring: ListQuery,
      response: { 200: answer('CommentPage', 'One page.'), ...problems(400, 404) },
    },
    handler: async (request, reply) => {
      const { stores } = request.project
      const { limit = 50, cursor } = request.query
      const after = decodeCursor(cursor, /^com_[0-9a-z]{26}$/)
      const { id } = request.params
      const { trajectory } = orNotFound(await stores.grades.get(id), 'grade', id).receipt
      const found = await stores.comments.list({ trajectory, limit: limit + 1, ...(after !== undefined && { after }) })
      return sendJson(reply, toPage(found, limit, idOf))
    },
  })
}
