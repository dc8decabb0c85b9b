import type { Issue } from '../../domain/result.ts'
import type { NamedTruth, TruthRow } from './truth-row.ts'

export interface FoundTruth {
  readonly truth: TruthRow
  /** What the row is joined by; `all` is the one row that names neither a task nor a trial. */
  readonly by: 'trial' | 'task' | 'all'
  /** The name in the row; empty for `all`. */
  readonly name: string
  /** The variant that the row names. */
  readonly variant: string | null
  /** For the metadata of its trials. */
  readonly metadata: NamedTruth['metadata']
  /** What the task's own row knows and this row of the trial does not: a row is taken whole. */
  readonly dropped: readonly string[]
}

/** What a trial, or a task's folder, is called: exact names, the most telling first. */
export interface TruthNames {
  readonly trials: readonly string[]
  readonly tasks: readonly string[]
  /** Absent: it is not said which variant it is of. */
  readonly variant?: string | undefined
}

/** What is known of tasks and trials. */
export interface GroundTruths {
  /** The file, as given. */
  readonly source: string
  readonly tasks: readonly string[]
  readonly trials: readonly string[]
  /** A trial's own row comes before its task's, and that before the one for all; of each, the one of its variant before one of none. */
  find(names: TruthNames): FoundTruth | null
  /** Every row that names the task, of all its trials and variants, in the order of the file. */
  rowsOf(tasks: readonly string[]): readonly TruthRow[]
}

/** Rows of one name: one for each variant, and one that names none. */
interface VariantRows {
  free: NamedTruth | null
  readonly of: Map<string, NamedTruth>
}

/** The rows of a trial's name: one that names a task too is true of the trial of that name in this task only. */
interface TrialRows {
  readonly free: VariantRows
  readonly ofTask: Map<string, VariantRows>
}

interface Tables {
  readonly trials: ReadonlyMap<string, TrialRows>
  readonly tasks: ReadonlyMap<string, VariantRows>
  readonly all: NamedTruth | null
  readonly named: readonly NamedTruth[]
}

const noRows = (): VariantRows => ({ free: null, of: new Map() })

function rowsAt(rows: Map<string, VariantRows>, name: string): VariantRows {
  const known = rows.get(name) ?? noRows()
  rows.set(name, known)
  return known
}

function put(rows: VariantRows, row: NamedTruth): void {
  if (row.variant === null) rows.free = row
  else rows.of.set(row.variant, row)
}

/** The row of the variant, else the one that names none. Where the variant is not known, a row of one counts if it is alone. */
function pick(rows: VariantRows | undefined, variant: string | undefined): NamedTruth | null {
  if (rows === undefined) return null
  const own = variant === undefined ? undefined : rows.of.get(variant)
  if (own !== undefined) return own
  if (rows.free !== null) return rows.free
  const [only] = rows.of.values()
  return variant === undefined && rows.of.size === 1 && only !== undefined ? only : null
}

/** The rows of a file by their names; a name that is there twice is an issue. */
export function tablesOf(named: readonly { at: string; row: NamedTruth }[], issues: Issue[]): Tables {
  const trials = new Map<string, TrialRows>()
  const tasks = new Map<string, VariantRows>()
  const first = new Map<string, string>()
  let all: NamedTruth | null = null
  for (const { at, row } of named) {
    const { task, trial } = row
    if (task === null && trial === null) {
      if (named.length > 1) issues.push({ path: at, message: 'names neither a task nor a trial' })
      all = row
      continue
    }
    const key = told(row)
    const before = first.get(key)
    if (before !== undefined) issues.push({ path: at, message: `${key} is at ${before} already` })
    else first.set(key, at)
    if (trial === null) {
      if (task !== null) put(rowsAt(tasks, task), row)
      continue
    }
    const rows = trials.get(trial) ?? { free: noRows(), ofTask: new Map<string, VariantRows>() }
    trials.set(trial, rows)
    put(task === null ? rows.free : rowsAt(rows.ofTask, task), row)
  }
  return { trials, tasks, all, named: named.map(({ row }) => row) }
}

/** What a row of a trial may leave to others: the run says what was asked, and what was measured of it. */
const OWN = new Set(['instruction', 'signals', 'expected_in'])

function told({ task, trial, variant }: NamedTruth): string {
  const ofTask = task === null ? '' : `task ${JSON.stringify(task)}`
  const ofTrial = trial === null ? ofTask : `trial ${JSON.stringify(trial)}${ofTask && ` of ${ofTask}`}`
  return variant === null ? ofTrial : `${ofTrial}, variant ${JSON.stringify(variant)}`
}

const foundIn = ({ truth, variant, metadata }: NamedTruth) => ({ truth, variant, metadata, dropped: [] as string[] })

export function truthsIn(source: string, { trials, tasks, all, named }: Tables): GroundTruths {
  const ofTask = ({ tasks: names, variant }: TruthNames): FoundTruth | null => {
    for (const name of names) {
      const picked = pick(tasks.get(name), variant)
      if (picked !== null) return { ...foundIn(picked), by: 'task', name }
    }
    return null
  }
  const ofTrial = (names: TruthNames, task: FoundTruth | null): FoundTruth | null => {
    for (const name of names.trials) {
      const picked = rowFor(trials.get(name), names)
      if (picked === null) continue
      const fields = Object.keys(task?.truth ?? {})
      const dropped = fields.filter((field) => !OWN.has(field) && picked.truth[field] === undefined)
      const metadata = { ...task?.metadata, ...picked.metadata }
      return { ...foundIn(picked), metadata, by: 'trial', name, dropped }
    }
    return null
  }
  const ofAll = (variant: string | undefined): FoundTruth | null =>
    all === null || (all.variant !== null && variant !== undefined && all.variant !== variant)
      ? null
      : { ...foundIn(all), by: 'all', name: '' }
  return {
    source,
    tasks: [...tasks.keys()],
    trials: [...trials.keys()],
    find: (names) => {
      const task = ofTask(names)
      return ofTrial(names, task) ?? task ?? ofAll(names.variant)
    },
    rowsOf: (names) => named.flatMap(({ task, truth }) => (task !== null && names.includes(task) ? [truth] : [])),
  }
}

/** The row that names the trial's task, else the one that names none. Where the task is not known, a row of one counts if it is alone. */
function rowFor(rows: TrialRows | undefined, { tasks, variant }: TruthNames): NamedTruth | null {
  if (rows === undefined) return null
  for (const name of tasks) {
    const own = pick(rows.ofTask.get(name), variant)
    if (own !== null) return own
  }
  const free = pick(rows.free, variant)
  if (free !== null) return free
  const [only] = rows.ofTask.values()
  return tasks.length === 0 && rows.ofTask.size === 1 ? pick(only, variant) : null
}
