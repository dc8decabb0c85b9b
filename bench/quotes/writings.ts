import type { Part, Trajectory } from '../../src/domain/trajectory/trajectory.ts'

/** A piece of a part that a judge could quote. */
export interface Span {
  readonly part: Part
  readonly step: number
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Numbers from a seed (xorshift32). */
export function createRandom(seed: number): (below: number) => number {
  let state = seed | 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % Math.max(1, below)
  }
}

/** A way to write a quote; null where the span gives no occasion for it. */
export interface Writing {
  readonly kind: string
  readonly honest: boolean
  readonly write: (span: Span, random: (below: number) => number) => string | null
}

const changed = (before: string, after: string): string | null => (before === after ? null : after)
const escapeJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const unicode = (text: string): string =>
  text.replaceAll(/["\u0080-\uffff<>&']/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
const NUMBER = /^ {0,12}\d{1,7}(?:\t| ?[|│→]|:(?!\d))/
const isCounted = (lines: readonly string[]): boolean => {
  const numbers = lines.map((line) => Number.parseInt(line, 10))
  return numbers.every((one, index) => index === 0 || one === (numbers[index - 1] ?? 0) + 1)
}

/** The span from the start of its first line, its prefixes taken off; null where not every line has one. */
function withoutPrefixes({ part, start, end }: Span, prefix: RegExp, counted: boolean): string | null {
  const first = part.text.lastIndexOf('\n', start - 1) + 1
  const lines = part.text.slice(start === 0 ? 0 : first, end).split('\n')
  if (lines.length < 2 || !lines.every((line) => prefix.test(line)) || (counted && !isCounted(lines))) return null
  return lines.map((line) => line.replace(prefix, '')).join('\n')
}

const beginsLine = ({ part, start }: Span): boolean =>
  part.text.slice(part.text.slice(0, start).lastIndexOf('\n') + 1, start).trim() === ''
const endsLine = ({ part, end }: Span): boolean => (part.text[end] ?? '\n') === '\n'

const plainly = ({ text }: Span): string => text
const numbers = (span: Span) => withoutPrefixes(span, NUMBER, true)
const emphasis = ({ text, part }: Span): string | null =>
  part.actor === 'agent_action'
    ? null
    : changed(
        text,
        text
          .replaceAll(/(?<![\w*\\`])\*\*(?=[^\s*])([^*\n`]*[^\s*`])\*\*(?![\w*])/g, '$1')
          .replaceAll(/(?<![\w`\\])`(?=[^\s`])([^`\n*_]*[^\s`*_])`(?![\w`])/g, '$1'),
      )
const decoded = ({ text }: Span): string | null => {
  try {
    return changed(
      text,
      String(
        JSON.parse(
          `"${text
            .replaceAll(/(?<!\\)((?:\\\\)*)"/g, '$1\\"')
            .replaceAll('\n', '\\n')
            .replaceAll('\t', '\\t')}"`,
        ),
      ),
    )
  } catch {
    return null
  }
}

const framed = (before: string, text: string | null, after: string): string | null =>
  text === null ? null : `${before}${text}${after}`

const honest = (kind: string, write: Writing['write']): Writing => ({ kind, honest: true, write })

