import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { cutName, isAbsent, isRecord } from '../common/reading.ts'
import { CLINE_TOOLS } from '../tools/cline.ts'
import { specOf } from '../tools/lookup.ts'
import { meaningOfKind, openCall } from '../tools/tool-table.ts'
import { Slices, type TextActs } from './slices.ts'
import {
  EQUALS_MARKS,
  KEY_MARKS,
  NAME_MARKS,
  NAMED_MARKS,
  type ParameterMarks,
  sliceCall,
  tagEnd,
} from './tag-parameters.ts'

const MAX_NAME = 100
const NAME_CHARS: ReadonlySet<string> = new Set('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/')

/** The tags of one call form: `open`, the name, `nameEnd`, parameters, `close`. */
interface TagForm {
  readonly open: string
  readonly nameEnd: string
  readonly close: string
  readonly marks: ParameterMarks
  /** True when `nameEnd` is already the first parameter. */
  readonly isParameter?: true
}

const splitTags =
  ({ open, nameEnd, close, marks, isParameter }: TagForm): TextActs['split'] =>
  (text, agent) => {
    const slices = new Slices(text)
    for (let start = text.indexOf(open); start !== -1 && !slices.isFull; ) {
      const name = nameAfter(text.slice(start + open.length, start + open.length + MAX_NAME + nameEnd.length), nameEnd)
      const from = start + open.length + (name?.length ?? 0) + (isParameter ? 0 : nameEnd.length)
      const stop = name === null ? -1 : text.indexOf(close, from)
      const [inner, end] = stop === -1 ? [text.length, text.length] : [stop, stop + close.length]
      if (name === null) {
        start = text.indexOf(open, start + open.length)
        continue
      }
      const tool = name.trim()
      sliceCall(
        slices,
        text,
        { tool, spec: specOf(agent, tool), start, end, inner: { start: from, end: inner } },
        marks,
      )
      start = text.indexOf(open, end)
    }
    return slices.finish()
  }

/**
 * The protocol of `<function=name><parameter=x>…</parameter></function>`. Source: All-Hands-AI/OpenHands,
 * openhands/llm/fn_call_converter.py.
 */
export const FUNCTION_TAGS: TextActs = {
  name: 'function tags',
  harness: 'openhands',
  announced: ['<function='],
  needsAnswer: false,
  split: splitTags({ open: '<function=', nameEnd: '>', close: '</function>', marks: EQUALS_MARKS }),
}

/**
 * The protocol of `<invoke name="tool"><parameter name="x">…</parameter></invoke>`. Source: Anthropic's tool prompts from before its API
 * had tool calls.
 */
export const INVOKE_TAGS: TextActs = {
  name: 'invoke tags',
  harness: null,
  announced: ['<invoke name='],
  needsAnswer: false,
  split: splitTags({ open: '<invoke name="', nameEnd: '">', close: '</invoke>', marks: NAMED_MARKS }),
}

/**
 * The protocol of `<tool_call>tool<arg_key>x</arg_key><arg_value>…</arg_value></tool_call>`. Source: zai-org/GLM-4.5, chat_template.jinja.
 */
export const ARG_TAGS: TextActs = {
  name: 'argument tags',
  harness: null,
  announced: ['<arg_key>'],
  needsAnswer: false,
  split: splitTags({
    open: '<tool_call>',
    nameEnd: '<arg_key>',
    isParameter: true,
    close: '</tool_call>',
    marks: KEY_MARKS,
  }),
}

function nameAfter(text: string, end: string): string | null {
  const stop = text.indexOf(end)
  const name = stop > 0 && stop <= MAX_NAME ? text.slice(0, stop).trim() : ''
  return name === '' || [...name].some((char) => !NAME_CHARS.has(char)) ? null : text.slice(0, stop)
}

const CALL_OPEN = '<tool_call>'
const CALL_CLOSE = '</tool_call>'

/**
 * The protocol of `<tool_call>{"name", "arguments"}</tool_call>`. Source: NousResearch/Hermes-Function-Calling,
 * prompt_assets/sys_prompt.yml.
 */
export const HERMES: TextActs = {
  name: 'Hermes',
  harness: null,
  announced: ['<tools>'],
  needsAnswer: false,
  split(text, agent) {
    const slices = new Slices(text)
    for (let start = text.indexOf(CALL_OPEN); start !== -1 && !slices.isFull; ) {
      const from = skipBlanks(text, start + CALL_OPEN.length)
      if (text[from] !== '{') {
        start = text.indexOf(CALL_OPEN, start + CALL_OPEN.length)
        continue
      }
      const stop = text.indexOf(CALL_CLOSE, start)
      const [to, end] = stop === -1 ? [text.length, text.length] : [stop, stop + CALL_CLOSE.length]
      slices.say(start)
      sliceJsonCall(slices, text, { start, end, from, to, agent })
      start = text.indexOf(CALL_OPEN, end)
    }
    return slices.finish()
  },
}

