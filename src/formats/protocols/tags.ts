import { decodeObject, type Leaf, leavesOf, memberName } from '../common/json-tree.ts'
import { isAbsent, isRecord, type Json } from '../common/reading.ts'
import { asName, isEmpty } from '../common/session.ts'
import type { Slice } from '../openai-chat/openai-chat-sink.ts'
import { CLINE_TOOLS, meaningOf, meaningOfName, type OpenCall, openCall, own, specOf } from '../tools/tool-table.ts'

/** Collects the slices of one text, in order: text outside of acts is speech. */
export class Slices {
  readonly list: Slice[] = []
  /** The position up to which the text is sliced, in UTF-16 units. */
  at = 0
  readonly #text: string
  #acted = false

  constructor(text: string) {
    this.#text = text
  }

  /** True at more slices than any real reply has: the rest becomes one slice without a further search. */
  get isFull(): boolean {
    return this.list.length >= MAX_PIECES
  }

  say(end: number): void {
    this.#reach(end, { actor: 'agent_message', name: 'message' })
  }

  /** Adds the text up to `end` inside of a call that is no known argument, so that no text of a call is lost. */
  stray(end: number, call: OpenCall): void {
    this.#reach(end, { name: call.tool, ...meaningOf(undefined, '', call, null) })
  }

  #reach(end: number, meaning: NamedMeaning): void {
    if (this.#text.slice(this.at, end).trim() !== '') this.list.push({ start: this.at, end, ...meaning })
    this.at = Math.max(this.at, end)
  }

  skip(end: number): void {
    this.#acted = true
    this.at = Math.max(this.at, end)
  }

  argument(start: number, end: number, { call, spec, args = null }: MadeCall, argument = ''): void {
    this.piece(start, end, { name: memberName(call.tool, argument), ...meaningOf(spec, argument, call, args) })
  }

  piece(start: number, end: number, meaning: NamedMeaning): void {
    this.skip(end)
    if (end > start) this.list.push({ start, end, ...meaning })
  }

  /** Adds a call in markup from `start` to `end`, whose text stands from `from` to `to`; the text before it is speech. */
  marked({ start, from, to, end }: Marked, meaning: NamedMeaning): void {
    this.say(start)
    this.skip(from)
    this.piece(from, to, meaning)
    this.skip(end)
  }

  speech(start: number, end: number, said: Json): void {
    for (const { pointer, name, text } of isEmpty(said) ? [] : leavesOf(said))
      this.list.push({ start, end, actor: 'agent_message', name, inner: { pointer, text } })
  }

  /** Adds the arguments of a call from the leaves of JSON between two positions. */
  json(start: number, end: number, leaves: readonly Leaf[], { call, spec, args }: MadeCall): void {
    this.skip(end)
    for (const { pointer, name: leaf, text } of leaves) {
      const name = memberName(call.tool, leaf)
      this.list.push({ start, end, inner: { pointer, text }, name, ...meaningOf(spec, leaf, call, args) })
    }
  }

  bare(start: number, end: number, { call, spec }: MadeCall, within: Pick<Slice, 'inner'> = {}): void {
    this.piece(start, end, { name: call.tool, ...within, ...meaningOfName(spec, call) })
  }

