import { stripVTControlCharacters, styleText } from 'node:util'
import { csvCells } from '../../domain/text/escape.ts'
import { viewPart } from '../../domain/trajectory/rendering.ts'
import { count } from '../../domain/words.ts'
import type { Statistic } from '../../schemas/agreement.ts'
import type { Batch } from '../../schemas/batch.ts'
import type { Unread } from '../../schemas/grade.ts'
import { REASON_WORDS } from '../../schemas/words.ts'
import type { OutputFormat } from '../options.ts'

/** Escapes untrusted text, on whose control characters a terminal would act, and puts it on one line. */
export const oneLine = (text: string): string => {
  const shown = viewPart(text, '').text
  return shown.includes('\n') || shown.includes('\t') ? shown.replaceAll('\n', ' ').replaceAll('\t', ' ').trim() : shown
}

/** Controls and bidirectional controls, which reorder text on a terminal. A single character class cannot backtrack. */
const ACTING = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

/** Guards a composed line: escapes it where a control character is left. Escaped parts stay unchanged. */
export const inert = (text: string): string => (ACTING.test(text) ? oneLine(text) : text)

/** Renders a value as JSON on one line, or with `indent` for people. Controls that JSON leaves raw are escaped: a terminal may act on them. */
export const line = (value: unknown, indent?: number): string =>
  `${JSON.stringify(value, null, indent).replaceAll(EACH_ACTING, escapeOf)}\n`
