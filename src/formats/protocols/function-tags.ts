import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { isAbsent, isRecord } from '../common/reading.ts'
import { asName, isEmpty } from '../common/session.ts'
import { CLINE_TOOLS, specOf } from '../tools/harnesses.ts'
import { type ArgumentKind, meaningOfKind, named, openCall, own, type ToolSpec } from '../tools/tool-table.ts'
import { closedBy, protocolOf, type Slices, scan } from './slices.ts'

/** The tags around the parameters of a call. */
interface ParameterMarks {
  /** Returns the parameter whose tag opens at `at`, with the start of its value; null at other places. */
  opens(text: string, at: number): { readonly name: string; readonly start: number } | null
  closing(name: string): string
  /** True when the last closing tag of the call ends the value, which may itself hold such tags. */
  isGreedy?(name: string): boolean
}

const MAX_TAG = 120

/** Finds the end of the tag that opens at `at`; -1 where the text is too long for a tag. */
function tagEnd(text: string, at: number): number {
  const end = text.slice(at, at + MAX_TAG).indexOf('>')
  return end === -1 ? -1 : at + end
}

/** Marks of `<parameter=name>value</parameter>` and `<parameter name="name">value</parameter>`. */
const parameterMarks = (open: string, quote: string): ParameterMarks => ({
  opens(text, at) {
    const end = text.startsWith(open, at) ? tagEnd(text, at) : -1
    return end === -1 ? null : { name: text.slice(at + open.length, end - quote.length), start: end + 1 }
  },
  closing: () => '</parameter>',
})

const KEY = /^<arg_key>([^<]{1,100})<\/arg_key>\s{0,5}<arg_value>/

/** Marks of `<arg_key>name</arg_key><arg_value>value</arg_value>`. */
const KEY_MARKS: ParameterMarks = {
  opens: (text, at) => {
    const [head, name] = KEY.exec(text.slice(at, at + MAX_TAG)) ?? []
    return head === undefined || name === undefined ? null : { name, start: at + head.length }
  },
  closing: () => '</arg_value>',
}

const TAG_NAME = /^[A-Za-z0-9_-]+$/

/** Marks of `<name>value</name>`. */
const NAME_MARKS: ParameterMarks = {
  opens(text, at) {
    const end = tagEnd(text, at)
    const name = end === -1 ? '' : text.slice(at + 1, end)
    return TAG_NAME.test(name) ? { name, start: end + 1 } : null
  },
  closing: (name) => `</${name}>`,
  isGreedy: (name) => name === 'content' || name === 'diff',
}

/** One parameter of a call in tags: its name, its range with its tags, and the range of its value. */
type Parameter = Readonly<Record<'open' | 'start' | 'end' | 'close', number>> & { readonly name: string }

/** Bounds the parameters of a call, above any tool's; the rest stays markup in the last parameter's place. */
const MAX_PARAMETERS = 100

/** Lists the parameters between two positions, without the line breaks around a value. An unclosed parameter reaches to the end. */
function parametersIn(text: string, from: number, to: number, marks: ParameterMarks): Parameter[] {
  const parameters: Parameter[] = []
  for (let at = text.indexOf('<', from); at !== -1 && at < to; at = text.indexOf('<', at)) {
    const opened = marks.opens(text, at)
    if (opened === null || opened.start > to) {
      at++
      continue
    }
    const { name } = opened
    const closing = marks.closing(name)
    // The search runs in the call's own text: a search to the end of the whole text for every call would take quadratic time.
    const rest = text.slice(opened.start, to)
    const stop = marks.isGreedy?.(name) === true ? rest.lastIndexOf(closing) : rest.indexOf(closing)
    const valueEnd = stop === -1 ? to : opened.start + stop
    const start = text[opened.start] === '\n' ? opened.start + 1 : opened.start
    const end = valueEnd > start && text[valueEnd - 1] === '\n' ? valueEnd - 1 : valueEnd
    parameters.push({ name, open: at, start: Math.min(start, end), end, close: valueEnd + closing.length })
    at = stop === -1 ? to : valueEnd + closing.length
    if (parameters.length >= MAX_PARAMETERS) break
  }
  return parameters
}

