import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { isRecord, type Json, typeName } from '../../formats/common/reading.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type GivenTruth, isBlank, isDefaultRubric, truthSchemaFor } from '../../schemas/trial.ts'

/** The ground truth of a trial, possibly without the instruction, which the run's own file may hold. */
export type TruthRow = GivenTruth

export interface NamedTruth {
  readonly task: string | null
  readonly trial: string | null
  readonly variant: string | null
  /** The categories of a row's trials: for their metadata, never for the judge. */
  readonly metadata: Readonly<Record<string, string>>
  readonly truth: TruthRow
}

/** Fields by which reports group. */
const METADATA_FIELDS: readonly string[] = ['domain', 'subcategory']
const NAME_FIELDS = new Set(['task', 'trial', 'variant', ...METADATA_FIELDS])
const MOST_CHARS = 300
/** Stands for an instruction that the row leaves to the run, so that the same schema checks the rest. */
const LEFT_OUT = '-'

/** Parses a row like `{"task": "fix-git", "cue": "…", "signals": {…}}`. Issues have `at` before their pointers. */
export function parseTruthRow(row: unknown, at: string, rubric?: string): Result<NamedTruth, Issue[]> {
  if (!isRecord(row)) return err([{ path: at, message: `must be an object, not ${typeName(row)}` }])
  const issues: Issue[] = []
  const nameOf = (field: string): string | null => {
    const name = row[field]
    if (name === undefined || name === null) return null
    if (typeof name === 'string' && name !== '') return name
    issues.push({ path: placeOf(at, `/${field}`), message: 'must be a text' })
    return null
  }
  const task = nameOf('task')
  const trial = nameOf('trial')
  const variant = nameOf('variant')
  const metadata: Record<string, string> = {}
  for (const field of METADATA_FIELDS) {
    const value = nameOf(field)
    if (value !== null && value.length > MOST_CHARS)
      issues.push({ path: placeOf(at, `/${field}`), message: `must have at most ${MOST_CHARS} characters` })
    if (value !== null) metadata[field] = value
  }
  const members = Object.fromEntries(
    Object.entries(row).filter(([field, value]) => !NAME_FIELDS.has(field) && value !== null),
  )
  const checked = members['instruction'] === undefined ? { ...members, instruction: LEFT_OUT } : members
  for (const { path, message } of inputIssues(truthSchemaFor(rubric), checked))
    issues.push({ path: placeOf(at, path), message })
  return issues.length > 0 ? err(issues) : ok({ task, trial, variant, metadata, truth: members as TruthRow })
}

/** Returns the place of an issue: `line 7` with a pointer into the line, or one pointer into the file. */
const placeOf = (at: string, pointer: string): string =>
  at.startsWith('line ') && pointer !== '' ? `${at}, ${pointer}` : `${at}${pointer}`

/** Completes a row to the ground truth of a run. Null: the user's request is not known. */
export function completeTruth(row: TruthRow, instruction: string | undefined, rubric?: string): GivenTruth | null {
  const asked = row.instruction ?? instruction
  if (asked === undefined || isBlank(asked)) return isDefaultRubric(rubric) ? null : row
  return { ...row, instruction: asked }
}

/** Tells whether an object is one row, rather than rows by task. */
export const isTruthRow = (value: Json): boolean =>
  'instruction' in value || isInstruction(value['cue']) || isInstruction(value['distractor'])

const isInstruction = (value: unknown): boolean =>
  typeof value === 'string' || (isRecord(value) && typeof value['text'] === 'string')

export interface MatchedTruth {
  readonly truth: TruthRow
  /** The key that joined the row; `all` is the single row that names neither a task nor a trial. */
  readonly by: 'trial' | 'task' | 'all'
  /** The name in the row; empty for `all`. */
  readonly name: string
  /** The variant that the row names. */
  readonly variant: string | null
  /** Categories for the metadata of its trials. */
  readonly metadata: NamedTruth['metadata']
  /** Fields that the task's row has and this row of the trial lacks: a row is used whole. */
  readonly dropped: readonly string[]
}

/** Exact names of a trial, or of a task's folder, the most specific first. */
export interface TruthNames {
  readonly trials: readonly string[]
  readonly tasks: readonly string[]
  /** Absent where the variant is not known. */
  readonly variant?: string | undefined
}