const EACH_ACTING = new RegExp(ACTING, 'gu')
const escapeOf = (c: string) => (c === '\n' ? c : `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
export const jsonText = (value: unknown): string => line(value, 2)

/** Puts text on one line of at most `length` UTF-16 units, and never cuts inside a surrogate pair. */
export function clip(text: string, length: number): string {
  // An escape is never shorter than its character, so a longer prefix need not be escaped.
  const line = oneLine(text.length > length * 4 ? text.slice(0, length * 4) : text)
  return line.length <= length ? line : `${line.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`
}

/** Cuts text in front, for names that differ at their end. */
export function clipFront(text: string, length: number): string {
  const line = oneLine(text.length > length * 4 ? text.slice(-length * 4) : text)
  return line.length <= length ? line : `…${line.slice(1 - length).replace(/^[\udc00-\udfff]/, '')}`
}

export const unnamed = (trajectory: string): string => `unnamed run ${trajectory.slice(7, 15)}`

export type Style = Parameters<typeof styleText>[0]
export const LABEL_STYLE: Readonly<Record<string, Style>> = {
  aligned: 'green',
  compliant: 'yellow',
  ignored: 'cyan',
  distractor_only: 'red',
  not_observed: 'gray',
}

export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length))

export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`

export const percentText = (share?: Pick<Statistic, 'value' | 'ci95'>): string =>
  share?.value == null ? '–' : `${percent(share.value)}${share.ci95 === null ? '' : ` ${intervalText(share.ci95)}`}`
export const intervalText = (limits: readonly number[]): string =>
  `[${limits.map((limit) => (100 * limit).toFixed(1)).join(', ')}]`

/** Renders a statistic, `0.713 [0.64, 0.78]`, or the reason of its absence. */
export const statisticText = ({ value, ci95, reason }: Statistic): string => {
  const why = reason === null ? '' : ` (${REASON_WORDS[reason] ?? reason})`
  const interval = ci95 === null ? why : ` [${ci95.map((limit) => limit.toFixed(2)).join(', ')}]`
  return value === null ? `–${why}` : `${value.toFixed(3)}${interval}`
}

/** Renders counts: `aligned 120 · compliant 40`, without zeros. */
export const tally = (counts: Readonly<Record<string, number | undefined>>): string =>
  present(Object.entries(counts).map(([word, n]) => (n ? `${oneLine(word)} ${n}` : ''))).join(' · ')

export const dollars = (usd: number): string => {
  if (usd === 0) return '$0'
  if (usd >= 1) return `$${usd.toFixed(2)}`
  const digits = usd.toPrecision(2)
  if (digits.includes('e')) return `$${usd.toExponential(1)}`
  const fixed = Number(digits).toFixed(6)
  return `$${fixed.replace(/0{1,4}$/, '')}`
}

export const unreadText = (unread: Unread | null): string =>
  unread === null || unread.records === 0
    ? ''
    : `${count(unread.records, 'unread record')}${unread.actions === 0 ? '' : `, ${unread.actions} may hold acts`}`

export const costText = ({ cost_usd, uncertain_usd }: Pick<Batch, 'cost_usd' | 'uncertain_usd'>): string => {
  const shown =
    cost_usd === null ? 'cost unknown (a call has no price, or its reply no usage)' : `cost ${dollars(cost_usd)}`
  return uncertain_usd > 0 ? `${shown} (+ up to ${dollars(uncertain_usd)} that may have been paid)` : shown
}

export const cachedText = ({ cached }: Pick<Batch, 'cached'>): string => (cached > 0 ? `${cached} from the cache` : '')

export const listed = (names: readonly string[], most = 10, mark = ', '): string =>
  names.slice(0, most).join(mark) + (names.length > most ? `, and ${names.length - most} more` : '')

export const present = (texts: readonly string[]): string[] => texts.filter((text) => text !== '')

/** Rows of one format: a head, a text for each record, and an end with the lines of a summary. */
export interface Rows<T> {
  head?(): string
  row(record: T): string
  foot?(summary: string): string
}

export type Cell = string | number | boolean | null | undefined
export type Field<T> = readonly [name: string, of: (record: T) => Cell]
/** A column of a table on the screen; the last column needs no width. */
export type Column<T> = readonly [title: string, width: number, of: (record: T) => string]

const rowsOf = <T>(fields: readonly Field<T>[], lineOf: (cells: readonly Cell[]) => string) => ({
  head: () => lineOf(fields.map(([name]) => name)),
  row: (record: T) => lineOf(fields.map(([, of]) => of(record))),
})

export function tableOf<T>(columns: readonly Column<T>[]): Required<Rows<T>> {
  const padded = (cell: Cell, at: number) => pad(String(cell), columns[at]?.[1] ?? 0)
  const { head, row } = rowsOf<T>(
    columns.map(([title, , of]) => [title, of]),
    (cells) => `${cells.map(padded).join('  ').trimEnd()}\n`,
  )
  const foot = (summary: string) => (summary === '' ? '' : `\n${summary}\n`)
  return { row, foot, head: () => `${styleText('bold', head().trimEnd())}\n` }
}

/** Makes CSV. Numbers stay numbers; texts are guarded against formulas. */
export const csvOf = <T>(fields: readonly Field<T>[]) =>
  rowsOf(fields, (cells) => `${csvCells(cells.map((cell) => (typeof cell === 'string' ? oneLine(cell) : cell)))}\n`)

type Target = Readonly<{ write(text: string): Promise<void>; format: OutputFormat; json?: boolean }>

/** Writes records in their format, else as JSON lines; the head waits for the first record. Keeps the records for `--json`. */
export async function writeRows<T>(
  { write, format, json }: Target,
  records: AsyncIterable<T> | Iterable<T>,
  formats: Readonly<Partial<Record<OutputFormat, Rows<T>>>>,
  summary: () => string = () => '',
): Promise<T[]> {
  const rows: Rows<T> = formats[format] ?? { row: line }
  const kept: T[] = []
  let head = rows.head?.() ?? ''
  for await (const record of records) {
    if (json) kept.push(record)
    await write(head + rows.row(record))
    head = ''
  }
  await write(head + (rows.foot?.(summary()) ?? ''))
  return kept
}

/** GitHub limits a comment to 65,536 characters; the texts around the table need the rest. */
const MOST_CHARS = 55_000

/** Makes a table for a pull request, of cells that are Markdown. The table ends before the limit of a comment, and counts the missing rows. */
export function markdownOf<T>(fields: readonly Field<T>[]): Required<Rows<T>> {
  const { head, row } = rowsOf(fields, (cells) => `| ${cells.join(' | ')} |\n`)
  let [chars, missing] = [0, 0]
  return {
    head: () => `${head()}|${'---|'.repeat(fields.length)}\n`,
    row(record) {
      const text = row(record)
      chars += text.length
      if (chars <= MOST_CHARS) return text
      missing++
      return ''
    },
    foot(summary) {
      const more = missing === 0 ? '' : `\nNot shown: ${missing} more rows.\n`
      const lines = summary.split('\n').map((text) => `- ${code(clip(text.replace(/ +/g, ' '), 1000))}\n`)
      return `${more}\n${lines.join('')}`
    },
  }
}

/** Renders text inside `<code>`, where GitHub resolves no mention, link or reference. */
export const code = (text: string): string => (text === '' ? '' : `<code>${escaped(text)}</code>`)

const PLAIN = new Set([' ', '/', '-', ',', '–', '…'])
const referenceTo = (char: string) => (PLAIN.has(char) ? char : `&#${char.codePointAt(0)};`)

/** Escapes every character that Markdown, HTML or an address could use, as a character reference. */
export const escaped = (text: string): string => text.toWellFormed().replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, referenceTo)
