import { useEffect, useState } from 'preact/hooks'
import { ask, type Given, queryOf, withQuery } from '../api.ts'
import { setQuery } from '../location.ts'
import type { GradeOverview } from '../types.ts'
import { type Filter, Filters, type Names, withNames } from '../ui/filters.tsx'
import type { Choice } from '../ui/parts.tsx'
import { GROUPING_WORDS, PAIRING_WORDS } from '../words.ts'
import { AGAINST_WORDS } from './scatter-figure.tsx'

const FILTERS: readonly Filter[] = [
  { name: 'judge', title: 'Judge' },
  { name: 'rubric', title: 'Rubric' },
  { name: 'batch', title: 'Batch' },
  { name: 'agent', title: 'Agent' },
  { name: 'model', title: 'Model' },
  { name: 'task', title: 'Task' },
  { name: 'variant', title: 'Variant' },
  { name: 'x', title: 'Plot T against', none: 'resolution', options: AGAINST_WORDS },
  { name: 'pair_by', title: 'Pair by', none: 'nothing', options: PAIRING_WORDS },
  { name: 'base', title: 'Base value' },
  { name: 'head', title: 'Head value' },
]

/** A report is of one judge and one rubric, unless it is grouped by judge. */
function withNone(filter: Filter, names: Names, grouping: string): Filter {
  const { name } = filter
  if ((name !== 'judge' && name !== 'rubric') || name === grouping) return filter
  return { ...filter, none: (names[name]?.length ?? 0) > 1 ? 'choose' : 'the only one' }
}

/** What the report is of. */
export function ReportForm({ query, names }: { readonly query: URLSearchParams; readonly names: Names }) {
  const filters = FILTERS.map((filter) => withNone(filter, names, groupingOf(query)))
  return (
    <>
      <Filters filters={withNames(filters, names)} query={query} />
      <search class="filters" aria-label="Groups">
        <div>
          <label htmlFor="group-by">Group by</label>
          <input
            id="group-by"
            list="groupings"
            placeholder="a field of the metadata"
            value={groupingOf(query)}
            onChange={(event) => setQuery({ group_by: event.currentTarget.value })}
          />
          <datalist id="groupings">
            {Object.entries(GROUPING_WORDS).map(([grouping, word]) => (
              <option key={grouping} value={grouping}>
                {word}
              </option>
            ))}
          </datalist>
        </div>
      </search>
    </>
  )
}

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

const SELECTED = ['judge', 'rubric', 'batch', 'agent', 'model', 'task'] as const

/**
 * Finds the choice that a report needs first; null: none. Undefined: not known yet. The service would refuse the report; the choice lists the
 * names beforehand.
 */
export function useChoice(query: URLSearchParams, overview: GradeOverview | null): Choice | null | undefined {
  const key = `${query}`
  const [found, setFound] = useState<{ readonly key: string; readonly choice: Choice | null } | null>(null)
  useEffect(() => {
    if (overview === null) return
    const stop = new AbortController()
    findChoice(query, overview, stop.signal).then(
      (choice) => setFound({ key, choice }),
      // The report itself says what is wrong.
      () => !stop.signal.aborted && setFound({ key, choice: null }),
    )
    return () => stop.abort()
  }, [key, overview])
  return found?.key === key ? found.choice : undefined
}

async function findChoice(
  query: URLSearchParams,
  { names }: GradeOverview,
  signal: AbortSignal,
): Promise<Choice | null> {
  // The overview cannot count by it: the service itself says what is to be chosen.
  if (query.get('variant')) return null
  const wanted = (['judge', 'rubric'] as const).filter(
    (name) => !query.get(name) && !(name === 'judge' && groupingOf(query) === 'judge'),
  )
  for (const name of wanted) {
    if (names[name].length < 2) continue
    const selected = Object.fromEntries(SELECTED.map((one) => [one, query.get(one)]))
    const options = await Promise.all(
      names[name].map(async (value) => {
        const asked = queryOf<'overviewGrades'>({ ...selected, [name]: value })
        return { value, grades: (await ask('overviewGrades', { query: asked }, signal)).total }
      }),
    )
    const fitting = options.filter(({ grades }) => grades > 0)
    if (fitting.length > 1) return { name, options: fitting }
  }
  return null
}
