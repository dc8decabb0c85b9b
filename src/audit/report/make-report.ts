import { defined } from '../../domain/result.ts'
import { DEFAULT_DRAWS, DEFAULT_SEED } from '../../schemas/agreement.ts'
import { faultAt, type RequestError } from '../../schemas/problem.ts'
import type { ReportQuery } from '../../schemas/queries.ts'
import type { Report } from '../../schemas/report.ts'
import { type AuditContext, requireNames } from '../names.ts'
import type { Compute } from '../statistics-worker.ts'
import { loadReport } from './load.ts'
import type { PairOptions } from './paired.ts'
import { labelsOf, measureNames } from './rows.ts'

/** Bounds draws times trials, of which a report resamples some 50 figures, to about ten seconds. */
const MOST_RESAMPLED = 40_000_000
const MOST_GROUPS = 1000
/** Values of `group_by` that stand for themselves, also where no trial has them. */
const GROUPINGS = ['agent', 'model', 'task', 'trial', 'run_index', 'variant', 'judge', 'surface', 'none']

/** Makes a report of stored grades. Throws a RequestError for names and options that do not fit. */
export async function makeReport(context: AuditContext, compute: Compute, query: ReportQuery): Promise<Report> {
  const { group_by = 'agent', draws: asked, seed = DEFAULT_SEED } = query
  const pair = pairOf(query)
  const { judge, rubric, batch, agent, model, task, variant } = query
  const filter = defined({ judge, rubric, batch, agent, model, task, variant })
  await requireNames(context, filter)
  const loaded = await loadReport(context, filter, group_by)
  const { found, trials, fields } = loaded
  const groupings = new Set([...fields, ...GROUPINGS])
  if (trials.length > 0 && !groupings.has(group_by))
    throw invalid('group_by', `names no field of these trials; there are: ${[...groupings].join(', ')}`)
  const isUnknown = found !== null && !context.rubrics.has(found)
  const notLoaded = `the rubric ${JSON.stringify(found)} is not loaded: the report knows the labels that were given, and no claims`
  const input = { ...loaded, notes: [...loaded.notes, ...(isUnknown ? [notLoaded] : [])] }
  const tooMany = `${group_by} has more than ${MOST_GROUPS} values: name a field with fewer, or select fewer trials`
  if (new Set(trials.map(({ key }) => key)).size > MOST_GROUPS) throw invalid('group_by', tooMany)
  const given = trials.map(({ label }) => label)
  const measures = measureNames(loaded.rubric, labelsOf(loaded.rubric, given))
  if (pair !== null && pair.measure !== null && !measures.includes(pair.measure))
    throw invalid('measure', `is not known of ${loaded.rubric.name}; there are: ${measures.join(', ')}`)
  const most = Math.floor(MOST_RESAMPLED / Math.max(1, trials.length))
  if (asked !== undefined && asked > most) throw invalid('draws', `at most ${most} draws for so many trials`)
  const draws = Math.max(100, Math.min(asked ?? DEFAULT_DRAWS, most))
  return compute('report', { input, options: { group_by, draws, seed, pair } })
}

function pairOf({ pair_by, base, head, measure, ...filter }: ReportQuery): PairOptions | null {
  if (pair_by === undefined) {
    for (const [name, value] of Object.entries({ base, head, measure }))
      if (value !== undefined) throw invalid(name, 'needs `pair_by`')
    return null
  }
  if (base === undefined) throw invalid('base', 'is needed with `pair_by`')
  if (head === undefined) throw invalid('head', 'is needed with `pair_by`')
  if (base === head) throw invalid('head', 'is the same as `base`')
  if (filter[pair_by] !== undefined) throw invalid(pair_by, 'cannot be fixed while pairing by it')
  return { by: pair_by, base, head, measure: measure ?? null }
}

const invalid = (name: string, message: string): RequestError =>
  faultAt(`/${name}`, message, 'invalid_request', `\`${name}\` ${message}`)
