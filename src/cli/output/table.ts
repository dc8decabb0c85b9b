import { csvCells } from '../../domain/text/escape.ts'
import { oneLine, type Paint, pad } from './text.ts'

/** A column of a table on the screen; the last one needs no width. */
export type Column<T> = readonly [title: string, width: number, of: (record: T) => string]

const plain: Paint = (_style, text) => text

/** Writes a table of columns, two blanks apart. */
export function tableOf<T>(columns: readonly Column<T>[]) {
  const write = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => pad(cell, columns[at]?.[1] ?? 0))
      .join('  ')
      .trimEnd()
  return {
    head: (paint = plain): string => `${paint('bold', write(columns.map(([title]) => title)))}\n`,
    row: (record: T): string => `${write(columns.map(([, , of]) => of(record)))}\n`,
  }
}

export type Cell = string | number | boolean | null | undefined
/** A column of CSV. */
export type Field<T> = readonly [name: string, of: (record: T) => Cell]

/** Writes CSV. Numbers stay numbers; texts are guarded against formulas. */
export const csvOf = <T>(fields: readonly Field<T>[]) => ({
  head: (): string => csvLine(fields.map(([name]) => name)),
  row: (record: T): string => csvLine(fields.map(([, of]) => of(record))),
})

const csvLine = (cells: readonly Cell[]): string =>
  `${csvCells(cells.map((cell) => (typeof cell === 'string' ? oneLine(cell) : cell)))}\n`
