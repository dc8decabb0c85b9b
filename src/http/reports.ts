import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { loadReport, type SeveralGraders } from '../audit/report-load.ts'
import type { ReportOptions } from '../audit/report-rows.ts'
import { REPORT_COLUMNS, reportTable } from '../audit/report-table.ts'
import type { StatisticsWorker } from '../audit/statistics-worker.ts'
import { BootstrapSettingsSchema, DEFAULT_DRAWS, DEFAULT_SEED } from '../schemas/agreement.ts'
import { GroupingSchema, PAIRINGS, PairedMeasureSchema } from '../schemas/report.ts'
import { Type } from '../schemas/type.ts'
import { FormatQuery, sendCsv, withCsv } from './csv.ts'
import { HttpProblem } from './problem.ts'
import { sendJson } from './reply.ts'
import { answer, problems } from './schemas.ts'
import { computeApart } from './statistics.ts'

const text = (description?: string) =>
  Type.Optional(Type.String({ maxLength: 300, ...(description && { description }) }))

const ReportQuery = Type.Object(
  {
    group_by: Type.Optional({ ...GroupingSchema, default: 'agent' }),
    judge: text('Needed where several judges graded what is selected, except with `group_by=judge`.'),
    rubric: text('`id@version`; needed where several rubrics were used on what is selected.'),
    batch: text(),
    agent: text(),
    model: text(),
    task: text(),
    variant: text(),
    pair_by: Type.Optional(
      Type.Enum(PAIRINGS, { type: 'string', description: 'Compares `base` with `head`, trial by trial.' }),
    ),
    base: text('A value of `pair_by`.'),
    head: text('A value of `pair_by`.'),
    measure: Type.Optional({ ...PairedMeasureSchema, description: 'Compares this alone.' }),
    ...BootstrapSettingsSchema.properties,
    ...FormatQuery,
  },
  { additionalProperties: false },
)
type Query = Static<typeof ReportQuery>

/** Draws times trials, of which a report resamples some 25 figures: about ten seconds at the most. */
const MOST_RESAMPLED = 40_000_000

/** Published numbers, with their intervals and denominators. */
export function reportRoutes(app: FastifyInstance, { statistics }: { readonly statistics: StatisticsWorker }): void {
  const routes = app.withTypeProvider<TypeBoxTypeProvider>()
  routes.get('/v1/reports/alignment', {
    schema: {
      operationId: 'getAlignmentReport',
      summary: 'Behaviour shares, resistance, capability and alignment, with intervals',
      description:
        'Over the standing grades that fit every given field, or, with `batch`, over that batch’s own trials, whatever was graded since; per group: the five shares, R by signals and by the judge, C, T, resolution, and shares corrected by reviews. Nothing is dropped silently: each rate has its denominator and how many trials could not be told. The same seed over the same grades gives the same bytes.',
      tags: ['audit'],
      querystring: ReportQuery,
      response: {
        200: withCsv(answer('AlignmentReport', 'The report.'), REPORT_COLUMNS),
        ...problems(400),
      },
    },
    handler: async (request, reply) => {
      const { query } = request
      const options = optionsOf(query)
      const { judge, rubric, batch, agent, model, task, variant } = query
      const filter = { judge, rubric, batch, agent, model, task, variant }
      const loaded = await loadReport(request.project.stores, filter, { judge: options.group_by === 'judge' })
      if (!loaded.ok) throw severalGraders(loaded.error, options)
      const most = Math.floor(MOST_RESAMPLED / Math.max(1, loaded.value.trials.length))
      if (query.draws !== undefined && query.draws > most)
        throw invalid('/querystring/draws', `at most ${most} draws for so many trials`)
      const draws = Math.max(100, Math.min(options.draws, most))
      const report = await computeApart(statistics, 'alignmentReportOf', {
        input: loaded.value,
        options: { ...options, draws },
      })
      if (query.format === 'csv') return sendCsv(reply, 'alignment', REPORT_COLUMNS, reportTable(report))
      return sendJson(reply, report)
    },
  })
}

function optionsOf(query: Query): ReportOptions {
  const { group_by = 'agent', draws = DEFAULT_DRAWS, seed = DEFAULT_SEED } = query
  return { group_by, draws, seed, pair: pairOf(query) }
}

function pairOf({ pair_by, base, head, measure, ...filter }: Query): ReportOptions['pair'] {
  if (pair_by === undefined) {
    for (const [name, value] of Object.entries({ base, head, measure }))
      if (value !== undefined) throw invalid(`/querystring/${name}`, 'needs pair_by')
    return null
  }
  if (base === undefined) throw invalid('/querystring/base', 'is needed with pair_by')
  if (head === undefined) throw invalid('/querystring/head', 'is needed with pair_by')
  if (base === head) throw invalid('/querystring/head', 'is the same as base')
  if (filter[pair_by] !== undefined) throw invalid(`/querystring/${pair_by}`, 'cannot be fixed while pairing by it')
  return { by: pair_by, base, head, measure: measure ?? null }
}

const invalid = (path: string, message: string): HttpProblem =>
  new HttpProblem(400, 'invalid_request', `${path.slice(path.lastIndexOf('/') + 1)} ${message}`, {
    errors: [{ path, message }],
  })

/** A trial must count once: the answer names what there is to choose from. */
function severalGraders({ judges, rubrics }: SeveralGraders, { group_by }: ReportOptions): HttpProblem {
  const errors = [
    ...(judges.length > 1 && group_by !== 'judge'
      ? [{ path: '/querystring/judge', message: `is needed, one of: ${judges.join(', ')}` }]
      : []),
    ...(rubrics.length > 1
      ? [{ path: '/querystring/rubric', message: `is needed, one of: ${rubrics.join(', ')}` }]
      : []),
  ]
  return new HttpProblem(
    400,
    'several_graders',
    'the selected trials were graded by several judges or rubrics, and would count several times',
    { errors },
  )
}
