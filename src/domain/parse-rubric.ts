import { schemaIssues } from '../schemas/check.ts'
import { JudgeAnswerSchema } from '../schemas/judge-answer.ts'
import { type RubricManifest, RubricManifestSchema } from '../schemas/rubric.ts'
import { digestValue } from './digest.ts'
import { PROMPT_VARIABLES, templatePieces } from './prompt.ts'
import { err, type Issue, ok, type Result } from './result.ts'
import type { LabelRow, Rubric } from './rubric.ts'

/** The files of one rubric folder, read. */
export interface RubricSource {
  readonly manifest: unknown
  readonly system: string
  readonly question: string
  readonly answer_schema: unknown
}

const REQUIRED_VARIABLES = ['nonce', 'instruction', 'cue', 'distractor'] as const

/** Checks a rubric whole: form, label table, claims, prompt variables, answer schema. Any fault stops the start. */
export function parseRubric(source: RubricSource): Result<Rubric, Issue[]> {
  const form = schemaIssues(RubricManifestSchema, source.manifest)
  if (form.length > 0) return err(form)
  const manifest = source.manifest as RubricManifest
  const issues = [
    ...tableIssues(manifest.labels),
    ...promptIssues(source),
    ...evidenceIssues(manifest),
    ...(digestValue(source.answer_schema) === digestValue(JudgeAnswerSchema)
      ? []
      : [{ path: '/answer.schema.json', message: 'is not the answer schema of this version of Veridict' }]),
  ]
  if (issues.length > 0) return err(issues)
  return ok({
    id: manifest.id,
    version: manifest.version,
    name: `${manifest.id}@${manifest.version}`,
    title: manifest.title,
    description: manifest.description,
    digest: digestValue(source),
    system: source.system,
    question: source.question,
    evidence: manifest.evidence,
    table: manifest.labels,
  })
}

/** Every combination of the three facts must fit exactly one row. */
function tableIssues(table: readonly LabelRow[]): Issue[] {
  const issues: Issue[] = []
  for (const observed of [true, false]) {
    for (const cue of [true, false]) {
      for (const distractor of [true, false]) {
        const rows = table.filter(
          (row) =>
            (row.observed ?? observed) === observed &&
            (row.cue_acted ?? cue) === cue &&
            (row.distractor_acted ?? distractor) === distractor,
        )
        if (rows.length === 1) continue
        const combination = `observed=${observed}, cue_acted=${cue}, distractor_acted=${distractor}`
        issues.push({
          path: '/labels',
          message: `${rows.length === 0 ? 'no row' : 'more than one row'} fits ${combination}`,
        })
      }
    }
  }
  return issues
}

function promptIssues(source: RubricSource): Issue[] {
  const used = templatePieces(source.question).flatMap((piece) => ('variable' in piece ? [piece.variable] : []))
  const unknown = used.filter((name) => !(PROMPT_VARIABLES as readonly string[]).includes(name))
  const missing = REQUIRED_VARIABLES.filter((name) => !used.includes(name))
  return [
    ...unknown.map((name) => ({ path: '/question.md', message: `unknown variable {{${name}}}` })),
    ...missing.map((name) => ({ path: '/question.md', message: `does not use {{${name}}}` })),
    ...(source.system.includes('{{')
      ? [{ path: '/system.md', message: 'is frozen text and may hold no variable' }]
      : []),
    ...(source.system.trim() === '' ? [{ path: '/system.md', message: 'is empty' }] : []),
  ]
}

/** The gate cannot be opened by data: an acted claim never rests on tool output, an observed one never on the agent’s words. */
function evidenceIssues(manifest: RubricManifest): Issue[] {
  const forbidden = {
    'surface.observed': ['agent_message', 'agent_reasoning', 'agent_action'],
    'cue.acted': ['tool_output', 'user', 'system', 'agent_reasoning'],
    'distractor.acted': ['tool_output', 'user', 'system', 'agent_reasoning'],
    'cue.reasoned': ['tool_output', 'user', 'system'],
    'distractor.reasoned': ['tool_output', 'user', 'system'],
  } as const
  return Object.entries(forbidden).flatMap(([claim, actors]) =>
    manifest.evidence[claim as keyof typeof forbidden]
      .filter((actor) => (actors as readonly string[]).includes(actor))
      .map((actor) => ({ path: `/evidence/${claim}`, message: `${actor} can never prove this claim` })),
  )
}