  /** Returns the slices, with the rest as speech; null without a call among them. */
  finish(): readonly Slice[] | null {
    if (!this.#acted) return null
    if (this.isFull) this.stray(this.#text.length, openCall('tool_call'))
    this.say(this.#text.length)
    return this.list
  }
}

const MAX_PIECES = 5000

export type Marked = Readonly<Record<'start' | 'from' | 'to' | 'end', number>>
type NamedMeaning = Omit<Slice, 'start' | 'end'>

export interface MadeCall {
  readonly call: OpenCall
  readonly spec: ReturnType<typeof specOf>
  readonly args?: unknown
}

/** A text protocol: one way in which an agent without tool calls writes its acts into its messages. */
export interface TextActs {
  readonly name: string
  /** The harness that answers, by its name in the outcome tables; null where several harnesses share the form. */
  readonly harness: string | null
  readonly announced: readonly string[]
  /** True when only an answered message is an act, because people write this form as well. */
  readonly needsAnswer: boolean
  /** True when the protocol applies only where the prompt announces it. */
  readonly needsPrompt?: true
  /** Splits a message with an act into slices; null for a message without an act. */
  split(text: string, agent: string | null): readonly Slice[] | null
}

type AddSlices = (slices: Slices, text: string, agent: string | null) => void

export const protocolOf = (about: Omit<TextActs, 'split'>, addTo: AddSlices): TextActs => ({
  ...about,
  split(text, agent) {
    const slices = new Slices(text)
    addTo(slices, text, agent)
    return slices.finish()
  },
})

/** Adds a call at its start; `from`: the end of its opening tag. Returns the end of the call; null at a place that only holds the tag. */
type AddCall = (start: number, from: number, match: readonly string[]) => number | null

/** Adds the calls of a text: `opens`, a sticky pattern, matches their opening tag at a mark. */
export function scan(slices: Slices, text: string, mark: string, opens: RegExp, add: AddCall): void {
  for (let start = text.indexOf(mark); start !== -1 && !slices.isFull; ) {
    opens.lastIndex = start
    const match = opens.exec(text)
    const end = match === null ? null : add(start, opens.lastIndex, match)
    start = text.indexOf(mark, end ?? start + mark.length)
  }
}

/** Finds the end of the text before a closing tag, and the end of the tag. A call that is cut off reaches to the end of the text. */
function closedBy(text: string, close: string, from: number): readonly [inner: number, end: number] {
  const stop = text.indexOf(close, from)
  return stop === -1 ? [text.length, text.length] : [stop, stop + close.length]
}

/** One way to write calls in tags. The patterns are sticky or global and bounded; their first group is a name. */
interface TagForm extends Omit<TextActs, 'split' | 'needsAnswer'> {
  readonly mark: string
  readonly opens: RegExp
  closes(tool: string): string
  /** The opening tag of a parameter; without it, the text between the tags is the tool's only argument. */
  readonly parameter?: RegExp
  closesParameter?(name: string): string
  /** The tools, where no others are calls. */
  readonly tools?: typeof CLINE_TOOLS
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
const FUNCTION_TAGS = tagProtocol({
  ...{ name: 'function tags', harness: 'openhands', announced: ['<function='], mark: '<function=' },
  opens: /<function=\s{0,9}([\w\-.:/]{1,100})\s{0,9}>/y,
  closes: () => '</function>',
  parameter: /<parameter=([^>]{0,100})>/g,
})

/** `<invoke name="tool"><parameter name="x">…</parameter></invoke>`. Source: Anthropic's prompts from before its API had tool calls. */
const INVOKE_TAGS = tagProtocol({
  ...{ name: 'invoke tags', harness: null, announced: ['<invoke name='], mark: '<invoke name="' },
  opens: /<invoke name="\s{0,9}([\w\-.:/]{1,100})\s{0,9}">/y,
  closes: () => '</invoke>',
  parameter: /<parameter name="([^">]{0,100})"[^>]{0,40}>/g,
})

const CALL_OPEN = '<tool_call>'
const CALL_CLOSE = '</tool_call>'

/** The protocol of `<tool_call>tool<arg_key>x</arg_key><arg_value>…</arg_value></tool_call>`. Source: zai-org/GLM-4.5, chat_template.jinja. */
const ARG_TAGS = tagProtocol({
  ...{ name: 'argument tags', harness: null, announced: ['<arg_key>'], mark: CALL_OPEN },
  opens: /<tool_call>\s{0,9}([\w\-.:/]{1,100})\s{0,9}(?=<arg_key>)/y,
  closes: () => CALL_CLOSE,
  parameter: /<arg_key>([^<]{1,100})<\/arg_key>\s{0,5}<arg_value>/g,
  closesParameter: () => '</arg_value>',
})

/** `<execute_command><command>…` (cline/cline, parse-assistant-message.ts): a tag of Cline's tools with a parameter. */
const CLINE_TAGS = tagProtocol({
  ...{ name: 'Cline', harness: 'cline', announced: ['<execute_command>', '<write_to_file>', '<attempt_completion>'] },
  ...{ mark: '<', opens: /<(\w{1,100})>(?=\s{0,19}<)/y, tools: CLINE_TOOLS },
  closes: (tool) => `</${tool}>`,
  parameter: /<([\w-]{1,100})>/g,
  closesParameter: (name) => `</${name}>`,
})

const onlyOf = (kind: 'shell' | 'code' | 'unknown') => ({ args: { '': kind } })

/** `<execute_bash>…`, often without its closing tag. Source: OpenHands before 0.14, codeact_agent/action_parser.py. */
const EXECUTE_TAGS = tagProtocol({
  ...{ name: 'execute tags', harness: 'openhands', mark: '<execute_', opens: /<(execute_[a-z]{1,20})>/y },
  announced: ['<execute_bash>', '<execute_global>', '<execute_ipython>', '<execute_browse>'],
  closes: (tool) => `</${tool}>`,
  tools: {
    ...{ execute_bash: onlyOf('shell'), execute_global: onlyOf('shell') },
    ...{ execute_ipython: onlyOf('code'), execute_browse: onlyOf('unknown') },
  },
})

/** The protocol of `<tool_call>{"name", "arguments"}</tool_call>`. Source: NousResearch/Hermes-Function-Calling, prompt_assets/sys_prompt.yml. */
const HERMES = protocolOf(
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

/** The protocols in tags, in the order in which they are tried. */
export const TAG_PROTOCOLS = [CLINE_TAGS, EXECUTE_TAGS, FUNCTION_TAGS, INVOKE_TAGS, HERMES, ARG_TAGS] as const
