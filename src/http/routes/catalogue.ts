import { readBatchRubrics } from '../../batches/follow.ts'
import { rubricText, rubricView } from '../../domain/rubric/rubric-view.ts'
import { findRubric } from '../../domain/rubric/said-claims.ts'
import { judgeView } from '../../ports/judge-view.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { sendJson } from '../body/answers.ts'
import { answer, NoQuery, problems } from '../body/schemas.ts'
import type { Context } from '../context.ts'
import { orNotFound } from '../problem.ts'
import type { RouteDeps, Routes } from './route-deps.ts'

const RubricId = Closed({ id: Type.String({ maxLength: 200 }) })

/** Adds the routes of the loaded rubrics and judges. */
export function catalogueRoutes(routes: Routes, { context }: RouteDeps): void {
  routes.get('/v1/rubrics', {
    schema: {
      operationId: 'listRubrics',
      summary: 'The loaded rubrics',
      tags: ['rubrics'],
      querystring: NoQuery,
      response: { 200: answer('RubricList', 'Every rubric, without its prompt.'), ...problems(400) },
    },
    handler: (_request, reply) => sendJson(reply, { items: [...context.rubrics.values()].map(rubricView) }),
  })

  routes.get('/v1/rubrics/:id', {
    schema: {
      operationId: 'getRubric',
      summary: 'One rubric with its prompt, by id@version or by id for its newest version',
      tags: ['rubrics'],
      params: RubricId,
      querystring: NoQuery,
      response: { 200: answer('Rubric', 'The rubric and its prompt.'), ...problems(400, 404) },
    },
    handler: (request, reply) => {
      const rubric = orNotFound(findRubric(context.rubrics, request.params.id), 'rubric', request.params.id)
      return sendJson(reply, rubricText(rubric))
    },
  })

  routes.get('/v1/batches/:id/rubrics', {
    schema: {
      operationId: 'listBatchRubrics',
      summary: 'The loaded rubrics that the items of a batch ask by',
      tags: ['batches'],
      params: RubricId,
      querystring: NoQuery,
      response: {
        200: answer('RubricList', 'Every version of the rubric, without its prompt.'),
        ...problems(400, 404),
      },
    },
    handler: async (request, reply) => {
      const { batches } = context.stores
      const batch = orNotFound(await batches.get(request.params.id), 'batch', request.params.id)
      return sendJson(reply, { items: await readBatchRubrics(batches, batch, context.rubrics) })
    },
  })

  routes.get('/v1/judges', {
    schema: {
      operationId: 'listJudges',
      summary: 'The configured judges, and those that lack their key',
      tags: ['judges'],
      querystring: NoQuery,
      response: { 200: answer('JudgeList', 'Every judge.'), ...problems(400) },
    },
    handler: (_request, reply) => sendJson(reply, listJudges(context)),
  })
}

/** Lists the configured judges, and those that lack their key. */
export function listJudges({ judges, unready, config }: Pick<Context, 'judges' | 'unready' | 'config'>) {
  const { default_judge } = config
  const items = [...judges.values()].map(({ info }) => judgeView(info, default_judge))
  const not_configured = [...unready].map(([name, reason]) => ({
    ...{ name, default: name === default_judge, reason },
  }))
  return { items, not_configured }
}
