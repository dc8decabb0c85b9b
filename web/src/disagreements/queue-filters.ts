import { KIND_WORDS } from '../audit-words.ts'
import type { Filter } from '../ui/filters.tsx'

const SETTLED: Readonly<Record<string, string>> = { false: 'not settled', true: 'settled' }

/** What the queue can be narrowed to; the names are those of `GET /v1/disagreements`. */
export const QUEUE_FILTERS: readonly Filter[] = [
  { name: 'kind', title: 'Kind', options: KIND_WORDS },
  { name: 'settled', title: 'Settled', options: SETTLED },
  { name: 'judge', title: 'Judge' },
  { name: 'rubric', title: 'Rubric' },
  { name: 'claim', title: 'Differ in claim' },
  { name: 'agent', title: 'Agent' },
  { name: 'model', title: 'Model' },
  { name: 'task', title: 'Task' },
  { name: 'batch', title: 'Batch' },
]
