import { disposeFindings, readFindings, signOff } from '../../audit/findings.ts'
import { DispositionRequestSchema, FindingQuery, SignoffRequestSchema } from '../../schemas/findings.ts'
import { answer, created, IdParams, operation, type RouteDeps, type Routes, STORES } from '../operation.ts'

/** Adds the routes of the findings of a batch, their dispositions and its sign-off. */
export function findingRoutes(routes: Routes, { context, answerOnce }: RouteDeps): void {
  routes.get('/v1/batches/:id/findings', {
    ...operation('read', 'audit', 'readFindings', {
      summary: 'The findings of a batch, grouped into classes by kind and cause',
      description:
        'Failed, cancelled and unverified trials, contradictions, unread records and conflicting rewards; and grades that disagree with the newest grade of another judge (in label or evidence), with a person, or among their samples. Each class has its newest disposition; a class whose findings have changed since is open again. More than 200 classes of one kind are one class.',
      params: IdParams,
      querystring: FindingQuery,
      answers: { 200: answer('Findings', 'The classes, and the sign-off of the batch.') },
    }),
    handler: ({ params: { id }, query }) => readFindings(context, id, query.class),
  })

  routes.post('/v1/batches/:id/dispositions', {
    ...operation('review', 'audit', 'disposeFindings', {
      summary: 'Say what becomes of a class of findings',
      description:
        'Append-only: of one class the newest counts, and a repetition is not stored. `findings_changed`: the class differs from `digest`; `not_regraded`: a trial of the class has no newer grade.',
      ...STORES,
      body: DispositionRequestSchema,
      answers: { 201: answer('Disposition', 'It is stored.') },
    }),
    handler: (request, reply) =>
      answerOnce(request, reply, () => created(disposeFindings(context, request.params.id, request.body))),
  })

  routes.post('/v1/batches/:id/signoff', {
    ...operation('review', 'audit', 'signOffBatch', {
      summary: 'Sign the results and findings of a batch that has ended',
      description:
        'Append-only. `findings_open`: classes are open, `errors` names them; `batch_not_ended`: further items can have findings.',
      ...STORES,
      body: SignoffRequestSchema,
      answers: { 201: answer('Signoff', 'It is stored.') },
    }),
    handler: (request, reply) =>
      answerOnce(request, reply, () => created(signOff(context, request.params.id, request.body))),
  })
}
