import { type Given, queryOf, withQuery } from '../api.ts'

/** Filters of a report: the names of `GET /v1/reports`. */
const REPORT_NAMES = ['judge', 'rubric', 'batch', 'agent', 'model', 'task', 'variant'] as const
const PAIR_NAMES = ['pair_by', 'base', 'head'] as const

export const groupingOf = (query: URLSearchParams): string => query.get('group_by') || 'agent'

/** Pairs are asked for once all of them is chosen. */
function chosenIn(query: URLSearchParams): Record<string, string | null> {
  const paired = PAIR_NAMES.every((name) => query.get(name))
  return {
    group_by: groupingOf(query),
    ...pick(query, REPORT_NAMES),
    ...(paired && pick(query, PAIR_NAMES)),
    seed: query.get('seed'),
  }
}

/** The report that the address names. */
export const reportOf = (query: URLSearchParams): Given<'getReport'> => ({
  query: queryOf<'getReport'>(chosenIn(query)),
})

/** The address of the same report as CSV. */
export const reportFile = (query: URLSearchParams): string =>
  withQuery('/v1/reports', { ...chosenIn(query), format: 'csv' })

const pick = (query: URLSearchParams, names: readonly string[]): Record<string, string | null> =>
  Object.fromEntries(names.map((name) => [name, query.get(name)]))

/** Renders the filters of a report in words, for its head and for a paper. */
export const selectionWords = (query: URLSearchParams): readonly (readonly [string, string])[] =>
  [...REPORT_NAMES.slice(2), ...PAIR_NAMES].flatMap((name) => {
    const value = query.get(name)
    return value === null || value === '' ? [] : [[name.replace('_', ' '), value] as const]
  })
