import { findRubric } from '../../domain/rubric/claim-values.ts'
import { DEFAULT_DRAWS, DEFAULT_SEED } from '../../schemas/agreement.ts'
import { faultAt, type RequestError } from '../../schemas/problem.ts'
import type { ReportQuery } from '../../schemas/queries.ts'
import type { Report } from '../../schemas/report.ts'
import { type AuditContext, requireNames } from '../names.ts'
import type { Compute } from '../statistics-worker.ts'
import { loadReport } from './load.ts'
import {
  labelsOf,
  measureNames,
  type ReportInput,
  type ReportOptions,
  type ReportRubric,
  reportRubric,
  unknownRubric,
} from './rows.ts'

/** Bounds draws times trials, of which a report resamples some 50 figures, to about ten seconds. */
const MOST_RESAMPLED = 40_000_000
const MOST_GROUPS = 1000

/** Makes a report of stored grades. Throws a RequestError for names and options that do not fit. */
export async function makeReport(context: AuditContext, compute: Compute, query: ReportQuery): Promise<Report> {
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
  const input = { ...loaded, notes: [...loaded.notes, ...notLoaded(context, loaded.found)] }
  checkOptions(input, options)
  const draws = drawsFor(query, options, input.trials.length)
  return compute('reportOf', { input, options: { ...options, draws } })
}

function notLoaded({ rubrics }: AuditContext, name: string | null): string[] {
  return name === null || rubrics.has(name)
    ? []
    : [`the rubric ${JSON.stringify(name)} is not loaded: the report knows the labels that were given, and no claims`]
}

function checkOptions({ trials, rubric }: ReportInput, { group_by, pair }: ReportOptions): void {
  if (new Set(trials.map(({ key }) => key)).size > MOST_GROUPS)
    throw invalid(
      'group_by',
      `${group_by} has more than ${MOST_GROUPS} values: name a field with fewer, or select fewer trials`,
    )
  if (pair === null || pair.measure === null) return
  const labels = labelsOf(
    rubric,
    trials.flatMap(({ label }) => label ?? []),
  )
  const names = measureNames(rubric, labels)
  if (!names.includes(pair.measure))
    throw invalid('measure', `is not known of ${rubric.name}; there are: ${names.join(', ')}`)
}

function drawsFor({ draws }: ReportQuery, options: ReportOptions, trials: number): number {
  const most = Math.floor(MOST_RESAMPLED / Math.max(1, trials))
  if (draws !== undefined && draws > most) throw invalid('draws', `at most ${most} draws for so many trials`)
  return Math.max(100, Math.min(options.draws, most))
}

function optionsOf(query: ReportQuery): ReportOptions {
  const { group_by = 'agent', draws = DEFAULT_DRAWS, seed = DEFAULT_SEED } = query
  return { group_by, draws, seed, pair: pairOf(query) }
}

function pairOf({ pair_by, base, head, measure, ...filter }: ReportQuery): ReportOptions['pair'] {
  if (pair_by === undefined) {
    for (const [name, value] of Object.entries({ base, head, measure }))
      if (value !== undefined) throw invalid(name, 'needs pair_by')
    return null
  }
  if (base === undefined) throw invalid('base', 'is needed with pair_by')
  if (head === undefined) throw invalid('head', 'is needed with pair_by')
  if (base === head) throw invalid('head', 'is the same as base')
  if (filter[pair_by] !== undefined) throw invalid(pair_by, 'cannot be fixed while pairing by it')
  return { by: pair_by, base, head, measure: measure ?? null }
}

const invalid = (name: string, message: string): RequestError =>
  faultAt(`/${name}`, message, 'invalid_request', `${name} ${message}`)
