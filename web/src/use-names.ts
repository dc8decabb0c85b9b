import type { GradeOverview, RubricView } from './api-types.ts'
import { labelsOfRubric } from './rubrics.ts'
import type { Filter, Suggestion } from './ui/filters.tsx'
import { useLoad } from './use-load.ts'
import { labelWords } from './words.ts'

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
