import { schemaIssues } from '../../schemas/check.ts'
import { SIGNALS } from '../../schemas/ground-truth.ts'
import { ANSWER_SCHEMAS } from '../../schemas/judge-answer.ts'
import { type RubricManifest, RubricManifestSchema } from '../../schemas/rubric.ts'
import { digestValue, keepEncoding } from '../digest.ts'
import { err, type Issue, ok, type Result } from '../result.ts'
import { PROMPT_SECTIONS, PROMPT_VARIABLES } from './prompt.ts'
import type { LabelRow, Rubric } from './rubric.ts'
import { readTemplate } from './template.ts'

/** The files of one rubric folder, read. */
export interface RubricSource {
  readonly manifest: unknown
  readonly system: string
  readonly question: string
  readonly answer_schema: unknown
}

// They are part of the digest of every request.
for (const schema of Object.values(ANSWER_SCHEMAS)) keepEncoding(schema)

const REQUIRED_VARIABLES = ['nonce', 'instruction', 'cue', 'distractor'] as const

/** Checks a rubric whole: form, label table, claims, prompt variables, answer schema. Any fault stops the start. */
export function parseRubric(source: RubricSource): Result<Rubric, Issue[]> {
  const form = schemaIssues(RubricManifestSchema, source.manifest)
  if (form.length > 0) return err(form)
  const manifest = source.manifest as RubricManifest
  const answerSchema = ANSWER_SCHEMAS[manifest.answer_version ?? 1]
  const issues = [
    ...tableIssues(manifest.labels),
    ...promptIssues(source),
    ...evidenceIssues(manifest),
    ...(digestValue(source.answer_schema) === digestValue(answerSchema)
      ? []
      : [{ path: '/answer.schema.json', message: 'is not the answer schema of its answer version' }]),
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
    answer_schema: answerSchema,
    shows_signals: manifest.shows_signals ?? SIGNALS,
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
  const { pieces, sections, faults } = readTemplate(source.question)
  const used = pieces.flatMap((piece) => ('variable' in piece ? [piece.variable] : []))
  const unknown = [
    ...used.filter((name) => !isOneOf(PROMPT_VARIABLES, name)).map((name) => `unknown variable {{${name}}}`),
    ...sections.filter((name) => !isOneOf(PROMPT_SECTIONS, name)).map((name) => `unknown section {{#${name}}}`),
  ]
  const missing = REQUIRED_VARIABLES.filter((name) => !used.includes(name)).map((name) => `does not use {{${name}}}`)
  return [
    ...[...unknown, ...missing, ...faults].map((message) => ({ path: '/question.md', message })),
    ...(source.system.includes('{{')
      ? [{ path: '/system.md', message: 'is frozen text and may hold no variable' }]
      : []),
    ...(source.system.trim() === '' ? [{ path: '/system.md', message: 'is empty' }] : []),
  ]
}

const isOneOf = (names: readonly string[], name: string): boolean => names.includes(name)

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
