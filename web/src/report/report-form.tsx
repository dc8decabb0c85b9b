import type { JSX } from 'preact'
import { GROUPING_WORDS, PAIRING_WORDS } from '../audit-words.ts'
import { setQuery } from '../location.ts'
import { type Filter, Filters } from '../ui/filters.tsx'
import { type Names, withNames } from '../use-names.ts'
import { groupingOf } from './report-query.ts'
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
export function ReportForm({ query, names }: { readonly query: URLSearchParams; readonly names: Names }): JSX.Element {
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
