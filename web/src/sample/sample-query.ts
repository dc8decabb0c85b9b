import { queryOf } from '../api.ts'
import type { Grade } from '../api-types.ts'
import { type Filter, readFilters } from '../ui/filters.tsx'
import { type All, useAll } from '../use-all.ts'
import type { Load } from '../use-load.ts'
import { DRAW_DESIGNS, type DrawOptions } from './draw.ts'

/** Which grades are drawn from. */
export const SAMPLE_FILTERS: readonly Filter[] = [
  { name: 'judge', title: 'Judge' },
  { name: 'rubric', title: 'Rubric' },
  { name: 'agent', title: 'Agent' },
  { name: 'model', title: 'Model' },
  { name: 'task', title: 'Task' },
  { name: 'batch', title: 'Batch' },
]

/** More is not listed by a page. */
export const MOST_GRADES = 20_000
const DEFAULT_N = 50

export interface SampleQuery extends DrawOptions {
  /** Newest grade of the draw: later ones do not change it. Null: nothing was drawn yet. */
  readonly until: string | null
}

export function readSampleQuery(query: URLSearchParams): SampleQuery {
  const n = Number(query.get('n') ?? DEFAULT_N)
  return {
    design: DRAW_DESIGNS.find((design) => design === query.get('design')) ?? 'random',
    n: Number.isInteger(n) && n >= 1 && n <= 2000 ? n : DEFAULT_N,
    seed: query.get('seed') ?? '1',
    until: query.get('until'),
  }
}

/** All graded ones that fit. */
export const useGraded = (query: URLSearchParams): Load<All<Grade>> =>
  useAll('listGrades', queryOf<'listGrades'>({ ...readFilters(SAMPLE_FILTERS, query), status: 'graded' }), MOST_GRADES)

/** Grade ids begin with their time. */
export const madeUntil = (grades: readonly Grade[], until: string | null): readonly Grade[] =>
  until === null ? grades : grades.filter(({ id }) => id <= until)
