import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { setQuery } from '../location.ts'

/** One thing to filter by: a closed set of words, or any text. Its name is the one in the query of page and service. */
export interface Filter {
  readonly name: string
  readonly title: string
  /** Value → word. Absent: any text. */
  readonly options?: Readonly<Record<string, string>>
}

/** The filters of a list, kept in the query. A choice starts the list again at its first page. */
export function Filters(props: { readonly filters: readonly Filter[]; readonly query: URLSearchParams }): JSX.Element {
  const { filters, query } = props
  const used = filters.filter(({ name }) => query.get(name))
  const choose = (name: string, value: string) => setQuery({ [name]: value, ...FIRST_PAGE })
  return (
    <search class="filters" aria-label="Filters">
      {filters.map((filter) => (
        <div key={filter.name}>
          <label htmlFor={`filter-${filter.name}`}>{filter.title}</label>
          <Field
            filter={filter}
            value={query.get(filter.name) ?? ''}
            onChoose={(value) => choose(filter.name, value)}
          />
        </div>
      ))}
      <button
        type="button"
        disabled={used.length === 0}
        onClick={() => setQuery({ ...Object.fromEntries(filters.map(({ name }) => [name, null])), ...FIRST_PAGE })}
      >
        Clear
      </button>
    </search>
  )
}

interface FieldProps {
  readonly filter: Filter
  readonly value: string
  readonly onChoose: (value: string) => void
}

const PAUSE_MS = 300

function Field({ filter, value, onChoose }: FieldProps): JSX.Element {
  const id = `filter-${filter.name}`
  if (filter.options === undefined) return <TextField id={id} value={value} onChoose={onChoose} />
  return (
    <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">any</option>
      {Object.entries(filter.options).map(([option, word]) => (
        <option key={option} value={option}>
          {word}
        </option>
      ))}
    </select>
  )
}

interface TextFieldProps {
  readonly id: string
  readonly value: string
  readonly onChoose: (value: string) => void
}

/** What is typed counts once the typing rests, or with Enter. */
function TextField({ id, value, onChoose }: TextFieldProps): JSX.Element {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(() => onChoose(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <input
      id={id}
      type="search"
      value={typed}
      placeholder="any"
      onInput={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={(event) => event.key === 'Enter' && onChoose(event.currentTarget.value.trim())}
    />
  )
}

/** The chosen filters as the service wants them. */
export const readFilters = (filters: readonly Filter[], query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(filters.flatMap(({ name }) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))

const FIRST_PAGE = { cursor: null, page: null }
