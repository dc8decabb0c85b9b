import { styleText } from 'node:util'
import type { CheckedCitation, Grade, LedgerEntry } from '../../schemas/grade.ts'
import type { PanelResult } from '../../schemas/review.ts'
import { clip, LABEL_STYLE, oneLine, present, type Style, unreadText } from './text.ts'

/** Renders a grade for people: label, evidence, unmet claims, the result of its panel. Ends with a blank line. */
export function printGrade(file: string, grade: Grade, panel: PanelResult | null = null): string {
  const { id, label, confidence, failure, receipt, notes } = grade
  const dim = (text: string) => (text === '' ? '' : styleText('dim', text))
  const colored = (style: Style, mark: string, text: string) =>
    text === '' ? '' : styleText(style, `  ${mark} ${text}`)
  const limit = label === null ? undefined : confidence.limit
  const why = limit ? `why not higher: ${oneLine(limit.reason)}; to lift: ${oneLine(limit.lift)}` : ''
  // The limit of the confidence names the contradiction behind it.
  const contradictions = grade.contradictions.filter(({ detail }) => detail !== limit?.reason)
  const later = failure?.retryable ? ' (the same request can succeed later)' : ''
  const lines = [
    `${headline(grade)}  ${oneLine(file)}`,
    dim(`  judge ${oneLine(receipt.judge)} · rubric ${oneLine(receipt.rubric)} · ${id}`) +
      dim(receipt.cache === 'hit' ? ' · stored before' : ''),
    claimsLine(grade),
    ...grade.citations.map((citation) => `  ${evidenceLine(citation)}`),
    ...grade.unmet.map(({ claim, reason }) => colored('red', '✗', `${claim}: ${oneLine(reason)}`)),
    ...contradictions.map(({ detail }) => colored('yellow', '!', oneLine(detail))),
    colored('yellow', limit?.code === 'contradiction' ? '!' : '~', why),
    panelLine(panel),
    failure ? colored('red', '✗', `${failure.code}: ${oneLine(withId(failure.message, id))}${later}`) : '',
    dim(notes ? `  ${clip(notes, 300)}` : ''),
    colored('yellow', '~', unreadText(receipt.unread ?? null)),
    ...receipt.warnings.slice(0, 3).map(({ path, message }) => dim(`  ~ ${oneLine(path)} ${oneLine(message)}`)),
  ]
  return `${present(lines).join('\n')}\n\n`
}

function headline({ label, confidence, claimed_label, status }: Grade): string {
  if (label === null) {
    const claimed = claimed_label === null ? '' : ` (claimed ${claimed_label})`
    return styleText(['bold', 'red'], `${status}${claimed}`)
  }
  const { vote_share, reported } = confidence
  const share = vote_share === null ? '' : `, ${Math.round(vote_share * 100)} % of the votes`
  const style = ['bold', LABEL_STYLE[label] ?? 'white'] as Style
  return `${styleText(style, label.padEnd(15))} ${reported ?? 'unknown'} confidence${share}`
}

/** Renders the result of several judges; empty for one judge. */
function panelLine(panel: PanelResult | null): string {
  if (panel === null || panel.support.grades.length < 2) return ''
  const level = panel.level === null ? '' : `, ${panel.level} confidence`
  return `  = panel of the ${panel.support.grades.length} grades of this question: ${oneLine(panel.label ?? 'no label')}${level}; ${oneLine(panel.support.reason)}`
}

/** Renders the claims of a grade. The label and citations of `tab-behavior` hold its claims. */
function claimsLine({ claims, surface }: Grade): string {
  if (claims === null || claims === undefined || surface !== null) return ''
  const parts = Object.entries(claims).map(([id, value]) => `${oneLine(id)} ${valueText(value)}`)
  return `  ${parts.join(' · ')}`
}

const valueText = (value: NonNullable<Grade['claims']>[string] | undefined): string => {
  if (value === null) return 'unclear'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return clip(Array.isArray(value) ? `${value.length} listed` : String(value), 60)
}

/** Renders a citation; with the other step of its quote, and the difference of the quote from the text. */
function evidenceLine({ status, step_id, supports, quote, found_in_step, normalization }: CheckedCitation): string {
  const holds = status === 'verified' || status === 'normalized'
  const mark = holds ? styleText('green', '✓') : styleText('red', '✗')
  const facts = present([
    found_in_step === undefined ? '' : `stands in step ${found_in_step}`,
    normalization?.length ? `differs in ${normalization.join(', ')}` : '',
  ])
  const place = `${`step ${step_id}`.padEnd(9)} ${status.padEnd(12)}`
  const found = facts.map((fact) => styleText('dim', ` · ${fact}`)).join('')
  return `${mark} ${supports.padEnd(20)} ${place} “${clip(quote, 90)}”${found}`
}

/** Puts the id of a grade into the command that a failure names. */
export const withId = (message: string, id: string | null): string =>
  id === null ? message : message.replace('veridict show GRADE', () => `veridict show ${id}`)

/** Adds the raw replies of `calls` to the receipt of a grade. */
export function withReplies({ receipt, ...grade }: Grade, calls: readonly LedgerEntry[]) {
  const replies = new Map(calls.map(({ id, raw_reply }) => [id, raw_reply]))
  const attempts = receipt.attempts.map((attempt) => ({ ...attempt, raw_reply: replies.get(attempt.id) ?? null }))
  return { ...grade, receipt: { ...receipt, attempts } }
}
