import { decodeObject } from '../common/json-tree.ts'
import { asName } from '../common/session.ts'
import { CLINE_TOOLS } from '../tools/harnesses.ts'
import { own } from '../tools/tool-table.ts'
import type { Tree } from '../traces/located.ts'
import { closedBy, protocolOf, scan, type TextActs, type TextBlocks } from './blocks.ts'

/** One way to write calls in tags. The patterns are sticky or global and bounded; their first group is a name. */
interface TagForm extends Omit<TextActs, 'split' | 'needsAnswer'> {
  /** The text at which every call begins. */
  readonly mark: string
  readonly opens: RegExp
  closes(tool: string): string
  /** The opening tag of a parameter; without it, the text between the tags is the tool's only argument. */
  readonly parameter?: RegExp
  closesParameter?(name: string): string
  /** The tools by their tags, where only these are calls. */
  readonly tools?: Readonly<Record<string, string>>
}

/** One parameter of a call: its name, its range with its tags, and the range of its value. */
type Parameter = Readonly<Record<'open' | 'start' | 'end' | 'close', number>> & { readonly name: string }

/** Bounds the parameters of a call, above any tool's; the rest stays markup in the last parameter's place. */
const MAX_PARAMETERS = 100
/** Parameters that the last closing tag of the call ends, because their values may hold such tags. */
const GREEDY: ReadonlySet<string> = new Set(['content', 'diff'])

/** Lists the parameters between two positions, without the line breaks around a value. An unclosed parameter reaches to the end. */
function parametersIn(text: string, from: number, to: number, form: TagForm): Parameter[] {
  const parameters: Parameter[] = []
  const opens = new RegExp(form.parameter ?? /$^/g)
  opens.lastIndex = from
  for (let match = opens.exec(text); match !== null && opens.lastIndex <= to; match = opens.exec(text)) {
    const [, name = ''] = match
    const closing = form.closesParameter?.(name) ?? '</parameter>'
    const begin = opens.lastIndex
    // The search runs in the call's own text: a search to the end of the whole text for every call would take quadratic time.
    const rest = text.slice(begin, to)
    const stop = form.tools !== undefined && GREEDY.has(name) ? rest.lastIndexOf(closing) : rest.indexOf(closing)
    const valueEnd = stop === -1 ? to : begin + stop
    const start = text[begin] === '\n' ? begin + 1 : begin
    const end = valueEnd > start && text[valueEnd - 1] === '\n' ? valueEnd - 1 : valueEnd
    const close = valueEnd + closing.length
    parameters.push({ name, open: match.index, start: Math.min(start, end), end, close })
    if (stop === -1 || parameters.length >= MAX_PARAMETERS) break
    opens.lastIndex = close
  }
  return parameters
}

/** Returns the arguments between the tags of a call, and skips them; text that is no parameter may be anything. */
function argumentsIn(blocks: TextBlocks, text: string, form: TagForm, from: number, to: number): Tree {
  if (text.slice(from, to).trim() === '') return null
  if (form.parameter === undefined) return blocks.range(from, to)
  const args = new Map<string, Tree>()
  for (const { name, open, start, end, close } of parametersIn(text, from, to, form)) {
    blocks.stray(open)
    // A second parameter of a name is an argument of its own.
    args.set(args.has(name) ? `${name}.${args.size}` : name, blocks.range(start, end))
    blocks.skip(close)
  }
  blocks.stray(to)
  return args.size === 0 ? null : Object.fromEntries(args)
}

const tagProtocol = (form: TagForm): TextActs =>
  protocolOf({ ...form, needsAnswer: false }, (blocks, text) =>
    scan(blocks, text, form.mark, form.opens, (start, from, [, tag = '']) => {
      const tool = form.tools === undefined ? tag : own(form.tools, tag)
      if (tool === undefined) return null
      const [inner, end] = closedBy(text, form.closes(tag), from)
      const named = text.indexOf(tag, start)
      const name = tool === tag ? blocks.range(named, named + tag.length) : tool
      blocks.say(start)
      blocks.skip(from)
      const index = blocks.list.length
      const args = argumentsIn(blocks, text, form, from, inner)
      blocks.call(name, args, end, blocks.range(start, end), index)
      return end
    }),
  )

