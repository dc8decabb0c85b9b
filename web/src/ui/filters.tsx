import { useEffect, useId, useState } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { setQuery } from '../location.ts'
import { labelsOfRubric } from '../rubrics.ts'
import { visibleString } from '../text/visible-text.ts'
import type { GradeOverview, RubricView } from '../types.ts'
import { labelWords } from '../words.ts'

/** One thing to filter by: a closed set of words, or any text. Its name is the one in the query of page and service. */
export interface Filter {
  readonly name: string
  readonly title: string
  /** Value → word. Absent: any text. */
  readonly options?: Readonly<Record<string, string>>
  /** What is often wanted, offered while one types; any other text may stand there. */
  readonly suggestions?: readonly Suggestion[]
  /** The word for no choice; `any` if absent. */
  readonly none?: string
}

export interface Suggestion {
  readonly value: string
  readonly word?: string
}

/** The filters of a list, kept in the query; a narrow page shows them when asked. A choice starts the list again at its first page. */
export function Filters(props: { readonly filters: readonly Filter[]; readonly query: URLSearchParams }) {
  const { filters, query } = props
  const used = filters.filter(({ name }) => query.get(name))
  const [open, setOpen] = useState(false)
  const id = useId()
  const choose = (name: string, value: string) => setQuery({ [name]: value, ...FIRST_PAGE })
  return (
    <>
      <button
        type="button"
        class="filters-toggle"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
      >
        Filters{used.length > 0 && `: ${used.length} chosen`}
      </button>
      <search id={id} class="filters" aria-label="Filters">
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
    </>
  )
}

interface FieldProps {
  readonly filter: Filter
  readonly value: string
  readonly onChoose: (value: string) => void
}

const PAUSE_MS = 300

function Field({ filter, value, onChoose }: FieldProps) {
  const id = `filter-${filter.name}`
  const { options, suggestions = [], none = 'any' } = filter
  if (options === undefined) return <TextField id={id} value={value} suggestions={suggestions} onChoose={onChoose} />
  return (
    <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
      <option value="">{none}</option>
      {value !== '' && !(value in options) && <option value={value}>{visibleString(value)}</option>}
      {Object.entries(options).map(([option, word]) => (
        <option key={option} value={option}>
          {visibleString(word)}
        </option>
      ))}
    </select>
  )
}

interface TextFieldProps {
  readonly id: string
  readonly value: string
  readonly suggestions: readonly Suggestion[]
  readonly onChoose: (value: string) => void
}

/** The browser’s own list cannot mark what nobody sees: a name with such characters is not offered there. */
const isPlain = ({ value }: Suggestion): boolean => visibleString(value) === value

/** What is typed counts once the typing rests, or with Enter. */
function TextField({ id, value, suggestions, onChoose }: TextFieldProps) {
  const [typed, setTyped] = useState(value)
  useEffect(() => setTyped(value), [value])
  useEffect(() => {
    if (typed.trim() === value) return
    const timer = setTimeout(() => onChoose(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <>
      <input
        id={id}
        type="search"
        list={suggestions.length > 0 ? `${id}-known` : undefined}
        value={typed}
        placeholder="any"
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && onChoose(event.currentTarget.value.trim())}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-known`}>
          {suggestions.filter(isPlain).map((one) => (
            <option key={one.value} value={one.value} label={one.word && visibleString(one.word)} />
          ))}
        </datalist>
      )}
    </>
  )
}

/** The chosen filters as the service wants them. */
export const readFilters = (filters: readonly Filter[], query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(filters.flatMap(({ name }) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))

const FIRST_PAGE = { cursor: null, page: null }

/** Names of stored things, for the suggestions of filters. */
export interface Names extends Partial<GradeOverview['names']> {
  readonly batch?: readonly Suggestion[]
}

const NOTHING: Names = {}

/** The names in all stored grades, and the newest batches. */
export function useNames(overview: GradeOverview | null): Names {
  const batches = useLoad('listBatches', { query: { limit: 200 } })
  if (overview === null) return NOTHING
  const batch = batches.value?.items.map(({ id, name }) => ({ value: id, ...(name !== null && { word: name }) }))
  return { ...overview.names, ...(batch && { batch }) }
}

/** Judges and rubrics are few and chosen from a list; of the others there may be more than are listed. */
const CHOSEN = ['judge', 'rubric'] as const
const TYPED = ['agent', 'model', 'task'] as const

/** The filters with what there is to choose from. */
export const withNames = (filters: readonly Filter[], names: Names): readonly Filter[] =>
  filters.map((filter) => {
    const { name } = filter
    const chosen = CHOSEN.find((one) => one === name)
    if (chosen !== undefined)
      return { ...filter, options: Object.fromEntries((names[chosen] ?? []).map((one) => [one, one])) }
    const typed = TYPED.find((one) => one === name)
    if (typed !== undefined) return { ...filter, suggestions: (names[typed] ?? []).map((value) => ({ value })) }
    return name === 'batch' ? { ...filter, suggestions: names.batch ?? [] } : filter
  })

/** With the labels that there are to choose from: those of the rubrics that occur, then what else was given. */
export const withLabels = (filters: readonly Filter[], labels: readonly string[]): readonly Filter[] =>
  filters.map((filter) =>
    filter.name === 'label'
      ? { ...filter, options: Object.fromEntries(labels.map((one) => [one, labelWords(one)])) }
      : filter,
  )

export function labelsToChoose(
  rubrics: readonly RubricView[],
  occurring: readonly string[],
  given: Readonly<Record<string, number | undefined>>,
): readonly string[] {
  const others = Object.keys(given).filter((label) => (given[label] ?? 0) > 0)
  return [...new Set([...occurring.flatMap((name) => labelsOfRubric(rubrics, name)), ...others])]
}
