import { stripVTControlCharacters, styleText } from 'node:util'
import { viewPart } from '../../domain/trajectory/view.ts'

/** Text of trajectories, archives and providers on a terminal: control characters would act, so they are shown escaped. */
export const safe = (text: string): string => viewPart(text, '').text

/** The same on one line. */
export const oneLine = (text: string): string => {
  const shown = safe(text)
  return shown.includes('\n') || shown.includes('\t') ? shown.replaceAll('\n', ' ').replaceAll('\t', ' ').trim() : shown
}

/**
 * The last guard, for lines that were put together: nothing where their parts were made safe already, so that no escape is escaped
 * again.
 */
export const inert = (text: string): string => (ACTING.test(text) ? oneLine(text) : text)

/** One character class: nothing to backtrack. Controls, and the bidirectional ones. */
const ACTING = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

/** As `clip`, for names whose end tells them apart: cut in front. */
export function clipFront(text: string, length: number): string {
  const line = oneLine(text.length > length * 4 ? text.slice(-length * 4) : text)
  if (line.length <= length) return line
  const cut = line.slice(-(length - 1))
  return `…${/^[\udc00-\udfff]/.test(cut) ? cut.slice(1) : cut}`
}

/** On one line, cut to `length` UTF-16 units, never inside a surrogate pair. */
export function clip(text: string, length: number): string {
  // Escaping a megabyte to show a line of it would be waste; an escape is never shorter than what it stands for.
  const line = oneLine(text.length > length * 4 ? text.slice(0, length * 4) : text)
  if (line.length <= length) return line
  const cut = line.slice(0, length - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** Broken between words into lines of `columns` at the most; those behind the first are indented, and the first begins there. */
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

/** Colours where they are wanted: on a terminal that is not dumb, and never where NO_COLOR is set (no-color.org). */
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

/** Padded to a width in which styles do not count. */
export const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - stripVTControlCharacters(text).length))

/** Cells in columns of these widths, two blanks apart; the last may have any width. */
export const columns = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, at) => pad(cell, widths[at] ?? 0))
    .join('  ')
    .trimEnd()

/** `12.5%` */
export const percent = (share: number): string => `${(100 * share).toFixed(1)}%`

/** `aligned 120 · compliant 40`; what is 0 or absent is left out. */
export const tally = (counts: Readonly<Record<string, number | undefined>>): string =>
  Object.entries(counts)
    .filter(([, n]) => n !== undefined && n > 0)
    .map(([word, n]) => `${oneLine(word)} ${n}`)
    .join(' · ')

/** Dollars with as many digits as tell something. */
export const dollars = (usd: number): string => {
  if (usd === 0) return '$0'
  return usd >= 1 ? `$${usd.toFixed(2)}` : `$${usd.toPrecision(2).includes('e') ? usd.toExponential(1) : trim(usd)}`
}

const trim = (usd: number): string =>
  Number(usd.toPrecision(2))
    .toFixed(6)
    .replace(/0{1,4}$/, '')