/** The ground truths of a file, by task and trial. */
export interface GroundTruths {
  /** The file, as requested. */
  readonly source: string
  readonly tasks: readonly string[]
  readonly trials: readonly string[]
  /** Finds the row of a trial: the trial's own, then its task's, then that for all; among them the row of the variant first. */
  find(names: TruthNames): MatchedTruth | null
  /** Lists every row of a task, of all its trials and variants, in order of the file. */
  rowsOf(tasks: readonly string[]): readonly TruthRow[]
}

/** Returns the row of the variant, else the row without a variant. For an unknown variant the only row counts. */
function pick(rows: readonly NamedTruth[], variant: string | undefined): NamedTruth | null {
  const [only, ...others] = rows
  const free = rows.find((row) => row.variant === null)
  const own = variant === undefined ? undefined : rows.find((row) => row.variant === variant)
  return own ?? free ?? (variant === undefined && others.length === 0 && only !== undefined ? only : null)
}

/** Returns the row of the trial’s task, else the row without a task. A row of `rows`, the trial’s name, may be bound to a task. */
function rowFor(rows: readonly NamedTruth[], { tasks, variant }: TruthNames): NamedTruth | null {
  const byTask = Map.groupBy(rows, ({ task }) => task)
  for (const name of [...tasks, null]) {
    const own = pick(byTask.get(name) ?? [], variant)
    if (own !== null) return own
  }
  byTask.delete(null)
  const [only = []] = byTask.values()
  return tasks.length === 0 && byTask.size === 1 ? pick(only, variant) : null
}

/** Adds an issue for each row of a file that repeats a name, and for a row without a name that is not the only row. */
export function findRepeated(named: readonly { at: string; row: NamedTruth }[], issues: Issue[]): void {
  const first = new Map<string, string>()
  for (const { at, row } of named) {
    const key = labelOf(row)
    const before = first.get(key)
    if (key === '') {
      if (named.length > 1) issues.push({ path: at, message: 'names neither a task nor a trial' })
    } else if (before !== undefined) issues.push({ path: at, message: `${key} is at ${before} already` })
    else first.set(key, at)
  }
}

/** Fields that a trial's row may omit: the run itself tells the instruction, and the signals are measured. */
const OWN = new Set(['instruction', 'signals', 'expected_in'])

function labelOf({ task, trial, variant }: NamedTruth): string {
  const ofTask = task === null ? '' : `task ${JSON.stringify(task)}`
  const ofTrial = trial === null ? ofTask : `trial ${JSON.stringify(trial)}${ofTask && ` of ${ofTask}`}`
  return variant === null || ofTrial === '' ? ofTrial : `${ofTrial}, variant ${JSON.stringify(variant)}`
}

const foundIn = ({ truth, variant, metadata }: NamedTruth) => ({ truth, variant, metadata, dropped: [] as string[] })

/** Indexes the rows of a file by their names. */
export function truthsIn(source: string, named: readonly NamedTruth[]): GroundTruths {
  const trials = Map.groupBy(named, ({ trial }) => trial)
  const tasks = Map.groupBy(trials.get(null) ?? [], ({ task }) => task)
  const [all] = tasks.get(null) ?? []
  const ofTask = ({ tasks: names, variant }: TruthNames): MatchedTruth | null => {
    for (const name of names) {
      const picked = pick(tasks.get(name) ?? [], variant)
      if (picked !== null) return { ...foundIn(picked), by: 'task', name }
    }
    return null
  }
  const ofTrial = (names: TruthNames, task: MatchedTruth | null): MatchedTruth | null => {
    for (const name of names.trials) {
      const picked = rowFor(trials.get(name) ?? [], names)
      if (picked === null) continue
      const fields = Object.keys(task?.truth ?? {})
      const dropped = fields.filter((field) => !OWN.has(field) && picked.truth[field] === undefined)
      const metadata = { ...task?.metadata, ...picked.metadata }
      return { ...foundIn(picked), metadata, by: 'trial', name, dropped }
    }
    return null
  }
  const ofAll = (variant: string | undefined): MatchedTruth | null =>
    all === undefined || (all.variant !== null && variant !== undefined && all.variant !== variant)
      ? null
      : { ...foundIn(all), by: 'all', name: '' }
  const namesOf = (rows: ReadonlyMap<string | null, unknown>) => [...rows.keys()].filter((name) => name !== null)
  return {
    source,
    tasks: namesOf(tasks),
    trials: namesOf(trials),
    find: (names) => {
      const task = ofTask(names)
      return ofTrial(names, task) ?? task ?? ofAll(names.variant)
    },
    rowsOf: (names) => named.flatMap(({ task, truth }) => (task !== null && names.includes(task) ? [truth] : [])),
  }
}
