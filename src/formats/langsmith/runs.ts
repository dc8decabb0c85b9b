import { idText, isAbsent, isRecord, type Json, pointer, timeOf } from '../common/reading.ts'
import { asList, asText } from '../common/session.ts'
import { listIn } from '../format.ts'

/** One run of a trace: a span, as LangSmith keeps it (langsmith-sdk, python/langsmith/schemas.py, RunBase and Run). */
export interface PlacedRun {
  readonly run: Json
  readonly path: string
  readonly start: number | null
  readonly end: number | null
}

const MARKS = ['inputs', 'outputs', 'start_time', 'trace_id', 'child_runs', 'dotted_order'] as const

/** Whether a value is a run: its `run_type`, and at least two more of its members. */
export const isRun = (value: unknown): value is Json =>
  isRecord(value) && typeof value['run_type'] === 'string' && MARKS.filter((field) => field in value).length >= 2

/** The runs of a document: a tree, rows, or the answer of a query; null where it holds none. */
export const runsIn = (document: Json) =>
  listIn(document, ['records', 'runs'], (list) => list.some(isRun) && list.every((row) => !isRecord(row) || isRun(row)))

/** All runs, those inside of others too, in the order of their start where each says when that was; else as they stand. */
export function flattenRuns(roots: readonly { readonly run: Json; readonly path: string }[]): readonly PlacedRun[] {
  const placed: PlacedRun[] = []
  const open = [...roots].reverse()
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { run, path } = item
    placed.push({ run, path, start: timeOf(run['start_time']), end: timeOf(run['end_time']) })
    const children = asList(run['child_runs'])
    for (let index = children.length - 1; index >= 0; index--) {
      const child = children[index]
      if (isRecord(child)) open.push({ run: child, path: pointer(`${path}/child_runs`, index) })
    }
  }
  if (placed.some(({ start }) => start === null)) return placed
  // Two of one millisecond: `dotted_order` ends in a time of microseconds.
  return placed.sort((a, b) => (a.start ?? 0) - (b.start ?? 0) || compare(lastOf(a.run), lastOf(b.run)))
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

const lastOf = (run: Json): string => {
  const order = asText(run['dotted_order']) ?? ''
  return order.slice(order.lastIndexOf('.') + 1)
}

/** The trace that a row is of: its own id where it says none. */
export const traceOf = (run: Json): string => idText(run['trace_id']) ?? idText(run['id']) ?? ''

/** Whether a row is the root of its trace. */
export const isRoot = (run: Json): boolean => isAbsent(run['parent_run_id']) || run['parent_run_id'] === ''