/** The protocol of `<function=name><parameter=x>…</parameter></function>`. Source: All-Hands-AI/OpenHands, openhands/llm/fn_call_converter.py. */
export const FUNCTION_TAGS = tagProtocol({
  ...{ name: 'function tags', harness: 'openhands', announced: ['<function='], mark: '<function=' },
  opens: /<function=\s{0,9}([\w\-.:/]{1,100})\s{0,9}>/y,
  closes: () => '</function>',
  parameter: /<parameter=([^>]{0,100})>/g,
})

/**
 * The protocol of `<invoke name="tool"><parameter name="x">…</parameter></invoke>`. Source: Anthropic's tool prompts from before its API
 * had tool calls.
 */
export const INVOKE_TAGS = tagProtocol({
  ...{ name: 'invoke tags', harness: null, announced: ['<invoke name='], mark: '<invoke name="' },
  opens: /<invoke name="\s{0,9}([\w\-.:/]{1,100})\s{0,9}">/y,
  closes: () => '</invoke>',
  parameter: /<parameter name="([^">]{0,100})"[^>]{0,40}>/g,
})

const CALL_OPEN = '<tool_call>'
const CALL_CLOSE = '</tool_call>'

/** The protocol of `<tool_call>tool<arg_key>x</arg_key><arg_value>…</arg_value></tool_call>`. Source: zai-org/GLM-4.5, chat_template.jinja. */
export const ARG_TAGS = tagProtocol({
  ...{ name: 'argument tags', harness: null, announced: ['<arg_key>'], mark: CALL_OPEN },
  opens: /<tool_call>\s{0,9}([\w\-.:/]{1,100})\s{0,9}(?=<arg_key>)/y,
  closes: () => CALL_CLOSE,
  parameter: /<arg_key>([^<]{1,100})<\/arg_key>\s{0,5}<arg_value>/g,
  closesParameter: () => '</arg_value>',
})

/**
 * The protocol of `<execute_command><command>…</command></execute_command>`. Source: cline/cline,
 * src/core/assistant-message/parse-assistant-message.ts; Roo Code adopted it. Only Cline's own tools count: any other tag is text, and so
 * is a tag without a parameter behind it, which is only mentioned.
 */
export const CLINE_TAGS = tagProtocol({
  ...{ name: 'Cline', harness: 'cline', announced: ['<execute_command>', '<write_to_file>', '<attempt_completion>'] },
  ...{
    mark: '<',
    opens: /<(\w{1,100})>(?=\s{0,19}<)/y,
    tools: Object.fromEntries(Object.keys(CLINE_TOOLS).map((tool) => [tool, tool])),
  },
  closes: (tool) => `</${tool}>`,
  parameter: /<([\w-]{1,100})>/g,
  closesParameter: (name) => `</${name}>`,
})

/**
 * The protocol of `<execute_bash>…</execute_bash>`. The harness stops the model at the closing tag, so the tag may be missing. Source:
 * All-Hands-AI/OpenHands before 0.14, agenthub/codeact_agent/action_parser.py.
 */
export const EXECUTE_TAGS = tagProtocol({
  ...{ name: 'execute tags', harness: 'openhands', mark: '<execute_', opens: /<(execute_[a-z]{1,20})>/y },
  announced: ['<execute_bash>', '<execute_global>', '<execute_ipython>', '<execute_browse>'],
  closes: (tool) => `</${tool}>`,
  tools: {
    ...{ execute_bash: 'execute_bash', execute_global: 'execute_bash' },
    ...{ execute_ipython: 'execute_ipython_cell', execute_browse: 'execute_browse' },
  },
})

/** The protocol of `<tool_call>{"name", "arguments"}</tool_call>`. Source: NousResearch/Hermes-Function-Calling, prompt_assets/sys_prompt.yml. */
export const HERMES = protocolOf(
  { name: 'Hermes', harness: null, announced: ['<tools>'], needsAnswer: false },
  (blocks, text) =>
    scan(blocks, text, CALL_OPEN, /<tool_call>\s{0,99}(?=\{)/y, (start, from) => {
      const [to, end] = closedBy(text, CALL_CLOSE, start)
      blocks.say(start)
      const call = decodeObject(text.slice(from, to))
      const json = blocks.json(from, to, call)
      // A call that cannot be parsed may still have run; no word of it is trusted as the tool's name.
      if (asName(call?.['name']) === null)
        blocks.call('tool_call', blocks.range(start, end), end, blocks.range(start, end))
      else blocks.call(json.member('name'), json.member('arguments'), end, blocks.range(start, end))
      return end
    }),
)
