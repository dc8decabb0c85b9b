import { type OpenCall, openCall, type ToolSpec } from '../tools/tool-table.ts'
import type { Slices } from './slices.ts'

/** One parameter of a call that is written as tags: its name and where its value stands. */
interface Parameter {
  readonly name: string
  /** Where its opening tag begins. */
  readonly open: number
  readonly start: number
  readonly end: number
}

/** How the parameters of a call are written. */
export interface ParameterMarks {
  /** The name of the parameter whose tag opens at `at`, and where its value begins; null where no tag of one does. */
  opens(text: string, at: number): { readonly name: string; readonly start: number } | null
  closing(name: string): string
  /** Whether the last closing tag of the call ends the value: what it holds may itself hold such tags. */
  isGreedy?(name: string): boolean
}

/** `<parameter=name>value</parameter>`. */
export const EQUALS_MARKS: ParameterMarks = {
  opens(text, at) {
    if (!text.startsWith('<parameter=', at)) return null
    const end = tagEnd(text, at)
    return end === -1 ? null : { name: text.slice(at + '<parameter='.length, end), start: end + 1 }
  },
  closing: () => '</parameter>',
}

/** `<parameter name="name">value</parameter>`. */
export const NAMED_MARKS: ParameterMarks = {
  opens: (text, at) => {
    const end = text.startsWith('<parameter name="', at) ? tagEnd(text, at) : -1
    return end === -1 ? null : { name: text.slice(at + '<parameter name="'.length, end - 1), start: end + 1 }
  },
  closing: () => '</parameter>',
}

/** `<arg_key>name</arg_key><arg_value>value</arg_value>`. */
export const KEY_MARKS: ParameterMarks = {
  opens: (text, at) => {
    const [head, name] = KEY.exec(text.slice(at, at + MAX_TAG)) ?? []
    return head === undefined || name === undefined ? null : { name, start: at + head.length }
  },
  closing: () => '</arg_value>',
}
const KEY = /^<arg_key>([^<]{1,100})<\/arg_key>\s{0,5}<arg_value>/

/** `<name>value</name>`. */
export const NAME_MARKS: ParameterMarks = {
  opens(text, at) {
    const end = tagEnd(text, at)
    const name = end === -1 ? '' : text.slice(at + 1, end)
    return name !== '' && [...name].every(isNameChar) ? { name, start: end + 1 } : null
  },
  closing: (name) => `</${name}>`,
  isGreedy: (name) => name === 'content' || name === 'diff',
}

const MAX_TAG = 120
const isNameChar = (char: string): boolean =>
  (char >= 'a' && char <= 'z') ||
  (char >= 'A' && char <= 'Z') ||
  (char >= '0' && char <= '9') ||
  char === '_' ||
  char === '-'

/** Where the tag ends that opens at `at`; -1 where it is too long to be one. */
export function tagEnd(text: string, at: number): number {
  const end = text.slice(at, at + MAX_TAG).indexOf('>')
  return end === -1 ? -1 : at + end
}

/** The parameters between two places of a text. One that is not closed reaches to the end: it was cut off. */
function parametersIn(text: string, start: number, end: number, marks: ParameterMarks): Parameter[] {
  const found: Parameter[] = []
  for (let at = text.indexOf('<', start); at !== -1 && at < end; at = text.indexOf('<', at)) {
    const opened = marks.opens(text, at)
    if (opened === null || opened.start > end) {
      at++
      continue
    }
    const closing = marks.closing(opened.name)
    // A copy of the call alone: a search to the end of the text, for every call of it, would take quadratic time.
    const rest = text.slice(opened.start, end)
    const stop = marks.isGreedy?.(opened.name) === true ? rest.lastIndexOf(closing) : rest.indexOf(closing)
    const valueEnd = stop === -1 ? end : opened.start + stop
    found.push({ name: opened.name, open: at, start: opened.start, end: valueEnd })
    at = stop === -1 ? end : valueEnd + closing.length
    if (found.length >= MAX_PARAMETERS) break
  }
  return found
}

/** More than any tool has; what is beyond stays in the last one's place as markup. */
const MAX_PARAMETERS = 100

interface TaggedCall {
  readonly tool: string
  readonly spec: ToolSpec | undefined
  /** The whole call with its tags, and what stands between them. */
  readonly start: number
  readonly end: number
  readonly inner: { readonly start: number; readonly end: number }
}

/** A call as its parameters; as one piece where it has none, and what stands between its tags is what it was given. */
export function sliceCall(slices: Slices, text: string, tagged: TaggedCall, marks: ParameterMarks): OpenCall {
  const { tool, spec, start, end, inner } = tagged
  const call = openCall(tool)
  slices.say(start)
  const parameters = parametersIn(text, inner.start, inner.end, marks)
  const isBare = parameters.length === 0 && text.slice(inner.start, inner.end).trim() === ''
  if (isBare) slices.bare(start, end, call, spec)
  else slices.skip(inner.start)
  const args = Object.fromEntries(parameters.map((one) => [one.name, trimmed(text, one)]))
  for (const one of parameters) {
    const { from, to } = trimmedPlace(text, one)
    slices.stray(one.open, call)
    slices.argument(from, to, { call, spec, argument: one.name, args })
    slices.skip(one.end + marks.closing(one.name).length)
  }
  if (!isBare) slices.stray(inner.end, call)
  slices.skip(end)
  return call
}

/** A value without the line break after its opening tag and before its closing one. */
function trimmedPlace(text: string, { start, end }: Parameter): { from: number; to: number } {
  const from = text[start] === '\n' ? start + 1 : start
  const to = end > from && text[end - 1] === '\n' ? end - 1 : end
  return { from: Math.min(from, to), to }
}

function trimmed(text: string, parameter: Parameter): string {
  const { from, to } = trimmedPlace(text, parameter)
  return text.slice(from, to).trim()
}