interface TaggedCall {
  readonly tool: string
  readonly spec: ToolSpec | undefined
  /** The range of the whole call with its tags, and the range between them. */
  readonly start: number
  readonly end: number
  readonly inner: readonly [from: number, to: number]
}

/** Slices a call into its parameters; a call without parameters is one slice, whose inner text is its argument. */
function sliceCall(
  slices: Slices,
  text: string,
  { tool, spec, start, end, inner }: TaggedCall,
  marks: ParameterMarks,
): number {
  const call = openCall(tool)
  slices.say(start)
  const parameters = parametersIn(text, ...inner, marks)
  const isBare = parameters.length === 0 && text.slice(...inner).trim() === ''
  if (isBare) slices.bare(start, end, call, spec)
  else slices.skip(inner[0])
  const args = Object.fromEntries(parameters.map(({ name, start, end }) => [name, text.slice(start, end).trim()]))
  for (const parameter of parameters) {
    slices.stray(parameter.open, call)
    slices.argument(parameter.start, parameter.end, { call, spec, argument: parameter.name, args })
    slices.skip(parameter.close)
  }
  if (!isBare) slices.stray(inner[1], call)
  slices.skip(end)
  return end
}

/** The tags of one call form: `open`, the name, `nameEnd`, parameters, `close`. */
interface TagForm {
  readonly open: string
  readonly nameEnd: string
  readonly close: string
  readonly marks: ParameterMarks
  /** True when `nameEnd` is already the first parameter. */
  readonly isParameter?: true
}

const tagProtocol = (
  name: string,
  harness: string | null,
  mark: string,
  { open, nameEnd, close, marks, isParameter }: TagForm,
) =>
  protocolOf({ name, harness, announced: [mark], needsAnswer: false }, (slices, text, agent) =>
    scan(slices, text, open, (start) => {
      const head = start + open.length
      const named = nameAfter(text.slice(head, head + MAX_NAME + nameEnd.length), nameEnd)
      if (named === null) return null
      const from = head + named.length + (isParameter ? 0 : nameEnd.length)
      const [inner, end] = closedBy(text, close, from)
      const tool = named.trim()
      return sliceCall(slices, text, { tool, spec: specOf(agent, tool), start, end, inner: [from, inner] }, marks)
    }),
  )

const MAX_NAME = 100
const TOOL_NAME = /^[A-Za-z0-9_\-.:/]+$/

function nameAfter(text: string, end: string): string | null {
  const stop = text.indexOf(end)
  return stop > 0 && stop <= MAX_NAME && TOOL_NAME.test(text.slice(0, stop).trim()) ? text.slice(0, stop) : null
}

/** The protocol of `<function=name><parameter=x>…</parameter></function>`. Source: All-Hands-AI/OpenHands, openhands/llm/fn_call_converter.py. */
export const FUNCTION_TAGS = tagProtocol('function tags', 'openhands', '<function=', {
  ...{ open: '<function=', nameEnd: '>', close: '</function>' },
  marks: parameterMarks('<parameter=', ''),
})

/**
 * The protocol of `<invoke name="tool"><parameter name="x">…</parameter></invoke>`. Source: Anthropic's tool prompts from before its API
 * had tool calls.
 */
export const INVOKE_TAGS = tagProtocol('invoke tags', null, '<invoke name=', {
  ...{ open: '<invoke name="', nameEnd: '">', close: '</invoke>' },
  marks: parameterMarks('<parameter name="', '"'),
})

const CALL_OPEN = '<tool_call>'
const CALL_CLOSE = '</tool_call>'

/** The protocol of `<tool_call>tool<arg_key>x</arg_key><arg_value>…</arg_value></tool_call>`. Source: zai-org/GLM-4.5, chat_template.jinja. */
export const ARG_TAGS = tagProtocol('argument tags', null, '<arg_key>', {
  ...{ open: CALL_OPEN, nameEnd: '<arg_key>', isParameter: true, close: CALL_CLOSE },
  marks: KEY_MARKS,
})

