import { styleText } from 'node:util'
import type { TObject } from 'typebox'
import {
  type AttemptSummary,
  AttemptSummarySchema,
  type CheckedCitation,
  type Grade,
  type LedgerEntry,
  ReceiptSchema,
} from '../../schemas/grade.ts'
import type { PanelResult } from '../../schemas/review.ts'
import { clip, dollars, LABEL_STYLE, oneLine, pad, present, type Style, safe, tableOf, unreadText } from './text.ts'

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
    colored('yellow', '!', why),
    panelLine(panel),
    failure ? colored('red', '✗', `${failure.code}: ${oneLine(withId(failure.message, id))}${later}`) : '',
    dim(notes ? `  ${clip(notes, 300)}` : ''),
    colored('yellow', '~', unreadText(receipt.unread ?? null)),
    ...receipt.warnings.slice(0, 3).map(({ path, message }) => dim(`  ~ ${oneLine(path)} ${oneLine(message)}`)),
  ]
  return `${present(lines).join('\n')}\n\n`
}

/** Renders a refused file with its faulty places; an advice has no path. */
export function printRefusal(
  file: string,
  detail: string,
  errors: readonly { readonly path: string | null; readonly message: string }[],
): string {
  const lines = errors.map(({ path, message }) =>
    path === null ? `  ${oneLine(message)}` : `  ${oneLine(path) || '/'}  ${oneLine(message)}`,
  )
  return [`${styleText('red', 'refused')}  ${oneLine(file)}: ${oneLine(detail)}`, ...lines].join('\n')
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
  return `  = panel: ${oneLine(panel.label ?? 'no label')}${level}; ${oneLine(panel.support.reason)}`
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

/** Makes a null for each field of a schema: old grades lack some fields, and a null shows them as unknown. */
const nulls = ({ properties }: TObject) => Object.fromEntries(Object.keys(properties).map((name) => [name, null]))
const UNKNOWN = nulls(ReceiptSchema)
const UNKNOWN_CALL = nulls(AttemptSummarySchema)

/** Fills a grade with every field of a receipt, and with raw replies where `calls` are present. */
export function fullGrade(grade: Grade, calls: readonly LedgerEntry[] | null) {
  const attempts = grade.receipt.attempts.map((attempt) => ({
    ...UNKNOWN_CALL,
    ...attempt,
    ...(calls !== null && { raw_reply: rawOf(attempt, calls) }),
  }))
  return { ...grade, receipt: { ...UNKNOWN, ...grade.receipt, attempts } }
}

const rawOf = ({ id }: Pick<AttemptSummary, 'id'>, calls: readonly LedgerEntry[]): string | null =>
  calls.find((call) => call.id === id)?.raw_reply ?? null

const CALLS = tableOf<AttemptSummary>([
  ['sample', 6, ({ sample }) => String(sample)],
  ['round', 5, ({ round }) => String(round)],
  ['purpose', 7, ({ purpose }) => purpose],
  ['outcome', 14, ({ outcome }) => outcome],
  ['time', 9, ({ latency_ms }) => `${latency_ms} ms`],
  ['tokens', 20, ({ usage }) => (usage === null ? '–' : `${usage.input_tokens} in, ${usage.output_tokens} out`)],
  ['cost', 8, ({ cost_usd }) => (cost_usd === null ? '?' : dollars(cost_usd))],
  ['', 0, ({ replayed, message }) => `${replayed ? 'replayed ' : ''}${clip(message ?? '', 200)}`],
])

/** Renders the receipt of a grade, a member a line, and a row a call; with `calls`, their digests and raw replies. */
export function receiptText(grade: Grade, calls: readonly LedgerEntry[] | null): string {
  const { attempts, warnings: _, ...members } = fullGrade(grade, calls).receipt
  const rows = attempts.map((attempt) => {
    const { id, request_id, max_output_tokens, request_digest, reply_digest } = attempt
    const ids = memberRows({ id, request_id, max_output_tokens, request_digest, reply_digest })
    const reply = safe(rawOf(attempt, calls ?? []) ?? 'no reply is kept').replaceAll('\n', '\n    ')
    return CALLS.row(attempt) + (calls === null ? '' : `${ids.join('\n')}\n    ${reply}\n`)
  })
  return `${memberRows(members).join('\n')}\n\n${rows.length === 0 ? 'no call was made\n' : CALLS.head() + rows.join('')}`
}

/** Renders the members of a value, `settings.host  api.example`, and null for an unknown value. */
function memberRows(value: unknown, path = ''): string[] {
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([name, own]) => memberRows(own, path === '' ? name : `${path}.${name}`))
  return [`  ${pad(path, 26)} ${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`]
}
