import { err, type Issue, ok, type Result } from '../../domain/result.ts'
import { isRecord, type Json, typeName } from '../../formats/common/reading.ts'
import { inputIssues } from '../../schemas/check.ts'
import { type GivenTruth, isBlank, isDefaultRubric, truthSchemaFor } from '../../schemas/ground-truth.ts'

/** What is known of a trial but for what the user asked, which the run's own file may say. */
export type TruthRow = GivenTruth

export interface NamedTruth {
  readonly task: string | null
  readonly trial: string | null
  readonly variant: string | null
  /** What the row says of where its trials belong: for their metadata, and no part of what a judge is told. */
  readonly metadata: Readonly<Record<string, string>>
  readonly truth: TruthRow
}

/** Fields that reports group by. */
const METADATA_FIELDS: readonly string[] = ['domain', 'subcategory']
const NAME_FIELDS = new Set(['task', 'trial', 'variant', ...METADATA_FIELDS])
const MOST_CHARS = 300
/** Stands in for an instruction that the row leaves to the run, so that the rest is checked by the one schema. */
const LEFT_OUT = '-'

/**
 * One row: `{"task": "fix-git", "instruction": "…", "cue": "…", "distractor": {"text": "…", "anchors": […]}, "signals": {…}}`.
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
  const said = Object.fromEntries(
    Object.entries(row).filter(([field, value]) => !NAME_FIELDS.has(field) && value !== null),
  )
  const checked = said['instruction'] === undefined ? { ...said, instruction: LEFT_OUT } : said
  for (const { path, message } of inputIssues(truthSchemaFor(rubric), checked))
    issues.push({ path: placeOf(at, path), message })
  return issues.length > 0 ? err(issues) : ok({ task, trial, variant, metadata, truth: said as TruthRow })
}

/** `line 7` and a pointer into the line, or one pointer into the file. */
const placeOf = (at: string, pointer: string): string =>
  at.startsWith('line ') && pointer !== '' ? `${at}, ${pointer}` : `${at}${pointer}`

/** The truth for a run. Null: it is not known what the user asked. */
export function completeTruth(row: TruthRow, instruction: string | undefined, rubric?: string): GivenTruth | null {
  const asked = row.instruction ?? instruction
  if (asked === undefined || isBlank(asked)) return isDefaultRubric(rubric) ? null : row
  return { ...row, instruction: asked }
}

/** Whether an object is one row by itself, rather than rows by task. */
export const isTruthRow = (value: Json): boolean =>
  'instruction' in value || isInstruction(value['cue']) || isInstruction(value['distractor'])

const isInstruction = (value: unknown): boolean =>
  typeof value === 'string' || (isRecord(value) && typeof value['text'] === 'string')
