import type { TrialItem } from '../../src/archives/trials/reading-job.ts'
import { safeText } from '../../src/archives/unpack/names.ts'
import { codeOf, type Place, readText } from '../../src/archives/unpack/place.ts'
import type { HumanLabel } from '../../src/cli/commands/labelled-commands.ts'
import type { Issue } from '../../src/domain/result.ts'
import { parseJson } from '../../src/domain/text/json.ts'
import { isRecord, type Json, type ReadLimits } from '../../src/formats/common/reading.ts'
import { readTrajectory } from '../../src/formats/read.ts'
import type { GradeRequest } from '../../src/schemas/trial.ts'

/** A run that people labelled, as a trial that can be graded, with what they said of it. */
export interface LabelledTrial {
  readonly kind: 'labelled'
  readonly trial: Extract<TrialItem, { kind: 'trial' }>
  readonly human: HumanLabel
  /** Which part of the data it belongs to, where that has several; they are measured apart, too. */
  readonly group: string | null
}

/** Everything that is found is answered: what cannot be used comes as skipped, with its place. */
export type LabelledItem = LabelledTrial | Extract<TrialItem, { kind: 'skipped' }>

export interface LabelledOptions {
  readonly limits: { readonly max_file_bytes: number; readonly max_line_bytes: number; readonly read: ReadLimits }
  readonly abort?: AbortSignal | undefined
}

/** A fault of the data, with its place as a JSON pointer. */
export class LabelFault extends Error {
  readonly path: string
  constructor(path: string, message: string) {
    super(message)
    this.path = path
  }
}

export function field(record: Json, name: string, path: string): Json[string] {
  if (!Object.hasOwn(record, name)) throw new LabelFault(`${path}/${name}`, 'is missing')
  return record[name]
}

export function textField(record: Json, name: string, path: string): string {
  const value = field(record, name, path)
  if (typeof value !== 'string') throw new LabelFault(`${path}/${name}`, 'must be text')
  return value
}

export function listField(record: Json, name: string, path: string): Json[] {
  return listOf(field(record, name, path), `${path}/${name}`)
}

export function listOf(value: unknown, path: string): Json[] {
  if (!Array.isArray(value)) throw new LabelFault(path, 'must be an array')
  return value.map((one: unknown, index) => recordOf(one, `${path}/${index}`))
}

export function recordOf(value: unknown, path: string): Json {
  if (!isRecord(value)) throw new LabelFault(path, 'must be an object')
  return value
}

/** A whole number, or the text of one: both stand in the data. */
export function numberField(record: Json, name: string, path: string): number {
  const value = field(record, name, path)
  const number = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
  if (typeof number !== 'number' || !Number.isSafeInteger(number) || number < 0)
    throw new LabelFault(`${path}/${name}`, 'must be a whole number from 0')
  return number
}

/** A JSON file, up to a size. Throws a `LabelFault`. */
export async function readJsonFile(place: Place, { limits }: LabelledOptions): Promise<unknown> {
  let read: Awaited<ReturnType<typeof readText>>
  try {
    read = await readText(place, limits.max_file_bytes)
  } catch (error) {
    throw new LabelFault('', `cannot be read: ${codeOf(error)}`)
  }
  if (read.kind !== 'read') throw new LabelFault('', `cannot be read: ${read.detail}`)
  const value = parseJson(read.text)
  if (value === undefined) throw new LabelFault('', 'is not JSON')
  return value
}

export interface Converted {
  readonly request: GradeRequest
  readonly human: HumanLabel
  readonly group: string | null
}

export const skippedItem = (name: string, { shown }: Place, { path, message }: Issue): LabelledItem => ({
  ...{ kind: 'skipped', name, source: safeText(shown), reason: 'unreadable' },
  detail: `${path}${path === '' ? '' : ': '}${message}`,
})

/** One run of a file; a fault of it skips it, with its place. */
export function labelledItem(
  name: string,
  place: Place,
  options: LabelledOptions,
  make: () => Converted,
): LabelledItem {
  try {
    const { request, human, group } = make()
    const read = readTrajectory(request.trajectory, options.limits.read)
    if (!read.ok) {
      const [issue] = read.error
      const message = issue?.message ?? 'cannot be read'
      return skippedItem(name, place, { path: `/trajectory${issue?.path ?? ''}`, message })
    }
    const source = safeText(place.shown)
    const trial = { kind: 'trial', name, source, request, trajectory: read.value, warnings: [] } as const
    return { kind: 'labelled', trial, human, group }
  } catch (error) {
    if (error instanceof LabelFault) return skippedItem(name, place, error)
    throw error
  }
}

/** Data sets that are read as their authors publish them, and what of each is read. */
export const DATASETS = {
  'who-and-when': 'Who&When: failed runs of teams of agents (failure-attribution@1)',
  agentrx: 'AgentRx: failed runs of Magentic-One and of τ-bench retail (failure-attribution@1)',
  assebench: 'ASSEBench: runs with a planted instruction, which the judge has to find (injection@1)',
  'assebench-planted': 'those whose description quotes the instruction: the judge is told it (injection@1)',
} as const
export type Dataset = keyof typeof DATASETS
