import { count } from '../../domain/count.ts'
import type { AttemptSummary, Grade, LedgerEntry, Receipt } from '../../schemas/grade.ts'
import { clip, dollars, oneLine, pad, safe } from './terminal-text.ts'

/** A null for each optional field. */
type Unknown<T> = { readonly [K in keyof T as Partial<Pick<T, K>> extends Pick<T, K> ? K : never]-?: null }

/** Fields that old grades lack. A null shows them as unknown. */
const UNKNOWN = {
  denied_acts: null,
  settings: null,
  samples: null,
  mode: null,
  software: null,
  price_as_of: null,
  unread: null,
} as const satisfies Unknown<Receipt>
const UNKNOWN_CALL = {
  request_digest: null,
  reply_digest: null,
  max_output_tokens: null,
} as const satisfies Unknown<AttemptSummary>

/** Fills a grade with every field of a receipt, and with raw replies where `calls` are present. */
export function fullGrade(grade: Grade, calls: readonly LedgerEntry[] | null) {
  const attempts = grade.receipt.attempts.map((attempt) => ({
    ...UNKNOWN_CALL,
    ...attempt,
    ...(calls !== null && { raw_reply: rawOf(attempt, calls) }),
  }))
  return { ...grade, receipt: { ...UNKNOWN, ...grade.receipt, attempts } }
}

export const rawOf = ({ id }: Pick<AttemptSummary, 'id'>, calls: readonly LedgerEntry[]): string | null =>
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