export const HONEST: readonly Writing[] = [
  honest('verbatim', plainly),
  honest('trailing space', ({ text }) => `${text} `),
  honest('white space folded', ({ text }) => changed(text, text.replaceAll(/\s+/g, ' '))),
  honest('typographic quotes', ({ text }) => changed(text, text.replaceAll("'", '’').replaceAll('"', '”'))),
  honest('`backticks`', ({ text }) => `\`${text}\``),
  honest('```fence', ({ text }) => `\`\`\`bash\n${text}\n\`\`\``),
  honest('"straight"', ({ text }) => `"${text}"`),
  honest("'single'", ({ text }) => `'${text}'`),
  honest('“typographic”', ({ text }) => `“${text}”`),
  honest('«guillemets»', ({ text }) => `« ${text} »`),
  honest('**bold**', ({ text }) => `**${text}**`),
  honest('- list mark', ({ text }) => `- ${text}`),
  honest('> quotation', ({ text }) => `> ${text}`),
  honest('name of the part', ({ text, part }) => (part.name === '' ? null : `${part.name}: ${text}`)),
  honest('name: "JSON"', ({ text, part }) =>
    part.name === '' ? null : `"${part.name.split('.').at(-1)}": ${JSON.stringify(text)}`,
  ),
  honest('name(call)', ({ text, part }) => (part.name === '' ? null : `${part.name.split('.')[0]}(${text})`)),
  honest('[actor]', ({ text, part }) => `[${part.actor}] ${text}`),
  honest('<quote>', ({ text }) => `<quote>${text}</quote>`),
  honest('full stop', (span) => (endsLine(span) ? `${span.text}.` : null)),
  honest('semicolon, quoted', (span) => (endsLine(span) ? `"${span.text}";` : null)),
  honest('line number', (span) => (beginsLine(span) ? `line 4: ${span.text}` : null)),
  honest('+ of a line', (span) => (beginsLine(span) && !/^[-+=.,\d]/.test(span.text) ? `+${span.text}` : null)),
  honest('… leading', ({ text }) => `…${text}`),
  honest('... trailing', ({ text }) => `${text}...`),
  honest('[...] both', ({ text }) => `[...] ${text} [...]`),
  honest('"…quoted, cut…"', ({ text }) => `"…${text}…"`),
  honest('\\n escaped', ({ text }) => changed(text, text.replaceAll('\n', '\\n'))),
  honest('\\" escaped', ({ text }) => (text.includes('\\') ? null : changed(text, text.replaceAll('"', '\\"')))),
  honest('\\\\ escaped', ({ text }) => (text.includes('\\') ? escapeJson(text) : null)),
  honest('\\uXXXX escaped', ({ text }) => (text.includes('\\') ? null : changed(text, unicode(text)))),
  honest('one JSON level up', ({ text }) => changed(text, escapeJson(text))),
  honest('one JSON level down', decoded),
  honest('line numbers dropped', numbers),
  honest('+ dropped', (span) => withoutPrefixes(span, /^\+(?!\+|\d)/, false)),
  honest('> dropped', (span) => withoutPrefixes(span, /^ *>(?!>) ?/, false)),
  honest('emphasis dropped', emphasis),
  honest('escaped in backticks', ({ text }) => changed(`\`${text}\``, `\`${escapeJson(text)}\``)),
  honest('folded in quotes, cut', ({ text }) => `“${text.replaceAll(/\s+/g, ' ')}…”`),
  honest('numbers dropped, fenced', (span) => framed('```\n', numbers(span), '\n```')),
  honest('emphasis dropped, quoted', (span) => framed('"', emphasis(span), '"')),
]

const SHORTEST = 20
const LONGEST = 400
/** Two lines of a listing, a diff or a quotation. */
const LISTED = /\n(?:\+.*\n\+|>.*\n>| *\d+[\t|:→].*\n *\d+[\t|:→])/

/** Lines, pieces of lines and several lines of parts that differ in what they are, as a judge picks them. */
export function pickSpans(trajectory: Trajectory, count: number, random: (below: number) => number): Span[] {
  const parts = trajectory.steps.flatMap((step, index) =>
    step.parts.flatMap((part) => (part.media || part.text.length < SHORTEST ? [] : [{ part, step: index }])),
  )
  const spans: Span[] = []
  for (let tries = 0; tries < count * 4 && spans.length < count; tries++) {
    const chosen = parts[random(parts.length)]
    if (chosen === undefined) break
    const { part, step } = chosen
    const [start, end] = pickRange(part.text, random)
    const text = part.text.slice(start, end)
    const lead = text.length - text.trimStart().length
    const trimmed = text.trim()
    const visible = [...trimmed].filter((one) => one.trim() !== '').length
    if (visible < SHORTEST || trimmed.length > LONGEST || !trimmed.isWellFormed()) continue
    spans.push({ part, step, start: start + lead, end: start + lead + trimmed.length, text: trimmed })
  }
  return spans
}

function pickRange(text: string, random: (below: number) => number): [number, number] {
  const at = random(text.length)
  const start = text.lastIndexOf('\n', at) + 1
  const kind = random(4)
  const listed = kind === 3 ? text.slice(at).search(LISTED) : -1
  if (listed !== -1) return lines(text, at + listed + 1, 1 + random(5))
  if (kind === 0) return [start, lineEnd(text, at)]
  if (kind === 1) return [at, Math.min(text.length, at + SHORTEST + random(200))]
  return lines(text, start, 1 + random(5))
}

function lines(text: string, start: number, more: number): [number, number] {
  let end = lineEnd(text, start)
  for (let left = more; left > 0 && end < text.length; left--) end = lineEnd(text, end + 1)
  return [start, end]
}

const lineEnd = (text: string, from: number): number => {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
