import { readBatchRubrics } from '../../batches/follow.ts'
import { findRubric, rubricText, rubricView } from '../../domain/rubric/claims.ts'
import { listJudges } from '../../judges/judge.ts'
import { orNotFound } from '../../schemas/problem.ts'
import { Closed, Type } from '../../schemas/type.ts'
import { answer, operation, type RouteDeps, type Routes } from '../operation.ts'

const RubricId = Closed({ id: Type.String({ maxLength: 200 }) })

/** Adds the routes of the loaded rubrics and judges. */
export function catalogueRoutes(routes: Routes, { context }: RouteDeps): void {
  routes.get('/v1/rubrics', {
    ...operation('read', 'rubrics', 'listRubrics', {
      summary: 'The loaded rubrics',
      answers: { 200: answer('RubricList', 'Every rubric, without its prompt.') },
    }),
    handler: () => ({ items: [...context.rubrics.values()].map(rubricView) }),
  })

  routes.get('/v1/rubrics/:id', {
    ...operation('read', 'rubrics', 'getRubric', {
      summary: 'One rubric with its prompt, by id@version or by id for its newest version',
      params: RubricId,
      answers: { 200: answer('Rubric', 'The rubric and its prompt.') },
    }),
    handler: ({ params: { id } }) => rubricText(orNotFound(findRubric(context.rubrics, id), 'rubric', id)),
  })

  routes.get('/v1/batches/:id/rubrics', {
    ...operation('read', 'batches', 'listBatchRubrics', {
      summary: 'The loaded rubrics that the items of a batch ask by',
      params: RubricId,
      answers: { 200: answer('RubricList', 'Every version of the rubric, without its prompt.') },
    }),
    handler: async ({ params: { id } }) => {
      const { batches } = context.stores
      const batch = orNotFound(await batches.get(id), 'batch', id)
      return { items: await readBatchRubrics(batches, batch, context.rubrics) }
    },
  })

  routes.get('/v1/judges', {
    ...operation('read', 'judges', 'listJudges', {
      summary: 'The configured judges, and those that lack their key',
      answers: { 200: answer('JudgeList', 'Every judge.') },
    }),
    handler: () => listJudges(context, context.config.default_judge),
  })
}
