import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { useLoad } from '../api.ts'
import { setQuery } from '../location.ts'
import { labelsOfRubric } from '../rubrics.ts'
import { visibleString } from '../text/visible-text.ts'
import type { Batch, GradeOverview, RubricView } from '../types.ts'
import { formatTime, optionsOf } from '../words.ts'

/** A filter of a list: a closed set of words, or any text. The query of the page and of the service has its name. */
export interface Filter {
  readonly name: string
  readonly title: string
  /** Value → word. Absent: any text. */
  readonly options?: Readonly<Record<string, string>>
  /** Values that the browser offers while a reader types any text. */
  readonly suggestions?: readonly Suggestion[]
  /** The word for no choice; `any` if absent. */
  readonly none?: string
}

interface Suggestion {
  readonly value: string
  /** The name that the reader sees and types in place of the value. */
  readonly word?: string
}

/** Makes filters by text, each with its name as its title. */
export const textFilters = (...names: readonly string[]): readonly Filter[] =>
  names.map((name) => ({ name, title: `${name.charAt(0).toUpperCase()}${name.slice(1)}` }))

/** The filters of a list, kept in the query; a narrow page opens them by a button. A choice starts the list again at its first page. */
export function Filters(props: { readonly filters: readonly Filter[]; readonly query: URLSearchParams }) {
  const { filters, query } = props
  const used = filters.filter(({ name }) => query.get(name))
  const [open, setOpen] = useState(false)
  const id = useId()
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
          <Named key={filter.name} id={`filter-${filter.name}`} title={filter.title}>
            <Field filter={filter} value={query.get(filter.name) ?? ''} />
          </Named>
        ))}
        <button
          type="button"
          disabled={used.length === 0}
          onClick={() => choose(filters.map(({ name }) => [name, null]))}
        >
          Clear
        </button>
      </search>
    </>
  )
}

const choose = (values: readonly (readonly [string, string | null])[]): void =>
  setQuery({ ...Object.fromEntries(values), cursor: null, page: null })

interface FieldProps {
  readonly filter: Filter
  readonly value: string
}

function Field({ filter, value }: FieldProps) {
  const { name, options, none = 'any' } = filter
  if (options === undefined) return <TextField filter={filter} value={value} />
  const words: Options = [['', none], ...Object.entries(options)]
  return <Select id={`filter-${name}`} value={value} options={words} onChoose={(option) => choose([[name, option]])} />
}

/** Values with their words. */
type Options = readonly (readonly [string, string])[]

interface SelectProps {
  readonly id: string
  readonly value: string
  /** A chosen value beyond the options stands for itself. */
  readonly options: Options
  readonly onChoose: (value: string) => void
}

/** A list of words to choose from. */
export const Select = ({ id, value, options, onChoose }: SelectProps) => (
  <select id={id} value={value} onChange={(event) => onChoose(event.currentTarget.value)}>
    {(options.some(([option]) => option === value) ? options : [...options, [value, value]]).map(([option, word]) => (
      <option key={option} value={option}>
        {visibleString(word)}
      </option>
    ))}
  </select>
)

/** A named field of a form of filters. */
export const Named = (props: { readonly id: string; readonly title: string; readonly children: ComponentChildren }) => (
  <div>
    <label htmlFor={props.id}>{props.title}</label>
    {props.children}
  </div>
)

const PAUSE_MS = 300

/** Tells whether a text has visible characters alone: the list of the browser cannot mark others. */
const isPlain = (text: string): boolean => visibleString(text) === text

/** Finds the word of a value; values without a word stand for themselves. */
export const wordOf = (suggestions: readonly Suggestion[] = [], value: string): string =>
  suggestions.find((suggestion) => suggestion.value === value)?.word ?? value

/** A field for any text or the word of a suggestion, which counts once the typing rests, or with Enter. */
function TextField({ filter: { name, suggestions = [], none = 'any' }, value }: FieldProps) {
  const id = `filter-${name}`
  const word = wordOf(suggestions, value)
  const [typed, setTyped] = useState(word)
  const read = (text: string) => suggestions.find((suggestion) => suggestion.word === text)?.value ?? text
  useEffect(() => setTyped(word), [word])
  useEffect(() => {
    const next = read(typed.trim())
    if (next === value) return
    const timer = setTimeout(() => choose([[name, next]]), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <>
      <input
        id={id}
        type="search"
        list={suggestions.length > 0 ? `${id}-known` : undefined}
        value={typed}
        placeholder={none}
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Enter' && choose([[name, read(event.currentTarget.value.trim())]])}
      />
      {suggestions.length > 0 && (
        <datalist id={`${id}-known`}>
          {suggestions
            .map((suggestion) => suggestion.word ?? suggestion.value)
            .filter(isPlain)
            .map((shown) => (
              <option key={shown} value={shown} />
            ))}
        </datalist>
      )}
    </>
  )
}

/** Reads the chosen filters for the query of the service. */
export const readFilters = (filters: readonly Filter[], query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(filters.flatMap(({ name }) => (query.get(name) ? [[name, query.get(name) ?? '']] : [])))

/** Names of stored things, for the suggestions of filters. */
export interface Names extends Partial<GradeOverview['names']> {
  readonly batch?: readonly Suggestion[]
}

const NOTHING: Names = {}

/** Lists the names in all stored grades, and the newest batches. */
export function useNames(overview: GradeOverview | null): Names {
  const batches = useLoad('listBatches', { query: { limit: 200 } })
  if (overview === null) return NOTHING
  return { ...overview.names, ...(batches.value && { batch: batchWords(batches.value.items) }) }
}

/** Names batches, newest first; of equal names all but the newest say when they were made. */
export const batchWords = (batches: readonly Batch[]): readonly Suggestion[] =>
  batches.map(({ id, name, created_at }, place) => {
    if (name === null) return { value: id }
    const isNewest = batches.findIndex((batch) => batch.name === name) === place
    return { value: id, word: isNewest ? name : `${name} · ${formatTime(created_at)}` }
  })

/** Adds the names to the filters: judges and rubrics are few, and options; there may be more of the others than are listed. */
export const withNames = (filters: readonly Filter[], names: Names): readonly Filter[] =>
  filters.map((filter) => {
    const { name } = filter
    if (name === 'judge' || name === 'rubric')
      return { ...filter, options: Object.fromEntries((names[name] ?? []).map((value) => [value, value])) }
    if (name === 'agent' || name === 'model' || name === 'task')
      return { ...filter, suggestions: (names[name] ?? []).map((value) => ({ value })) }
    return name === 'batch' ? { ...filter, suggestions: names.batch ?? [] } : filter
  })

/** Adds the labels to the filter of labels. */
export const withLabels = (filters: readonly Filter[], labels: readonly string[]): readonly Filter[] =>
  filters.map((filter) => (filter.name === 'label' ? { ...filter, options: optionsOf(labels) } : filter))

/** Lists the labels of the rubrics, then other labels with a count. */
export function labelsToChoose(
  rubrics: readonly RubricView[],
  occurring: readonly string[],
  counts: Readonly<Record<string, number | undefined>>,
): readonly string[] {
  const others = Object.keys(counts).filter((label) => (counts[label] ?? 0) > 0)
  return [...new Set([...occurring.flatMap((name) => labelsOfRubric(rubrics, name)), ...others])]
}
