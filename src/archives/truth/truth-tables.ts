import type { Issue } from '../../domain/result.ts'
import type { NamedTruth, TruthRow } from './truth-row.ts'

export interface FoundTruth {
  readonly truth: TruthRow
  /** What its row says for the metadata of the trial, and what that of the task says besides. */
  readonly metadata: NamedTruth['metadata']
  /** What the row is joined by; `all` is the one row that names neither a task nor a trial. */
  readonly by: 'trial' | 'task' | 'all'
  /** The name in the row; empty for `all`. */
  readonly name: string
  /** What the task's own row knows and this row of the trial does not: a row is taken whole. */
  readonly dropped: readonly string[]
}

/** What is known of tasks and trials. */
export interface GroundTruths {
  /** The file, as given. */
  readonly source: string
  readonly tasks: readonly string[]
  readonly trials: readonly string[]
  /** Exact names, the most telling first. A trial's own row comes before its task's, and that before the one for all. */
  find(names: { readonly trials: readonly string[]; readonly tasks: readonly string[] }): FoundTruth | null
}

/** The rows of a trial's name: one that names a task too is true of the trial of that name in this task only. */
interface TrialRows {
  free: NamedTruth | null
  readonly ofTask: Map<string, NamedTruth>
}

interface Tables {
  readonly trials: ReadonlyMap<string, TrialRows>
  readonly tasks: ReadonlyMap<string, NamedTruth>
  readonly all: NamedTruth | null
}

/** The rows of a file by their names; a name that is there twice is an issue. */
export function tablesOf(named: readonly { at: string; row: NamedTruth }[], issues: Issue[]): Tables {
  const trials = new Map<string, TrialRows>()
  const tasks = new Map<string, NamedTruth>()
  const first = new Map<string, string>()
  let all: NamedTruth | null = null
  for (const { at, row } of named) {
    const { task, trial } = row
    if (task === null && trial === null) {
      if (named.length > 1) issues.push({ path: at, message: 'names neither a task nor a trial' })
      all = row
      continue
    }
    const key = told(task, trial)
    const before = first.get(key)
    if (before !== undefined) issues.push({ path: at, message: `${key} is at ${before} already` })
    else first.set(key, at)
    if (trial === null) {
      if (task !== null) tasks.set(task, row)
      continue
    }
    const rows = trials.get(trial) ?? { free: null, ofTask: new Map<string, NamedTruth>() }
    trials.set(trial, rows)
    if (task === null) rows.free = row
    else rows.ofTask.set(task, row)
  }
  return { trials, tasks, all }
}

/** What a row of a trial may leave to others: the run says what was asked, and what was measured of it. */
const OWN = new Set(['instruction', 'signals'])

const told = (task: string | null, trial: string | null): string =>
  [trial === null ? [] : [`trial ${JSON.stringify(trial)}`], task === null ? [] : [`task ${JSON.stringify(task)}`]]
    .flat()
    .join(' of ')

export function truthsIn(source: string, { trials, tasks, all }: Tables): GroundTruths {
  const ofTask = (names: readonly string[]): FoundTruth | null => {
    const name = names.find((one) => tasks.has(one))
    const row = name === undefined ? undefined : tasks.get(name)
    return name === undefined || row === undefined ? null : { ...foundIn(row), by: 'task', name }
  }
  const ofTrial = (names: Parameters<GroundTruths['find']>[0], task: FoundTruth | null): FoundTruth | null => {
    for (const name of names.trials) {
      const row = rowFor(trials.get(name), names.tasks)
      if (row === null) continue
      const { truth } = row
      const dropped = Object.keys(task?.truth ?? {}).filter((field) => !OWN.has(field) && truth[field] === undefined)
      return { truth, metadata: { ...task?.metadata, ...row.metadata }, by: 'trial', name, dropped }
    }
    return null
  }
  return {
    source,
    tasks: [...tasks.keys()],
    trials: [...trials.keys()],
    find: (names) => {
      const task = ofTask(names.tasks)
      return ofTrial(names, task) ?? task ?? (all === null ? null : { ...foundIn(all), by: 'all', name: '' })
    },
  }
}

const foundIn = ({ truth, metadata }: NamedTruth) => ({ truth, metadata, dropped: [] })

/** The row that names the trial's task, else the one that names none. Where nobody knows the task, a row of one counts if it is alone. */
function rowFor(rows: TrialRows | undefined, tasks: readonly string[]): NamedTruth | null {
  if (rows === undefined) return null
  for (const name of tasks) {
    const own = rows.ofTask.get(name)
    if (own !== undefined) return own
  }
  if (rows.free !== null) return rows.free
  const [only] = rows.ofTask.values()
  return tasks.length === 0 && rows.ofTask.size === 1 ? (only ?? null) : null
}
