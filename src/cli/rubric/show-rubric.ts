import type { LoadedRubric } from '../../config/load-rubrics.ts'
import { allClaims, type ClaimRule, type Rubric } from '../../domain/rubric/rubric.ts'
import { rubricText, rubricView } from '../../domain/rubric/rubric-view.ts'
import { EXIT, type ExitCode } from '../client/exit-codes.ts'
import type { Shell } from '../client/shell.ts'
import { line } from '../input/ndjson.ts'
import { inert, pad, paintFor, wrap } from '../results/terminal-text.ts'
import { findRubrics } from './find-rubric.ts'
import { answersOf, proofLines } from './proof-text.ts'

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
    ...lines.map((one) => `    ${wrap(one, columns, 6)}`),
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
    const said = Object.entries(when).map(
      ([id, value]) => `${id} ${value === true ? 'yes' : value === false ? 'no' : value}`,
    )
    return `  ${pad(label, width)}  where ${said.join(', ') || 'anything'}`
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
