import { type OpenCall, openCall, type ToolSpec } from '../tools/tool-table.ts'
import type { Slices } from './slices.ts'

/** One parameter of a call in tags: its name and the range of its value. */
interface Parameter {
  readonly name: string
  /** The start of its opening tag. */
  readonly open: number
  readonly start: number
  readonly end: number
}

/** The tags around the parameters of a call. */
export interface ParameterMarks {
  /** Returns the parameter whose tag opens at `at`, with the start of its value; null at other places. */
  opens(text: string, at: number): { readonly name: string; readonly start: number } | null
  closing(name: string): string
  /** True when the last closing tag of the call ends the value, which may itself hold such tags. */
  isGreedy?(name: string): boolean
}

/** Marks of `<parameter=name>value</parameter>`. */
export const EQUALS_MARKS: ParameterMarks = {
  opens(text, at) {
    if (!text.startsWith('<parameter=', at)) return null
    const end = tagEnd(text, at)
    return end === -1 ? null : { name: text.slice(at + '<parameter='.length, end), start: end + 1 }
  },
  closing: () => '</parameter>',
}

/** Marks of `<parameter name="name">value</parameter>`. */
export const NAMED_MARKS: ParameterMarks = {
  opens: (text, at) => {
    const end = text.startsWith('<parameter name="', at) ? tagEnd(text, at) : -1
    return end === -1 ? null : { name: text.slice(at + '<parameter name="'.length, end - 1), start: end + 1 }
  },
  closing: () => '</parameter>',
}

/** Marks of `<arg_key>name</arg_key><arg_value>value</arg_value>`. */
export const KEY_MARKS: ParameterMarks = {
  opens: (text, at) => {
    const [head, name] = KEY.exec(text.slice(at, at + MAX_TAG)) ?? []
    return head === undefined || name === undefined ? null : { name, start: at + head.length }
  },
  closing: () => '</arg_value>',
}
const KEY = /^<arg_key>([^<]{1,100})<\/arg_key>\s{0,5}<arg_value>/

/** Marks of `<name>value</name>`. */
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

/** Finds the end of the tag that opens at `at`; -1 where the text is too long for a tag. */
export function tagEnd(text: string, at: number): number {
  const end = text.slice(at, at + MAX_TAG).indexOf('>')
  return end === -1 ? -1 : at + end
}

/** Lists the parameters between two positions. An unclosed parameter was cut off and reaches to the end. */
function parametersIn(text: string, start: number, end: number, marks: ParameterMarks): Parameter[] {
  const parameters: Parameter[] = []
  for (let at = text.indexOf('<', start); at !== -1 && at < end; at = text.indexOf('<', at)) {
    const opened = marks.opens(text, at)
    if (opened === null || opened.start > end) {
      at++
      continue
    }
    const closing = marks.closing(opened.name)
    // The search runs in the call's own text: a search to the end of the whole text for every call would take quadratic time.
    const rest = text.slice(opened.start, end)
    const stop = marks.isGreedy?.(opened.name) === true ? rest.lastIndexOf(closing) : rest.indexOf(closing)
    const valueEnd = stop === -1 ? end : opened.start + stop
    parameters.push({ name: opened.name, open: at, start: opened.start, end: valueEnd })
    at = stop === -1 ? end : valueEnd + closing.length
    if (parameters.length >= MAX_PARAMETERS) break
  }
  return parameters
}

/** Bounds the parameters of a call, above any tool's; the rest stays markup in the last parameter's place. */
const MAX_PARAMETERS = 100

interface TaggedCall {
  readonly tool: string
  readonly spec: ToolSpec | undefined
  /** The range of the whole call with its tags, and the range between them. */
  readonly start: number
  readonly end: number
  readonly inner: { readonly start: number; readonly end: number }
}

/** Slices a call into its parameters; a call without parameters is one slice, whose inner text is its argument. */
export function sliceCall(slices: Slices, text: string, tagged: TaggedCall, marks: ParameterMarks): OpenCall {
  const { tool, spec, start, end, inner } = tagged
  const call = openCall(tool)
  slices.say(start)
  const parameters = parametersIn(text, inner.start, inner.end, marks)
  const isBare = parameters.length === 0 && text.slice(inner.start, inner.end).trim() === ''
  if (isBare) slices.bare(start, end, call, spec)
  else slices.skip(inner.start)
  const args = Object.fromEntries(parameters.map((parameter) => [parameter.name, trimmed(text, parameter)]))
  for (const parameter of parameters) {
    const { from, to } = trimmedPlace(text, parameter)
    slices.stray(parameter.open, call)
    slices.argument(from, to, { call, spec, argument: parameter.name, args })
    slices.skip(parameter.end + marks.closing(parameter.name).length)
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
