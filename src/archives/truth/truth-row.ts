import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { isRecord, type Json, typeName } from '../../formats/common/reading.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type GivenTruth, isBlank, isDefaultRubric, truthSchemaFor } from '../../schemas/ground-truth.ts'

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

/**
 * Parses one row: `{"task": "fix-git", "instruction": "…", "cue": "…", "distractor": {"text": "…", "anchors": […]}, "signals": {…}}`.
 * Unknown fields, empty names and all that the schema of ground truths refuses are issues, with `at` before their pointers.
 */
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
  const metadata = Object.fromEntries(
    METADATA_FIELDS.flatMap((field) => {
      const value = nameOf(field)
      if (value !== null && value.length > MOST_CHARS)
        issues.push({ path: placeOf(at, `/${field}`), message: `must have at most ${MOST_CHARS} characters` })
      return value === null ? [] : [[field, value]]
    }),
  )
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
