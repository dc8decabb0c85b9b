import { styleText } from 'node:util'
import type { TObject } from 'typebox'
import { count } from '../../domain/words.ts'
import {
  type AttemptSummary,
  AttemptSummarySchema,
  type CheckedCitation,
  type Grade,
  type LedgerEntry,
  type Receipt,
  ReceiptSchema,
} from '../../schemas/grade.ts'
import { inputWords } from '../../schemas/input-words.ts'
import type { PanelResult } from '../../schemas/review.ts'
import { clip, dollars, LABEL_STYLE, oneLine, pad, type Style, safe, unreadText } from './text.ts'

/** Renders a grade for people: label, evidence, unmet claims, the result of its panel. Ends with a blank line. */
export function printGrade(file: string, grade: Grade, panel: PanelResult | null = null): string {
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
    ...grade.contradictions
      .filter(({ detail }) => grade.label === null || detail !== grade.confidence.limit?.reason)
      .map(({ detail }) => styleText('yellow', `  ! ${oneLine(detail)}`)),
    ...limitLine(grade),
    ...panelLine(panel),
    ...(grade.failure
      ? [
          styleText(
            'red',
            `  ✗ ${grade.failure.code}: ${oneLine(withId(grade.failure.message, grade.id))}${hint(grade)}`,
          ),
        ]
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

/** Renders the limit of the confidence; the contradiction behind the limit has no line of its own. */
const limitLine = ({ label, confidence: { limit } }: Grade): string[] =>
  limit && label !== null
    ? [styleText('yellow', `  ! why not higher: ${oneLine(limit.reason)}; to lift: ${oneLine(limit.lift)}`)]
    : []

/** Renders the result of several judges. */
const panelLine = (panel: PanelResult | null): string[] =>
  panel === null || panel.support.grades.length < 2
    ? []
    : [
        `  = panel: ${oneLine(panel.label ?? 'no label')}${panel.level === null ? '' : `, ${panel.level} confidence`}; ${oneLine(panel.support.reason)}`,
      ]

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
  const facts = [
    ...(step === undefined ? [] : [`stands in step ${step}`]),
    ...(normalization?.length ? [`differs in ${normalization.join(', ')}`] : []),
  ]
  return facts.map((fact) => styleText('dim', ` · ${fact}`)).join('')
}

/** Puts the id of a grade into the command that a failure names. */
export const withId = (message: string, id: string | null): string =>
  id === null ? message : message.replace('veridict show GRADE', () => `veridict show ${id}`)

const hint = (grade: Grade): string => (grade.failure?.retryable ? ' (the same request can succeed later)' : '')

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

/** Renders the settings and calls of a grade; with `calls`, the raw replies. */
export function receiptText({ receipt }: Grade, calls: readonly LedgerEntry[] | null): string {
  const { attempts } = receipt
  const rows = attempts.flatMap((attempt) => [
    attemptRow(attempt),
    ...(calls === null ? [] : rawRows(attempt, rawOf(attempt, calls))),
  ])
  return `${[...settingRows(receipt), ...(rows.length === 0 ? ['  no call was made'] : rows)].join('\n')}\n`
}

function settingRows(receipt: Receipt): string[] {
  const { provider, settings, versions } = receipt
  const isAsked = provider !== null
  const say = (word: string, value: unknown): string => `${word} ${value ?? 'null'}`
  // A search makes no call: it has no host, and no model answered.
  const facts: [string, readonly string[]][] = [
    [
      'asked',
      isAsked
        ? [say(provider, settings?.api), say('host', settings?.host), say('mode', receipt.mode)]
        : [`nobody: \`${receipt.judge}\` is a search and no model`, say('mode', receipt.mode)],
    ],
    ['model', [receipt.model_requested ?? 'none', ...(isAsked ? [say('answered as', receipt.model_resolved)] : [])]],
    [
      'settings',
      [
        ...(isAsked
          ? [
              say('effort', settings?.effort),
              say('temperature', settings?.temperature),
              say('output limit', settings?.max_output_tokens),
            ]
          : []),
        say('samples', receipt.samples),
      ],
    ],
    ['made by', [receipt.software ?? 'null', ...Object.entries(versions).map(([name, value]) => say(name, value))]],
    ['input', receipt.input == null ? ['null'] : inputWords(receipt.input)],
    ['digests', [say('key', receipt.key), say('trajectory', receipt.trajectory)]],
    ['', [say('ground truth', receipt.ground_truth), say('rubric', receipt.rubric_digest)]],
  ]
  return facts.map(([name, words]) => `  ${pad(name, 9)} ${oneLine(words.join(' · '))}`)
}

function attemptRow(attempt: AttemptSummary): string {
  const { sample, round, purpose, outcome, latency_ms, usage, cost_usd, message, replayed } = attempt
  const tokens = usage === null ? '–' : `${usage.input_tokens} in, ${usage.output_tokens} out`
  const cost = cost_usd === null ? '?' : dollars(cost_usd)
  const cells = [
    pad(`sample ${sample} round ${round}`, 17),
    pad(purpose, 7),
    pad(outcome, 14),
    pad(`${latency_ms} ms`, 9),
    pad(tokens, 20),
    pad(cost, 8),
    replayed ? 'replayed ' : '',
    message === null ? '' : clip(message, 200),
  ]
  return `  ${cells.filter((cell) => cell !== '').join('  ')}`.trimEnd()
}

function rawRows(attempt: AttemptSummary, raw: string | null): string[] {
  const { id, request_id, request_digest, reply_digest, max_output_tokens } = attempt
  const limit = max_output_tokens == null ? 'null' : count(max_output_tokens, 'token')
  return [
    `    ${oneLine(`${id} · request id ${request_id} · output limit ${limit}`)}`,
    `    ${oneLine(`request ${request_digest ?? null} · reply ${reply_digest ?? null}`)}`,
    `    ${raw === null ? 'no reply is kept' : safe(raw).replaceAll('\n', '\n    ')}`,
  ]
}
