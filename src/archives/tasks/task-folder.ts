import type { TaskArea } from '../../domain/markers/check-task.ts'
import type { TruthRow } from '../truth/truth-row.ts'
import { findFile, findFolder, nameIn, type Place } from '../unpack/place.ts'
import { readText } from '../unpack/text.ts'

/** The folder of a task from which agents make runs: Harbor's, or that of Terminal-Bench 1. */
export interface TaskFolder {
  readonly place: Place
  /** Exact names by which a row of ground truth may refer to the task: the folder's, and that in its task.toml. */
  readonly names: readonly string[]
  readonly truth: TruthRow
  /** The variant that its row names. */
  readonly variant: string | null
  /** Every row that names the task: the other variants tell the omissions of an ablation. */
  readonly rows: readonly TruthRow[]
}

const MAX_TOML_BYTES = 1024 * 1024

/** Returns the names of a task by its folder; null for any other folder. */
export async function taskNamesIn(folder: Place): Promise<string[] | null> {
  const toml = await findFile(folder, 'task.toml')
  const yaml = (await findFile(folder, 'task.yaml')) ?? (await findFile(folder, 'task.yml'))
  const isBare = async (): Promise<boolean> =>
    (await findFile(folder, 'instruction.md')) !== null && (await findFolder(folder, 'environment')) !== null
  if (toml === null && yaml === null && !(await isBare())) return null
  const declared = toml === null ? null : await nameInToml(toml)
  const last = declared?.split('/').findLast((name) => name !== '')
  return [
    ...new Set([declared, last, nameIn(folder)].filter((name) => name !== null && name !== undefined && name !== '')),
  ] as string[]
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

/**
 * Classifies a path below a task's folder. In a task of several steps, each step has an instruction, tests and a solution of its own below
 * `steps/<name>`.
 */
export function areaOf(path: string): TaskArea {
  const names = path.split('/')
  const own = names[0] === 'steps' && names.length > 2 ? names.slice(2) : names
  const [first = ''] = own
  if (own.length > 1) return first === 'tests' ? 'tests' : first === 'solution' ? 'solution' : 'environment'
  if (PROMPTS.has(first)) return 'prompt'
  if (first === 'tests' || TESTS.has(first)) return 'tests'
  return first === 'solution' || SOLUTIONS.has(first) ? 'solution' : 'environment'
}
