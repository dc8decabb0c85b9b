import { decodeObject, leavesOf } from '../common/json-tree.ts'
import { isAbsent, isRecord } from '../common/reading.ts'
import { asName, isEmpty } from '../common/session.ts'
import { CLINE_TOOLS, openCall, own, specOf, type ToolSpec, type ToolTable } from '../tools/tool-table.ts'
import { closedBy, protocolOf, scan, type TextActs } from './slices.ts'

/** One way to write calls in tags. The patterns are sticky or global and bounded; their first group is a name. */
interface TagForm extends Omit<TextActs, 'split' | 'needsAnswer'> {
  /** The text at which every call begins. */
  readonly mark: string
  readonly opens: RegExp
  closes(tool: string): string
  /** The opening tag of a parameter; without it, the text between the tags is the tool's only argument. */
  readonly parameter?: RegExp
  closesParameter?(name: string): string
  /** The tools, where no others are calls. */
  readonly tools?: ToolTable
}

/** A parameter: its range with its tags (`open` to `close`), and the range of its value. */
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

const tagProtocol = (form: TagForm): TextActs =>
  protocolOf({ ...form, needsAnswer: false }, (slices, text, agent) =>
    scan(slices, text, form.mark, form.opens, (start, from, [, tool = '']) => {
      const spec = form.tools === undefined ? specOf(agent, tool) : own(form.tools, tool)
      if (form.tools !== undefined && spec === undefined) return null
      const [inner, end] = closedBy(text, form.closes(tool), from)
      const call = openCall(tool)
      slices.say(start)
      if (text.slice(from, inner).trim() === '') slices.bare(start, end, { call, spec })
      else if (form.parameter === undefined) slices.argument(from, inner, { call, spec })
      else {
        slices.skip(from)
        const parameters = parametersIn(text, from, inner, form)
        const args = Object.fromEntries(parameters.map(({ name, start, end }) => [name, text.slice(start, end).trim()]))
        for (const { name, open, start, end, close } of parameters) {
          slices.stray(open, call)
          slices.argument(start, end, { call, spec, args }, name)
          slices.skip(close)
        }
        // What is no parameter may be anything.
        slices.stray(inner, call)
      }
      slices.skip(end)
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

/** `<invoke name="tool"><parameter name="x">…</parameter></invoke>`. Source: Anthropic's prompts from before its API had tool calls. */
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
 * `<execute_command><command>…</command></execute_command>`. Source: cline/cline, src/core/assistant-message/parse-assistant-message.ts. Any other tag
 * is text than those of Cline's own tools, and so is a tag without a parameter behind it, which is only mentioned.
 */
export const CLINE_TAGS = tagProtocol({
  ...{ name: 'Cline', harness: 'cline', announced: ['<execute_command>', '<write_to_file>', '<attempt_completion>'] },
  ...{ mark: '<', opens: /<(\w{1,100})>(?=\s{0,19}<)/y, tools: CLINE_TOOLS },
  closes: (tool) => `</${tool}>`,
  parameter: /<([\w-]{1,100})>/g,
  closesParameter: (name) => `</${name}>`,
})

const onlyOf = (kind: 'shell' | 'code' | 'unknown'): ToolSpec => ({ args: { '': kind } })

/**
 * `<execute_bash>…</execute_bash>`, whose closing tag may be missing, because the harness stops the model there. Source: All-Hands-AI/OpenHands
 * before 0.14, agenthub/codeact_agent/action_parser.py.
 */
export const EXECUTE_TAGS = tagProtocol({
  ...{ name: 'execute tags', harness: 'openhands', mark: '<execute_', opens: /<(execute_[a-z]{1,20})>/y },
  announced: ['<execute_bash>', '<execute_global>', '<execute_ipython>', '<execute_browse>'],
  closes: (tool) => `</${tool}>`,
  tools: {
    ...{ execute_bash: onlyOf('shell'), execute_global: onlyOf('shell') },
    ...{ execute_ipython: onlyOf('code'), execute_browse: onlyOf('unknown') },
  },
})

/** The protocol of `<tool_call>{"name", "arguments"}</tool_call>`. Source: NousResearch/Hermes-Function-Calling, prompt_assets/sys_prompt.yml. */
export const HERMES = protocolOf(
  { name: 'Hermes', harness: null, announced: ['<tools>'], needsAnswer: false },
  (slices, text, agent) =>
    scan(slices, text, CALL_OPEN, /<tool_call>\s{0,99}(?=\{)/y, (start, from) => {
      const [to, end] = closedBy(text, CALL_CLOSE, start)
      slices.say(start)
      const { name, arguments: given } = decodeObject(text.slice(from, to)) ?? {}
      const spec = typeof name === 'string' ? specOf(agent, name) : undefined
      const args = typeof given === 'string' ? decodeObject(given) : given
      const call = openCall(asName(name) ?? 'tool_call')
      // A call that cannot be parsed may still have run; no word of it is trusted as the tool's name.
      if (asName(name) === null) slices.argument(start, end, { call, spec: undefined })
      else if (isAbsent(given) || given === '' || given === '{}' || (isRecord(given) && isEmpty(given)))
        slices.bare(start, end, { call, spec })
      // No path leads into JSON in JSON. The whole is shown, as certain as its most doubtful argument.
      else if (typeof given === 'string' && args !== null) slices.argument(start, end, { call, spec: undefined, args })
      else slices.json(from, to, leavesOf(given, '/arguments'), { call, spec, args })
      slices.skip(end)
      return end
    }),
)
