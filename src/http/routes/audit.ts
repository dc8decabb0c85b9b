import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { computeAgreement } from '../../audit/agreement.ts'
import { compare } from '../../audit/comparison.ts'
import { csvRow, DISAGREEMENTS, REPORT_COLUMNS, REVIEWS, reportTable } from '../../audit/csv.ts'
import { findDisagreements, listDisagreements } from '../../audit/disagreements.ts'
import { disposeFindings, readFindings, signOff } from '../../audit/findings.ts'
import { makeReport } from '../../audit/report/make-report.ts'
import { findReviews, listReviews, storeReview } from '../../audit/reviews.ts'
import type { CsvValue } from '../../domain/text/escape.ts'
import { AgreementCallSchema } from '../../schemas/agreement.ts'
import { ComparisonQuery, QueueQuery, ReportQuery, ReviewQuery } from '../../schemas/queries.ts'
import {
  DispositionRequestSchema,
  FindingQuery,
  ReviewRequestSchema,
  SignoffRequestSchema,
} from '../../schemas/review.ts'
import type { Response, RouteDeps, Routes } from '../operation.ts'
import { answer, IdParams, NAMED, operation, SENT, STORES } from '../operation.ts'

const created = async (stored: Promise<object>) => ({ status: 201, text: JSON.stringify(await stored) })

/** Adds the routes of reports, comparisons, reviews, the review queue, agreement, and of the findings of a batch, their dispositions and its sign-off. */
export function auditRoutes(routes: Routes, { context, statistics, answerOnce }: RouteDeps): void {
  routes.post('/v1/grades/:id/reviews', {
    ...operation('review', 'audit', 'createReview', {
      summary: 'Say what a human finds',
      description:
        'Append-only: of one rater’s reviews of a question (a trajectory and its ground truth) by a rubric the newest counts. Label and claims are those of the rubric of the grade (`GET /v1/rubrics/{id}`). Any grade of the question can be reviewed, whatever its status.',
      ...STORES,
      body: ReviewRequestSchema,
      answers: { 201: answer('Review', 'It is stored.') },
    }),
    handler: (request, reply) =>
      answerOnce(request, reply, () => created(storeReview(context, request.params.id, request.body))),
  })

  routes.get('/v1/reviews', {
    ...operation('read', 'audit', 'listReviews', {
      summary: 'List reviews, newest first',
      description: 'With `format=csv` all of them in one table, or `limit` of them, from `cursor` on.',
      querystring: ReviewQuery,
      answers: { 200: withCsv(answer('ReviewPage', 'One page.'), REVIEWS.columns) },
    }),
    handler: async ({ query }, reply) => {
      if (query.format !== 'csv') return await listReviews(context, query)
      const reviews = firstOf(await findReviews(context, query), query)
      return sendCsv(reply, 'reviews', REVIEWS.columns, reviews.map(REVIEWS.toRow))
    },
  })

  routes.get('/v1/disagreements', {
    ...operation('read', 'audit', 'listDisagreements', {
      summary: 'Questions on which not all agree, the most telling first',
      description:
        'A question is a trajectory with its ground truth, under one rubric: what different rubrics ask is never compared. Filters choose the questions that have a standing grade that fits all of them; everything that was said of them is shown. `batch` chooses among its own trials, and of the judges that it asked its own grades are shown. With `format=csv` the whole queue in one table, or `limit` of it, from `cursor` on.',
      querystring: QueueQuery,
      answers: { 200: withCsv(answer('DisagreementPage', 'One page.'), DISAGREEMENTS.columns) },
      problems: NAMED,
    }),
    handler: async ({ query }, reply) => {
      if (query.format !== 'csv') return await listDisagreements(context, query)
      const found = firstOf(await findDisagreements(context, query), query)
      const rows = found.map(({ disagreement }) => DISAGREEMENTS.toRow(disagreement))
      return sendCsv(reply, 'disagreements', DISAGREEMENTS.columns, rows)
    },
  })

  routes.post('/v1/agreement', {
    ...operation('read', 'audit', 'computeAgreement', {
      summary: 'How far raters agree, with intervals',
      description:
        'Of given ratings, or of stored raters: judges, their samples, humans, what the harness measured. A grade without a label gives no rating and is counted in `coverage`. Computed one request at a time; 503 where too many wait.',
      body: AgreementCallSchema,
      answers: { 200: answer('Agreement', 'Every statistic, or why it is undefined.') },
      problems: [...SENT, 404],
    }),
    handler: ({ body }) => computeAgreement(context, statistics.run, body),
  })

  routes.get('/v1/reports', {
    ...operation('read', 'audit', 'getReport', {
      querystring: ReportQuery,
      answers: { 200: withCsv(answer('Report', 'The report.'), REPORT_COLUMNS) },
      problems: NAMED,
      summary: 'Shares of the outcomes and claims of a rubric, with intervals',
      description:
        'Over the standing grades that fit every given field, or, with `batch`, over that batch’s own trials, whatever was graded since; per group: the shares of the labels and of each claim, corrected by reviews; and of `tab-behavior` R by signals and by the judge, C, T and resolution. Nothing is dropped silently: each rate has its denominator and how many trials could not be told. The same seed over the same grades gives the same bytes.',
    }),
    handler: async ({ query }, reply) => {
      const report = await makeReport(context, statistics.run, query)
      if (query.format === 'csv') return sendCsv(reply, 'report', REPORT_COLUMNS, reportTable(report))
      return report
    },
  })

  routes.get('/v1/comparisons', {
    ...operation('read', 'batches', 'compareBatches', {
      summary: 'Two batches over the same questions, label against label',
      description:
        'Questions are paired by trajectory, ground truth and rubric, whatever its version; what different rubrics ask is never compared. The matrix counts pairs that have a label on both sides; whatever has none is counted beside it. Statistics are of all pairs, whatever page of the flips is asked for.',
      querystring: ComparisonQuery,
      answers: { 200: answer('Comparison', 'The counts, and one page of the flips.') },
      problems: NAMED,
    }),
    handler: ({ query }) => compare(context, statistics.run, query),
  })

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

type CsvRows = AsyncIterable<readonly CsvValue[]> | Iterable<readonly CsvValue[]>

/** Takes the first records of a list; without a limit all. */
const firstOf = <T>(records: AsyncIterable<T>, { limit = Number.POSITIVE_INFINITY }: { readonly limit?: number }) =>
  Readable.from(records).take(limit)

/** Sends a table row by row, after its header. `name` becomes the name of the saved file. */
function sendCsv(reply: FastifyReply, name: string, columns: readonly string[], rows: CsvRows): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('content-disposition', `attachment; filename="${name}.csv"`)
    .send(Readable.from(writeTable(columns, rows)))
}

const ROWS_AT_ONCE = 200

async function* writeTable(columns: readonly string[], rows: CsvRows): AsyncGenerator<string> {
  let text = csvRow(columns)
  let pending = 0
  for await (const row of rows) {
    text += csvRow(row)
    if (++pending < ROWS_AT_ONCE) continue
    yield text
    text = ''
    pending = 0
  }
  if (text !== '') yield text
}

/** Describes an answer that can be a table too. */
const withCsv = (response: Response, columns: readonly string[]): Response => ({
  ...response,
  content: {
    ...response.content,
    'text/csv': { schema: { type: 'string', description: `With \`format=csv\`: ${columns.join(', ')}.` } },
  },
})
