import type { Actor } from '../../schemas/vocabulary.ts'
import type { Part } from '../trajectory/trajectory.ts'

/** What a quote is set in, where it says by name which part it is from: `Bash.command: make`, `"command": "make"`, `Bash(make)`, `[tool_output] make`. */
interface Framed {
  readonly name: string
  readonly text: string
}

const QUOTES = '"\'`'
const MOST_COLONS = 4

const COMMON: Readonly<Partial<Record<Actor, readonly string[]>>> = {
  agent_action: ['action', 'bash', 'cmd', 'command', 'shell'],
  tool_output: ['observation', 'output', 'result', 'stdout'],
}

/** The names by which a quote can say that it is from a part, in lower case: its own, the pieces of it, who wrote it, and common ones. */
export const namesOfPart = ({ name, actor }: Part): readonly string[] => [
  ...[name, actor, ...name.split('.')].filter((one) => one.length > 1 && Number.isNaN(Number(one))).map(lower),
  ...(COMMON[actor] ?? []),
]

const lower = (text: string): string => text.toLowerCase()

/** Takes off the outermost frame that one of the names makes; null: there is none. */
export function withoutFrame(quote: string, names: ReadonlySet<string>): Framed | null {
  const text = quote.trim()
  const framed = (name: string, rest: string): Framed | null =>
    names.has(lower(name)) ? { name: lower(name), text: rest.trim() } : null
  if (text.startsWith('[')) {
    const end = text.indexOf(']')
    return end === -1 ? null : framed(text.slice(1, end), text.slice(end + 1))
  }
  const call = text.endsWith(')') ? text.indexOf('(') : -1
  const value = text.indexOf('=')
  return (
    (call === -1 ? null : framed(text.slice(0, call), text.slice(call + 1, -1))) ??
    (value === -1 || !isQuote(text[value + 1]) ? null : framed(text.slice(0, value), text.slice(value + 1))) ??
    withoutLabel(text, framed)
  )
}

/** A name can hold a colon of its own. */
function withoutLabel(text: string, framed: (name: string, rest: string) => Framed | null): Framed | null {
  let at = text.indexOf(':')
  for (let colons = 0; at !== -1 && colons < MOST_COLONS; colons++, at = text.indexOf(':', at + 1)) {
    const next = text[at + 1] ?? ''
    if (next.trim() !== '' && !isQuote(next)) continue
    const label = text.slice(0, at)
    const isQuoted = isQuote(label[0]) && label.endsWith(label[0] ?? '')
    const found = framed(isQuoted ? label.slice(1, -1) : label, text.slice(at + 1))
    if (found !== null) return found
  }
  return null
}

const isQuote = (character: string | undefined): boolean => character !== undefined && QUOTES.includes(character)
