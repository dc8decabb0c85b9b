import { clip } from './text.ts'

/** GitHub limits a comment to 65,536 characters; the texts around the table need the rest. */
const MOST_CHARS = 55_000

/** Writes a table for a pull request, of cells that are Markdown. The table ends before the limit of a comment, and counts the missing rows. */
export function markdownOf<T>(columns: readonly (readonly [title: string, of: (record: T) => string])[]) {
  let chars = 0
  let missing = 0
  return {
    head: (): string => `| ${columns.map(([title]) => title).join(' | ')} |\n|${'---|'.repeat(columns.length)}\n`,
    row(record: T): string {
      const text = `| ${columns.map(([, of]) => of(record)).join(' | ')} |\n`
      chars += text.length
      if (chars <= MOST_CHARS) return text
      missing++
      return ''
    },
    /** Renders the end of the table with the lines of `summary`. */
    foot(summary: string): string {
      const more = missing === 0 ? '' : `\nNot shown: ${missing} more rows.\n`
      const lines = summary.split('\n').map((line) => `- ${code(clip(line.replace(/ +/g, ' '), 1000))}\n`)
      return `${more}\n${lines.join('')}`
    },
  }
}

/** Renders text inside `<code>`, where GitHub resolves no mention, link or reference. */
export const code = (text: string): string => (text === '' ? '' : `<code>${escaped(text)}</code>`)

/** Escapes every character that Markdown, HTML or an address could use, as a character reference. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, (char) => (PLAIN.has(char) ? char : `&#${char.codePointAt(0)};`))

const PLAIN = new Set([' ', '/', '-', ',', '–', '…'])
