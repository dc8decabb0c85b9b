import { clip, clipFront } from './text.ts'

/** GitHub limits a comment to 65,536 characters; the texts around the table need the rest. */
const MOST_CHARS = 55_000
const MOST_NAME = 120
const MOST_WHY = 200

export interface MarkdownRow {
  readonly name: string
  readonly status: string
  readonly label: string | null
  readonly confidence: string
  readonly contradicted: boolean
  readonly unread: number | null
  readonly why: string
}

/** Renders a table for a pull request. The table ends before the limit of a comment, and counts the missing rows. */
export class MarkdownRows {
  private chars = 0
  private missing = 0

  head(): string {
    return '| item | status | label | confidence | unread | why |\n|---|---|---|---|---|---|\n'
  }

  row({ name, status, label, confidence, contradicted, unread, why }: MarkdownRow): string {
    const cells = [
      code(clipFront(name, MOST_NAME)),
      escaped(status),
      label === null ? '–' : `${code(clip(label, MOST_NAME))}${contradicted ? ' ⚠' : ''}`,
      escaped(confidence),
      unread === null ? '–' : String(unread),
      code(clip(why, MOST_WHY)),
    ]
    const text = `| ${cells.join(' | ')} |\n`
    if (this.missing > 0 || this.chars + text.length > MOST_CHARS) {
      this.missing++
      return ''
    }
    this.chars += text.length
    return text
  }

  /** Renders the end of the table with the lines of `summary`. */
  foot(summary: string): string {
    const more = this.missing === 0 ? '' : `\nNot shown: ${this.missing} more rows.\n`
    return `${more}\n${summary
      .split('\n')
      .map((line) => `- ${code(clip(line.replace(/ +/g, ' '), 1000))}\n`)
      .join('')}`
  }
}

/** Renders text inside `<code>`, where GitHub resolves no mention, link or reference. */
const code = (text: string): string => (text === '' ? '' : `<code>${escaped(text)}</code>`)

/** Escapes every character that Markdown, HTML or an address could use, as a character reference. */
export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{P}\p{S}\p{Z}\p{C}]/gu, (char) => (PLAIN.has(char) ? char : `&#${char.codePointAt(0)};`))

const PLAIN = new Set([' ', '/', '-', ',', '–', '…'])
