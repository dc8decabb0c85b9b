import { readTables } from '../../tables.ts'

/** A way in which a surface comes back, as `tables/manglings.yaml` writes it. */
interface Mangling {
  /** The command that brings it so. */
  readonly command: string
  readonly cut?: number
  readonly words?: number
  readonly pad?: number
  readonly row?: string
  readonly joint?: string
  readonly whole?: string
  readonly encode?: 'json' | 'xxd' | 'capitals' | 'wide'
}

export const { manglings: MANGLINGS } = readTables<{ manglings: Readonly<Record<string, Mangling>> }>(
  'attack/tables/manglings',
)

function cutAt(width: number, line: string): string[] {
  const rows: string[] = []
  for (let from = 0; from < Math.max(1, line.length); from += width) rows.push(line.slice(from, from + width))
  return rows
}

function wrapWords(width: number, line: string): string[] {
  const rows = ['']
  for (const word of line.split(' ')) {
    const row = rows.at(-1) ?? ''
    if (row !== '' && row.length + word.length + 1 > width) rows.push(word)
    else rows[rows.length - 1] = row === '' ? word : `${row} ${word}`
  }
  return rows
}

function hexDump(text: string): string {
  return cutAt(32, Buffer.from(text).toString('hex'))
    .map((digits, at) => {
      const bytes = Buffer.from(digits, 'hex')
      const shown = [...bytes].map((byte) => (byte < 32 || byte > 126 ? '.' : String.fromCharCode(byte))).join('')
      return `${(at * 16).toString(16).padStart(8, '0')}: ${digits.replace(/(.{4})/g, '$1 ').padEnd(40)} ${shown}`
    })
    .join('\n')
}

const ENCODINGS: Readonly<Record<NonNullable<Mangling['encode']>, (text: string) => string>> = {
  json: (text) => JSON.stringify({ message: JSON.stringify(text) }),
  xxd: hexDump,
  capitals: (text) => text.toUpperCase(),
  wide: (text) => text.replaceAll(' ', '  '),
}

/** Shows the lines of a surface in that way. */
export function mangled(
  { cut, words, pad = 0, row = 'ROW', joint = '\n', whole, encode }: Mangling,
  lines: readonly string[],
): string {
  const rows = lines.flatMap((line) => (cut ? cutAt(cut, line) : words ? wrapWords(words, line) : [line]))
  const shown = rows.map((text, at) =>
    row
      .replace(/NUMBER(\d?)/, (_all, width: string) => String(at + 1).padStart(Number(width)))
      .replace('ROW', () => text.padEnd(pad)),
  )
  const all = shown.join(joint)
  if (encode !== undefined) return ENCODINGS[encode](all)
  return whole === undefined ? all : whole.replace('ALL', () => all)
}
