import type { Static } from 'typebox'
import { loadReport, type SeveralGraders } from '../../audit/report/report-load.ts'
import type { ReportInput, ReportOptions } from '../../audit/report/report-rows.ts'
import {
  labelsOf,
  measureNames,
  type ReportRubric,
  reportRubric,
  unknownRubric,
} from '../../audit/report/report-rows.ts'
import { REPORT_COLUMNS, reportTable } from '../../audit/report/report-table.ts'
import { findRubric } from '../../domain/rubric/claim-values.ts'
import { BootstrapSettingsSchema, DEFAULT_DRAWS, DEFAULT_SEED } from '../../schemas/audit/agreement.ts'
import { PAIRINGS, type Report } from '../../schemas/audit/report.ts'
import { Choice, Closed, Type } from '../../schemas/type.ts'
import type { Context } from '../context.ts'
import { FormatQuery, sendCsv, withCsv } from '../csv.ts'
import { requireNames } from '../known-names.ts'
import { answer, NAMED, nameFilter, operation } from '../operation.ts'
import { faultAt, HttpProblem } from '../problem.ts'
import { type Compute, computeApart, type RouteDeps, type Routes } from './route-deps.ts'

export const ReportQuery = Closed({
  group_by: Type.Optional(
    Type.String({
      maxLength: 300,
      default: 'agent',
      description:
        'A field of the metadata, like `agent`, `model`, `variant`, `task`, `domain` or `subcategory`; `judge`; `none`: all trials together; `surface`: the category that the judge saw, where the rubric asks for one. At most 1000 values.',
    }),
  ),
  judge: nameFilter('Needed where several judges graded what is selected, except with `group_by=judge`.'),
  rubric: nameFilter(
    '`id@version`, or an id for all of its versions; needed where several rubrics or versions were used on what is selected.',
  ),
  batch: nameFilter(),
  agent: nameFilter(),
  model: nameFilter(),
  task: nameFilter(),
  variant: nameFilter(),
  pair_by: Type.Optional(Choice(PAIRINGS, 'Compares `base` with `head`, trial by trial.')),
  base: nameFilter('A value of `pair_by`.'),
  head: nameFilter('A value of `pair_by`.'),
  measure: nameFilter(
    'Compares this alone: a label or a boolean claim of the rubric, `executed`, `resolved` or `passed`; of `tab-behavior` also `distractor_acted`.',
  ),
  ...BootstrapSettingsSchema.properties,
  ...FormatQuery,
})
type Query = Static<typeof ReportQuery>

/** Bounds draws times trials, of which a report resamples some 50 figures, to about ten seconds. */
const MOST_RESAMPLED = 40_000_000
const MOST_GROUPS = 1000

/** Makes a report of stored grades. Throws a problem for names and options that do not fit. */
export async function makeReport(context: Context, compute: Compute, query: Query): Promise<Report> {
  const options = optionsOf(query)
  const { judge, rubric, batch, agent, model, task, variant } = query
  const filter = { judge, rubric, batch, agent, model, task, variant }
  await requireNames(context, filter)
  const ofAny = (name: string): ReportRubric => {
    const loaded = findRubric(context.rubrics, name)
    return loaded === null ? unknownRubric(name) : reportRubric(loaded)
  }
  const loaded = await loadReport(context.stores, filter, options.group_by, (name) =>
    ofAny(name ?? rubric ?? context.default_rubric),
  )
  if (!loaded.ok) throw severalGraders(loaded.error, options)
  const input = { ...loaded.value, notes: [...loaded.value.notes, ...notLoaded(context, loaded.value.found)] }
  checkOptions(input, options)
  const draws = drawsFor(query, options, input.trials.length)
  return compute('reportOf', { input, options: { ...options, draws } })
}

/** Adds the route of the report. */
export function reportRoutes(routes: Routes, { context, statistics }: RouteDeps): void {
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
      const report = await makeReport(context, computeApart(statistics), query)
      if (query.format === 'csv') return sendCsv(reply, 'report', REPORT_COLUMNS, reportTable(report))
      return report
    },
  })
}

function notLoaded({ rubrics }: Context, name: string | null): string[] {
  return name === null || rubrics.has(name)
    ? []
    : [`the rubric ${JSON.stringify(name)} is not loaded: the report knows the labels that were given, and no claims`]
}

function checkOptions({ trials, rubric }: ReportInput, { group_by, pair }: ReportOptions): void {
  if (new Set(trials.map(({ key }) => key)).size > MOST_GROUPS)
    throw invalid(
      '/querystring/group_by',
      `${group_by} has more than ${MOST_GROUPS} values: name a field with fewer, or select fewer trials`,
    )
  if (pair === null || pair.measure === null) return
  const labels = labelsOf(
    rubric,
    trials.flatMap(({ label }) => label ?? []),
  )
  const names = measureNames(rubric, labels)
  if (!names.includes(pair.measure))
    throw invalid('/querystring/measure', `is not known of ${rubric.name}; there are: ${names.join(', ')}`)
}

function drawsFor({ draws }: Query, options: ReportOptions, trials: number): number {
  const most = Math.floor(MOST_RESAMPLED / Math.max(1, trials))
  if (draws !== undefined && draws > most)
    throw invalid('/querystring/draws', `at most ${most} draws for so many trials`)
  return Math.max(100, Math.min(options.draws, most))
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
  faultAt(path, message, 'invalid_request', `${path.slice(path.lastIndexOf('/') + 1)} ${message}`)

/** Makes the refusal of trials that several judges or rubrics graded, with the names to choose from: a trial must count once. */
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
