import type { TaskArea } from '../../domain/markers/check-task.ts'
import { type Scope, skip, type TaskFolder, type TrialItem } from '../trials/reading-job.ts'
import { withTruthOf } from '../trials/trial-folder.ts'
import { findTruth } from '../trials/trial-join.ts'
import { shownName } from '../unpack/names.ts'
import { findFile, findFolder, nameIn, type Place, readText } from '../unpack/place.ts'

const MAX_TOML_BYTES = 1024 * 1024

/** Returns the names of a task by its folder; null for any other folder. */
export async function taskNamesIn(folder: Place): Promise<string[] | null> {
  const toml = await findFile(folder, 'task.toml')
  const yaml = (await findFile(folder, 'task.yaml')) ?? (await findFile(folder, 'task.yml'))
  const isBare = async (): Promise<boolean> =>
    (await findFile(folder, 'instruction.md')) !== null && (await findFolder(folder, 'environment')) !== null
  if (toml === null && yaml === null && !(await isBare())) return null
  const declared = (toml && (await nameInToml(toml))) ?? ''
  const last = declared.split('/').findLast((name) => name !== '') ?? ''
  return [...new Set([declared, last, nameIn(folder)])].filter((name) => name !== '')
}

/** Returns the name in `task.toml`: `name = "org/fix-git"` below `[task]`. */
async function nameInToml(file: Place): Promise<string | null> {
  const read = await readText(file, MAX_TOML_BYTES)
  if (read.kind !== 'read') return null
  let table = ''
  for (const line of read.text.split('\n')) {
    const text = line.trim()
    if (text.startsWith('[')) table = text
    const [key, ...rest] = text.split('=')
    const value = rest.join('=').trim()
    const end = value.indexOf(value[0] ?? '', 1)
    if (table === '[task]' && key?.trim() === 'name' && `"'`.includes(value[0] ?? ' ') && end > 1)
      return value.slice(1, end)
  }
  return null
}

const PROMPTS = new Set(['instruction.md', 'task.yaml', 'task.yml'])
const TESTS = new Set(['run-tests.sh', 'test.sh'])
const SOLUTIONS = new Set(['solution.sh', 'solution.yaml', 'solution.yml'])

/** Classifies a path below a task's folder; each step of a task of several has an instruction, tests and a solution below `steps/<name>`. */
export function areaOf(path: string): TaskArea {
  const names = path.split('/')
  const own = names[0] === 'steps' && names.length > 2 ? names.slice(2) : names
  const [first = ''] = own
  if (own.length > 1) return first === 'tests' ? 'tests' : first === 'solution' ? 'solution' : 'environment'
  if (PROMPTS.has(first)) return 'prompt'
  if (first === 'tests' || TESTS.has(first)) return 'tests'
  return first === 'solution' || SOLUTIONS.has(first) ? 'solution' : 'environment'
}

/** Passes a task's folder with its ground truth to `onTask`; a task without ground truth is skipped by name. */
export async function* readTask(
  scope: Scope,
  place: Place,
  names: readonly string[],
  onTask: (task: TaskFolder) => Promise<void>,
): AsyncGenerator<TrialItem> {
  const own = await withTruthOf(scope, place)
  if (own.skipped !== null) yield own.skipped
  const match = findTruth(own.scope, { tasks: names, trials: [] })
  if (match === null)
    return yield skip(scope, place, 'no_ground_truth', `nothing is known of task ${shownName(names[0] ?? '')}`)
  const { groundTruths } = scope.job.options
  const all = groundTruths === undefined ? own.scope.truths : [groundTruths, ...own.scope.truths]
  const rows = all.flatMap((truths) => truths.rowsOf(names))
  await onTask({ place, names, truth: match.truth, variant: match.variant, rows })
}
