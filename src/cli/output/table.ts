import { csvCells } from '../../domain/text/escape.ts'
import { clip, line, oneLine, type Paint, pad, plain } from './text.ts'

/** Rows of one format: a head, a text for each record, and an end with the lines of a summary. */
export interface Rows<T> {
  head(): string
  row(record: T): string
  foot(summary: string): string
}

/** A column of a table on the screen; the last column needs no width. */
export type Column<T> = readonly [title: string, width: number, of: (record: T) => string]
export type Cell = string | number | boolean | null | undefined
/** A column of CSV. */
export type Field<T> = readonly [name: string, of: (record: T) => Cell]

/** Makes a table of columns, two blanks apart. */
export function tableOf<T>(columns: readonly Column<T>[], paint: Paint = plain): Rows<T> {
  const lineOf = (cells: readonly string[]): string => {
    const padded = cells.map((cell, at) => pad(cell, columns[at]?.[1] ?? 0))
    return padded.join('  ').trimEnd()
  }
  return {
    head: () => `${paint('bold', lineOf(columns.map(([title]) => title)))}\n`,
    row: (record) => `${lineOf(columns.map(([, , of]) => of(record)))}\n`,
    foot: (summary) => `\n${summary}\n`,
  }
}

/** Makes CSV. Numbers stay numbers; texts are guarded against formulas. */
export function csvOf<T>(fields: readonly Field<T>[]): Rows<T> {
  const lineOf = (cells: readonly Cell[]): string =>
    `${csvCells(cells.map((cell) => (typeof cell === 'string' ? oneLine(cell) : cell)))}\n`
  return {
    head: () => lineOf(fields.map(([name]) => name)),
    row: (record) => lineOf(fields.map(([, of]) => of(record))),
    foot: () => '',
  }
}

export const NDJSON: Rows<unknown> = { head: () => '', row: line, foot: () => '' }

/** GitHub limits a comment to 65,536 characters; the texts around the table need the rest. */
const MOST_CHARS = 55_000

/** Makes a table for a pull request, of cells that are Markdown. The table ends before the limit of a comment, and counts the missing rows. */
export function markdownOf<T>(columns: readonly (readonly [title: string, of: (record: T) => string])[]): Rows<T> {
  let chars = 0
  let missing = 0
  return {
    head: () => `| ${columns.map(([title]) => title).join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`,
    row(record) {
      const text = `| ${columns.map(([, of]) => of(record)).join(' | ')} |\n`
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

/** Escapes every character that Markdown, HTML or an address could use, as a character reference. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, (char) => (PLAIN.has(char) ? char : `&#${char.codePointAt(0)};`))