interface JsonCall {
  readonly start: number
  readonly end: number
  /** The range of the JSON. */
  readonly from: number
  readonly to: number
  readonly agent: string | null
}

function sliceJsonCall(slices: Slices, text: string, { start, end, from, to, agent }: JsonCall): void {
  const decoded = decodeObject(text.slice(from, to))
  const name = decoded?.['name']
  // A call that cannot be parsed may still have run; no word of it is trusted as the tool's name.
  if (decoded === null || typeof name !== 'string' || name === '') {
    slices.argument(start, end, { call: openCall('tool_call'), spec: undefined, argument: '', args: null })
    return
  }
  const spec = specOf(agent, name)
  const call = openCall(cutName(name))
  const { arguments: own } = decoded
  const args = typeof own === 'string' ? decodeObject(own) : own
  const isEmpty = isAbsent(own) || own === '' || own === '{}' || (isRecord(own) && Object.keys(own).length === 0)
  if (isEmpty) slices.bare(start, end, call, spec)
  else if (typeof own === 'string' && args !== null)
    // JSON in JSON: no path leads into it. The whole is shown, as certain as its most doubtful argument.
    slices.argument(start, end, { call, spec: undefined, argument: '', args })
  else slices.json(from, to, leavesOf(own, '/arguments'), { call, spec, args })
  slices.skip(end)
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (at < text.length && BLANKS.has(text.charAt(at))) at++
  return at
}

const BLANKS: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n'])

/**
 * The protocol of `<execute_command><command>…</command></execute_command>`. Source: cline/cline,
 * src/core/assistant-message/parse-assistant-message.ts; Roo Code adopted it. Only Cline's own tools count: any other tag is text.
 */
export const CLINE_TAGS: TextActs = {
  name: 'Cline',
  harness: 'cline',
  announced: ['<execute_command>', '<write_to_file>', '<attempt_completion>'],
  needsAnswer: false,
  split(text) {
    const slices = new Slices(text)
    for (let start = text.indexOf('<'); start !== -1 && !slices.isFull; ) {
      const open = tagEnd(text, start)
      const tool = open === -1 ? '' : text.slice(start + 1, open)
      const inner = open + 1
      const stop = Object.hasOwn(CLINE_TOOLS, tool) ? closingOf(text, tool, inner) : null
      if (stop === null) {
        start = text.indexOf('<', start + 1)
        continue
      }
      const end = Math.min(text.length, stop + tool.length + '</>'.length)
      const call = { tool, spec: CLINE_TOOLS[tool], start, end, inner: { start: inner, end: stop } }
      sliceCall(slices, text, call, NAME_MARKS)
      start = text.indexOf('<', end)
    }
    return slices.finish()
  },
}

/**
 * Finds the end of a call; null where the tag is only mentioned, because no parameter follows. A call that is cut off reaches to the end of
 * the text.
 */
function closingOf(text: string, tool: string, inner: number): number | null {
  if (text.slice(inner, inner + MAX_GAP).trimStart()[0] !== '<') return null
  const stop = text.indexOf(`</${tool}>`, inner)
  return stop === -1 ? text.length : stop
}

const MAX_GAP = 20

/** The language that each tag of CodeAct runs. Source: All-Hands-AI/OpenHands before 0.14, agenthub/codeact_agent/action_parser.py. */
const TAGS = [
  ['execute_bash', 'shell'],
  ['execute_ipython', 'code'],
  ['execute_browse', 'unknown'],
  ['execute_global', 'shell'],
] as const

/** The protocol of `<execute_bash>…</execute_bash>`. The harness stops the model at the closing tag, so the tag may be missing. */
export const EXECUTE_TAGS: TextActs = {
  name: 'execute tags',
  harness: 'openhands',
  announced: TAGS.map(([tag]) => `<${tag}>`),
  needsAnswer: false,
  split(text) {
    const slices = new Slices(text)
    for (let start = text.indexOf('<execute_'); start !== -1 && !slices.isFull; ) {
      const [tag, kind] = TAGS.find(([name]) => text.startsWith(`<${name}>`, start)) ?? [null, null]
      if (tag === null) {
        start = text.indexOf('<execute_', start + 1)
        continue
      }
      const from = start + tag.length + '<>'.length
      const stop = text.indexOf(`</${tag}>`, from)
      const [to, end] = stop === -1 ? [text.length, text.length] : [stop, stop + tag.length + '</>'.length]
      slices.say(start)
      slices.skip(from)
      slices.piece(from, to, { name: tag, ...meaningOfKind(kind, null, openCall(tag)) })
      slices.skip(end)
      start = text.indexOf('<execute_', end)
    }
    return slices.finish()
  },
}