/** The protocol of `<tool_call>{"name", "arguments"}</tool_call>`. Source: NousResearch/Hermes-Function-Calling, prompt_assets/sys_prompt.yml. */
export const HERMES = protocolOf(
  { name: 'Hermes', harness: null, announced: ['<tools>'], needsAnswer: false },
  (slices, text, agent) =>
    scan(slices, text, CALL_OPEN, (start) => {
      let from = start + CALL_OPEN.length
      while (BLANKS.has(text.charAt(from))) from++
      if (text[from] !== '{') return null
      const [to, end] = closedBy(text, CALL_CLOSE, start)
      slices.say(start)
      const { name, arguments: given } = decodeObject(text.slice(from, to)) ?? {}
      const spec = typeof name === 'string' ? specOf(agent, name) : undefined
      const args = typeof given === 'string' ? decodeObject(given) : given
      const call = openCall(asName(name) ?? 'tool_call')
      // A call that cannot be parsed may still have run; no word of it is trusted as the tool's name.
      if (asName(name) === null) slices.argument(start, end, { call, spec: undefined, argument: '', args: null })
      else if (isAbsent(given) || given === '' || given === '{}' || (isRecord(given) && isEmpty(given)))
        slices.bare(start, end, call, spec)
      // No path leads into JSON in JSON. The whole is shown, as certain as its most doubtful argument.
      else if (typeof given === 'string' && args !== null)
        slices.argument(start, end, { call, spec: undefined, argument: '', args })
      else slices.json(from, to, leavesOf(given, '/arguments'), { call, spec, args })
      slices.skip(end)
      return end
    }),
)

const BLANKS: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n'])

const MAX_GAP = 20

/**
 * The protocol of `<execute_command><command>…</command></execute_command>`. Source: cline/cline,
 * src/core/assistant-message/parse-assistant-message.ts; Roo Code adopted it. Only Cline's own tools count: any other tag is text, and so
 * is a tag without a parameter behind it, which is only mentioned.
 */
export const CLINE_TAGS = protocolOf(
  {
    ...{ name: 'Cline', harness: 'cline', needsAnswer: false },
    announced: ['<execute_command>', '<write_to_file>', '<attempt_completion>'],
  },
  (slices, text) =>
    scan(slices, text, '<', (start) => {
      const from = tagEnd(text, start) + 1
      const tool = from === 0 ? '' : text.slice(start + 1, from - 1)
      const spec = own(CLINE_TOOLS, tool)
      if (spec === undefined || text.slice(from, from + MAX_GAP).trimStart()[0] !== '<') return null
      const [inner, end] = closedBy(text, `</${tool}>`, from)
      return sliceCall(slices, text, { tool, spec, start, end, inner: [from, inner] }, NAME_MARKS)
    }),
)

/** The language that each tag of CodeAct runs. Source: All-Hands-AI/OpenHands before 0.14, agenthub/codeact_agent/action_parser.py. */
const TAGS: Readonly<Record<string, ArgumentKind>> = {
  ...named('shell', 'execute_bash execute_global'),
  ...{ execute_ipython: 'code', execute_browse: 'unknown' },
}

/** The protocol of `<execute_bash>…</execute_bash>`. The harness stops the model at the closing tag, so the tag may be missing. */
export const EXECUTE_TAGS = protocolOf(
  {
    ...{ name: 'execute tags', harness: 'openhands', needsAnswer: false },
    announced: Object.keys(TAGS).map((tag) => `<${tag}>`),
  },
  (slices, text) =>
    scan(slices, text, '<execute_', (start) => {
      const from = tagEnd(text, start) + 1
      const tag = from === 0 ? '' : text.slice(start + 1, from - 1)
      const kind = own(TAGS, tag)
      if (kind === undefined) return null
      const [to, end] = closedBy(text, `</${tag}>`, from)
      slices.say(start)
      slices.skip(from)
      slices.piece(from, to, { name: tag, ...meaningOfKind(kind, null, openCall(tag)) })
      slices.skip(end)
      return end
    }),
)
