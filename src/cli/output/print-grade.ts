import { styleText } from 'node:util'
import type { CheckedCitation, Grade } from '../../schemas/grade.ts'
import { clip, LABEL_STYLE, oneLine, type Style, unreadText } from '../results/terminal-text.ts'

/** Renders a grade for people: label, evidence, unmet claims. Ends with a blank line. */
export function printGrade(file: string, grade: Grade): string {
  const cached = grade.receipt.cache === 'hit' ? styleText('dim', ' · stored before') : ''
  const unread = unreadText(grade.receipt.unread ?? null)
  const lines = [
    `${headline(grade)}  ${oneLine(file)}`,
    styleText(
      'dim',
      `  judge ${oneLine(grade.receipt.judge)} · rubric ${oneLine(grade.receipt.rubric)} · ${grade.id}`,
    ) + cached,
    ...claimsLine(grade),
    ...grade.citations.map((citation) => `  ${evidenceLine(citation)}`),
    ...grade.unmet.map(({ claim, reason }) => styleText('red', `  ✗ ${claim}: ${oneLine(reason)}`)),
    ...grade.contradictions.map(({ detail }) => styleText('yellow', `  ! ${oneLine(detail)}`)),
    ...(grade.failure
      ? [styleText('red', `  ✗ ${grade.failure.code}: ${oneLine(grade.failure.message)}${hint(grade)}`)]
      : []),
    ...(grade.notes ? [styleText('dim', `  ${clip(grade.notes, 300)}`)] : []),
    ...(unread === '' ? [] : [styleText('yellow', `  ~ ${unread}`)]),
    ...grade.receipt.warnings
      .slice(0, 3)
      .map(({ path, message }) => styleText('dim', `  ~ ${oneLine(path)} ${oneLine(message)}`)),
  ]
  return `${lines.join('\n')}\n\n`
}

export function printRefusal(
  file: string,
  detail: string,
  errors: readonly { path: string; message: string }[],
): string {
  const lines = errors.map((error) =>
    error.path === ' ' ? `  ${oneLine(error.message)}` : `  ${oneLine(error.path) || '/'}  ${oneLine(error.message)}`,
  )
  return `${[`${styleText('red', 'refused')}  ${oneLine(file)}: ${oneLine(detail)}`, ...lines].join('\n')}\n`
}

function headline(grade: Grade): string {
  if (grade.label !== null) {
    const share =
      grade.confidence.vote_share === null ? '' : `, ${Math.round(grade.confidence.vote_share * 100)} % of the votes`
    const confidence = grade.confidence.reported ?? 'unknown'
    return `${styleText(['bold', LABEL_STYLE[grade.label] ?? 'white'] as Style, grade.label.padEnd(15))} ${confidence} confidence${share}`
  }
  const claimed = grade.claimed_label === null ? '' : ` (claimed ${grade.claimed_label})`
  return styleText(['bold', 'red'], `${grade.status}${claimed}`)
}

/** Renders the claims of a grade. The label and citations of `tab-behavior` hold its claims. */
function claimsLine({ claims, surface }: Grade): string[] {
  if (claims === null || claims === undefined || surface !== null) return []
  const parts = Object.entries(claims).map(([id, value]) => `${oneLine(id)} ${valueText(value)}`)
  return [`  ${parts.join(' · ')}`]
}

const valueText = (value: NonNullable<Grade['claims']>[string] | undefined): string => {
  if (value === null) return 'unclear'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return clip(Array.isArray(value) ? `${value.length} listed` : String(value), 60)
}

function evidenceLine(citation: CheckedCitation): string {
  const holds = citation.status === 'verified' || citation.status === 'normalized'
  const mark = holds ? styleText('green', '✓') : styleText('red', '✗')
  const where = `step ${citation.step_id}`.padEnd(9)
  return `${mark} ${citation.supports.padEnd(20)} ${where} ${citation.status.padEnd(12)} “${clip(citation.quote, 90)}”${foundAs(citation)}`
}

/** Renders the place of a quote in another step, and its difference from the text. */
function foundAs({ found_in_step: step, normalization }: CheckedCitation): string {
  const found = [
    ...(step === undefined ? [] : [`stands in step ${step}`]),
    ...(normalization?.length ? [`differs in ${normalization.join(', ')}`] : []),
  ]
  return found.map((one) => styleText('dim', ` · ${one}`)).join('')
}

const hint = (grade: Grade): string => (grade.failure?.retryable ? ' (the same request can succeed later)' : '')
