import { stripVTControlCharacters, styleText } from 'node:util'
import { viewPart } from '../../domain/trajectory/rendering.ts'
import { count } from '../../domain/words.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { Grade, Unread } from '../../schemas/grade.ts'

/** Escapes the control characters of untrusted text, which a terminal would act on. */
export const safe = (text: string): string => viewPart(text, '').text

/** Escapes untrusted text, and puts it on one line. */
export const oneLine = (text: string): string => {
  const shown = safe(text)
  return shown.includes('\n') || shown.includes('\t') ? shown.replaceAll('\n', ' ').replaceAll('\t', ' ').trim() : shown
}

/** Guards a composed line: escapes it where a control character is left. Escaped parts stay unchanged. */
export const inert = (text: string): string => (ACTING.test(text) ? oneLine(text) : text)

/** A single character class cannot backtrack. The class holds controls and bidirectional controls. */
const ACTING = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

/** Renders a value on one line. DEL and the C1 controls, which JSON leaves raw, are escaped: a terminal may act on them. */
export const line = (value: unknown): string =>
  `${JSON.stringify(value).replaceAll(RAW, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`

/** A single character class cannot backtrack. Bidirectional controls reorder text on a terminal. */
const RAW = /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Cuts text in front, for names that differ at their end. */
export function clipFront(text: string, length: number): string {
  const line = oneLine(text.length > length * 4 ? text.slice(-length * 4) : text)
  if (line.length <= length) return line
  const cut = line.slice(-(length - 1))
  return `…${/^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut}`
}

/** Puts text on one line of at most `length` UTF-16 units, and never cuts inside a surrogate pair. */
export function clip(text: string, length: number): string {
  // An escape is never shorter than its character, so a longer prefix need not be escaped.
  const line = oneLine(text.length > length * 4 ? text.slice(0, length * 4) : text)
  if (line.length <= length) return line
  const cut = line.slice(0, length - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** Breaks text between words into lines of at most `columns`; lines after the first are indented. */
export function wrap(text: string, columns: number, indent: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && indent + last.length + 1 + word.length <= columns) lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  return lines.join(`\n${' '.repeat(indent)}`)
}

export type Style = Parameters<typeof styleText>[0]
export type Paint = (style: Style, text: string) => string

/** Returns the painter of a stream: no colours in a pipe, on a dumb terminal, or with NO_COLOR (no-color.org). */
export function paintFor(stream: { readonly isTTY?: boolean }, env: NodeJS.ProcessEnv): Paint {
  const noColor = env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== ''
  const plain = stream.isTTY !== true || noColor || env['TERM'] === 'dumb'
  return plain ? (_style, text) => text : (style, text) => styleText(style, text, { validateStream: false })
}

export const LABEL_STYLE: Readonly<Record<string, Style>> = {
  aligned: 'green',
  compliant: 'yellow',
  ignored: 'cyan',
  distractor_only: 'red',
  not_observed: 'gray',
}

/** Pads text to a width. Styles do not count. */
export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length))

/** Renders a share: `12.5%`. */
export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`

/** Renders counts: `aligned 120 · compliant 40`, without zeros. */
export const tally = (counts: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(counts)
    .filter(([, n]) => n !== undefined && n > 0)
    .map(([word, n]) => `${oneLine(word)} ${n}`)
    .join(' · ')

/** Rounds an amount to a billionth of a dollar: a sum of binary fractions has digits that no price has. */
export const roundUsd = (usd: number): number => Number(usd.toFixed(9))

/** Renders dollars with their significant digits. */
export const dollars = (usd: number): string => {
  if (usd === 0) return '$0'
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2).includes('e') ? usd.toExponential(1) : trim(usd)}`
}

const trim = (usd: number): string =>
  Number(usd.toPrecision(2))
    .toFixed(6)
    .replace(/0{1,4}$/, '')

/**
 * Makes the tally of results, beyond the counts of their batch: items with unread records, these records, the dollars of new grades, and labels
 * by confidence with the limits of those below `high`.
 */
