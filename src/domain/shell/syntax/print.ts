import type { Machine, Status } from '../commands/machine.ts'
import type { Call } from './call.ts'
import { LONGEST_SCRIPT } from './parse-script.ts'

/** What `echo` and `printf` print goes where their output goes. */
export function print(machine: Machine, { name, fields, scope }: Call, text: string): Status {
  const first = fields[1]
  const start = first?.start ?? fields[0]?.start ?? 0
  const end = fields.at(-1)?.end ?? start
  machine.paint(fields[0]?.start ?? 0, fields[0]?.end ?? 0, 'told')
  const last = fields.at(-1)
  const verbatim = last !== undefined && last === first && last.verbatim !== null && text.startsWith(last.text)
  // Where an instruction asks to print something, printing it may be the act.
  const isShown = scope.out.pieces === null && scope.out.flow === 'shown'
  if (isShown && machine.context.says(name)) machine.record.say(text, 'unsure', 'unsure')
  machine.emit({ text, start: verbatim ? (last.verbatim ?? start) : start, end, frame: machine.frame, verbatim }, scope)
  return true
}

export function echoed(words: readonly string[]): string {
  let at = 1
  let escapes = false
  while (/^-[neE]+$/u.test(words[at] ?? '')) {
    if (words[at]?.includes('e') === true) escapes = true
    at++
  }
  const text = words.slice(at).join(' ')
  return escapes ? withoutEscapes(text) : text
}

/** `printf` with its arguments put in; a format that is used again prints each on a line of its own, or so it seems to a search. */
export function formatted(words: readonly string[]): string {
  const at = words[1] === '--' ? 2 : words[1] === '-v' ? 4 : 1
  const format = withoutEscapes(words[at] ?? '')
  const values = words.slice(at + 1)
  const holes = format.split(/%[-+ 0-9.]*[sdbqi]/u)
  if (holes.length === 1) return format
  let out = ''
  for (let next = 0; (next === 0 || next < values.length) && out.length < LONGEST_SCRIPT; next += holes.length - 1)
    out += holes.map((text, index) => (index === 0 ? text : (values[next + index - 1] ?? '') + text)).join('')
  return out
}

const withoutEscapes = (text: string): string =>
  text.replaceAll('\\n', '\n').replaceAll('\\t', '\t').replaceAll('\\"', '"')
