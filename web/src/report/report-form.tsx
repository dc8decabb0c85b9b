import type { JSX } from 'preact'
import type { List } from '../api-types.ts'
import type { Grouping } from '../audit-types.ts'
import { GROUPING_WORDS, PAIRING_WORDS } from '../audit-words.ts'
import { setQuery } from '../location.ts'
import { type Filter, Filters } from '../ui/filters.tsx'
import { useLoad } from '../use-load.ts'
import { AGAINST_WORDS } from './rate-figures.tsx'
import { groupingOf } from './report-query.ts'

const OTHERS: readonly Filter[] = [
  { name: 'batch', title: 'Batch' },
  { name: 'agent', title: 'Agent' },
  { name: 'model', title: 'Model' },
  { name: 'task', title: 'Task' },
  { name: 'variant', title: 'Variant' },
  { name: 'x', title: 'Against T', options: AGAINST_WORDS },
  { name: 'pair_by', title: 'Pair by', options: PAIRING_WORDS },
  { name: 'base', title: 'Base value' },
  { name: 'head', title: 'Head value' },
]

/** What the report is of. Judges and rubrics are suggested: what is stored may come from some that are not configured any more. */
export function ReportForm({ query }: { readonly query: URLSearchParams }): JSX.Element {
  const judges = useLoad<List<{ readonly name: string }>>('/v1/judges')
  const rubrics = useLoad<List<{ readonly name: string }>>('/v1/rubrics')
  return (
    <div data-export="no">
      <search class="filters" aria-label="Report">
        <Suggested
          name="judge"
          title="Judge"
          value={query.get('judge')}
          from={judges.value?.items.map(({ name }) => name)}
        />
        <Suggested
          name="rubric"
          title="Rubric"
          value={query.get('rubric')}
          from={rubrics.value?.items.map(({ name }) => name)}
        />
        <div>
          <label htmlFor="group-by">Group by</label>
          <select
            id="group-by"
            value={groupingOf(query)}
            onChange={(event) => setQuery({ group_by: event.currentTarget.value })}
          >
            {(Object.keys(GROUPING_WORDS) as Grouping[]).map((grouping) => (
              <option key={grouping} value={grouping}>
                {GROUPING_WORDS[grouping]}
              </option>
            ))}
          </select>
        </div>
      </search>
      <Filters filters={OTHERS} query={query} />
    </div>
  )
}

interface SuggestedProps {
  readonly name: string
  readonly title: string
  readonly value: string | null
  readonly from: readonly string[] | undefined
}

const Suggested = ({ name, title, value, from = [] }: SuggestedProps): JSX.Element => (
  <div>
    <label htmlFor={`report-${name}`}>{title}</label>
    <input
      id={`report-${name}`}
      list={`known-${name}`}
      value={value ?? ''}
      placeholder="the only one"
      onChange={(event) => setQuery({ [name]: event.currentTarget.value.trim() })}
    />
    <datalist id={`known-${name}`}>
      {from.map((one) => (
        <option key={one} value={one} />
      ))}
    </datalist>
  </div>
)