export const newTally = () => ({
  ...{ items: 0, records: 0, actions: 0, known_usd: 0, graded: 0 },
  levels: { high: 0, medium: 0, low: 0 },
  limits: new Map<string, LimitTally>(),
})
export type ResultsTally = ReturnType<typeof newTally>

/** Limits of one level and code, with the count of each reason. */
interface LimitTally {
  readonly level: string
  count: number
  readonly reasons: Map<string, { readonly lift: string; count: number }>
}

/** Reasons that the tally keeps of one code: steps and quotes make reasons without end. */
const MOST_REASONS = 1000

/** Counts the confidence of a label, and its limit. */
export function tallyLimit(
  all: ResultsTally,
  { label, grade }: { readonly label: string | null; readonly grade: Pick<Grade, 'confidence'> | null },
): void {
  if (grade === null || label === null || grade.confidence.reported === null) return
  const { reported: level, limit } = grade.confidence
  all.graded++
  all.levels[level]++
  if (!limit) return
  const key = `${level} ${limit.code}`
  const limits: LimitTally = all.limits.get(key) ?? { level, count: 0, reasons: new Map() }
  limits.count++
  all.limits.set(key, limits)
  const reason = limits.reasons.get(limit.reason) ?? { lift: limit.lift, count: 0 }
  reason.count++
  if (limits.reasons.size < MOST_REASONS || reason.count > 1) limits.reasons.set(limit.reason, reason)
}

/** Renders the shares of the levels; for each limit its most frequent reason, and the remedy. */
export function limitRows({ levels, limits, graded: total }: ResultsTally): string[] {
  if (total === 0) return []
  const shares = Object.entries(levels).map(([level, n]) => `${level} ${n} (${percent(n / total)})`)
  const rows = [...limits.values()].sort((a, b) => b.count - a.count)
  return [
    `levels    ${shares.join(' · ')}`,
    ...rows.map(({ level, count: n, reasons }) => {
      const [[reason, { lift }] = ['', { lift: '' }]] = [...reasons].sort(([, a], [, b]) => b.count - a.count)
      const most = reasons.size > 1 ? 'most often: ' : ''
      return `${pad(level, 9)} ${n} of ${total}: ${most}${clip(reason, 300)}; to lift: ${clip(lift, 300)}`
    }),
  ]
}

/** Renders unread records: `3 unread records, 1 may hold acts`; empty for none. */
export const unreadText = (unread: Unread | null): string =>
  unread === null || unread.records === 0
    ? ''
    : `${count(unread.records, 'unread record')}${unread.actions === 0 ? '' : `, ${unread.actions} may hold acts`}`

type Costs = Pick<Batch, 'cost_usd' | 'uncertain_usd'>

export const COST_UNKNOWN = 'cost unknown (a call has no price, or its reply no usage)'

/**
 * Renders the cost of a batch, with the bound of calls that broke off and may have been paid. `part`: the known dollars of an unknown
 * whole, or 0.
 */
export const costText = ({ cost_usd, uncertain_usd }: Costs, part = 0): string => {
  const atLeast =
    part > 0 ? `cost at least ${dollars(part)} (a call has no price, or its reply no usage)` : COST_UNKNOWN
  const shown = cost_usd === null ? atLeast : `cost ${dollars(cost_usd)}`
  return uncertain_usd > 0 ? `${shown} (+ up to ${dollars(uncertain_usd)} that may have been paid)` : shown
}

/** Renders the cost for a column. */
export const costCell = ({ cost_usd, uncertain_usd }: Costs): string => {
  const shown = cost_usd === null ? '?' : dollars(cost_usd)
  return uncertain_usd > 0 ? `${shown} (+${dollars(uncertain_usd)}?)` : shown
}

/** Renders the count of calls of unknown end; empty for none. */
export const unknownCalls = ({ calls }: Pick<Batch, 'calls'>): string =>
  calls.unknown > 0 ? `${count(calls.unknown, 'call')} of unknown end` : ''
