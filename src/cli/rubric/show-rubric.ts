import type { LoadedRubric } from '../../config/rubrics.ts'
import { unproved } from '../../domain/rubric/load/gate-issues.ts'
import { allClaims, type ClaimRule, type ProofRule, type Rubric } from '../../domain/rubric/rubric.ts'
import { rubricText, rubricView } from '../../domain/rubric/rubric-view.ts'
import { EXIT, type ExitCode } from '../client/errors.ts'
import type { Shell } from '../client/shell.ts'
import { inert, line, pad, paintFor, wrap } from '../output/text.ts'
import { findRubrics } from './rubrics.ts'

export interface ShowOptions {
  readonly json?: boolean
  readonly prompt?: boolean
  readonly schema?: boolean
}

export function showRubric(shell: Shell, typed: string, options: ShowOptions): ExitCode {
  for (const loaded of findRubrics(shell, typed)) {
    const { rubric } = loaded
    if (options.json) shell.out.write(line(options.prompt || options.schema ? rubricText(rubric) : rubricView(rubric)))
    else if (options.schema) shell.out.write(`${JSON.stringify(rubric.answer_schema, null, 2)}\n`)
    else if (options.prompt) shell.out.write(`${withoutControls(rubric.system)}\n${withoutControls(rubric.question)}\n`)
    else shell.out.write(`${pageOf(loaded, shell).join('\n')}\n`)
  }
  return EXIT.graded
}

function pageOf({ rubric, folder }: LoadedRubric, shell: Shell): string[] {
  const columns = Math.min(shell.out.columns ?? 100, 140)
  const bold = (text: string) => paintFor(shell.out, shell.env)('bold', text)
  return [
    `${bold(rubric.name)}  ${inert(rubric.title)}`,
    `${inert(folder)}  ${rubric.digest}`,
    '',
    wrap(inert(rubric.description.trim()), columns, 0),
    ...(rubric.about === 'runs' ? ['Asked about several runs of one task at once, and documents beside them.'] : []),
    '',
    bold('Asked'),
    ...allClaims(rubric.claims).flatMap((claim) => claimLines(claim, columns)),
    '',
    bold('Outcome'),
    ...outcomeLines(rubric),
    '',
    bold('Truth'),
    ...truthLines(rubric, columns),
  ]
}

function claimLines(claim: ClaimRule, columns: number): string[] {
  const { id, type, unclear, only_if, only_if_given, measured_by } = claim
  const rules = [
    ...(unclear === 'refuses' ? [] : [unclear === 'kept' ? 'may stay unclear' : 'may not be unclear']),
    ...(only_if === null ? [] : [`counts only if ${only_if}`]),
    ...(only_if_given === null ? [] : [`only where the truth has ${only_if_given}`]),
    ...(measured_by === null ? [] : [`measured as ${measured_by}`]),
  ]
  const lines = [...proofLines(claim), ...(rules.length > 0 ? [rules.join('; ')] : [])]
  return [
    `  ${pad(id, 26)} ${pad(type, 8)} ${wrap(answersOf(claim), columns, 38)}`,
    ...lines.map((text) => `    ${wrap(text, columns, 6)}`),
  ]
}

function outcomeLines({ outcome }: Rubric): string[] {
  const scale = outcome.scale === 'ordinal' ? ' (ordinal)' : ''
  if (outcome.kind === 'label') return [`  the label is the value of ${outcome.claims[0]}${scale}`]
  if (outcome.kind === 'sum') return [`  the sum of ${outcome.claims.join(', ')}`]
  if (outcome.kind === 'best')
    return [`  ${outcome.label} of the entry of ${outcome.claims[0]} with the greatest sum of ${outcome.by.join(', ')}`]
  const width = Math.max(...outcome.labels.map(({ length }) => length))
  return outcome.rows.map(({ when, label }) => {
    const conditions = Object.entries(when).map(
      ([id, value]) => `${id} ${value === true ? 'yes' : value === false ? 'no' : value}`,
    )
    return `  ${pad(label, width)}  where ${conditions.join(', ') || 'anything'}`
  })
}

interface Member {
  readonly type?: unknown
  readonly description?: string
}

function truthLines({ truth }: Rubric, columns: number): string[] {
  const { properties = {}, required = [] } = truth.schema as {
    readonly properties?: Readonly<Record<string, Member>>
    readonly required?: readonly string[]
  }
  return Object.entries(properties).map(([name, { type, description = '' }]) => {
    const kind = truth.instructions.includes(name) ? 'instruction' : String(type)
    const must = required.includes(name) ? ', required' : ''
    return `  ${pad(name, 16)} ${pad(kind + must, 22)} ${wrap(inert(description), columns, 42)}`
  })
}

/** Escapes the control characters of an author's text; all other text is the text that a judge receives. */
const withoutControls = (text: string): string => text.split('\n').map(inert).join('\n')

/** Renders the possible answers of a claim. */
export function answersOf({ type, values, minimum, maximum, runs_of }: ClaimRule): string {
  if (runs_of !== null) return `${minimum} to ${maximum}, counted`
  if (type === 'boolean') return 'yes, no'
  if (type === 'enum') return values.join(', ')
  if (type === 'integer') return `${minimum} to ${maximum}`
  if (type === 'list') return `up to ${maximum} entries`
  return type === 'step' ? 'a step of the run' : type === 'agent' ? 'an agent of the run' : 'a text of the run'
}

/** Renders the proof of each value of a claim, a line each. */
function proofLines(claim: ClaimRule): string[] {
  const { type, proofs, runs_of, cap } = claim
  if (type === 'list') return ['its entries, each by its own claims']
  if (runs_of !== null) return [`the runs in which ${runs_of} is proved`]
  const rules = Object.entries(proofs).filter(([, rule]) => textOf(rule) !== '')
  const lines = rules.map(([value, rule]) => `${value}: ${textOf(rule)}`)
  const bare = unproved(claim).filter((value) => value !== 'others')
  const open = bare.length > 1 ? 'any' : bare[0]
  return [
    ...lines,
    ...(open === undefined ? [] : [`${open}: no quote`]),
    ...(cap === null
      ? []
      : [`at most ${cap.maximum} where a line of a document holds ${cap.names} and one of ${cap.words.join(', ')}`]),
  ]
}

const textOf = ({ quote, in_step, after, shows, does, finds_nothing_of, agent_of, holds }: ProofRule): string =>
  [
    ...(quote.length > 0 ? [`a quote of ${quote.join(', ')}`] : []),
    ...(in_step === null ? [] : [`in the step that ${in_step} names`]),
    ...(holds === null ? [] : [`that holds ${holds}`]),
    ...(shows.length > 0 ? [`that shows ${shows.join(' or ')}`] : []),
    ...(does === null ? [] : [`that carries out ${does}, after it was seen`]),
    ...(after === null ? [] : [`after the first sight of ${after}`]),
    ...(agent_of === null ? [] : [`held against the agent of the step that ${agent_of} names`]),
    ...(finds_nothing_of.length > 0 ? [`a search finds nothing of ${finds_nothing_of.join(', ')}`] : []),
  ].join(' ')
