import { digestValue } from '../../domain/digest.ts'
import type { Reply } from '../../domain/trajectory/trajectory.ts'
import { wordsOf } from '../common/content.ts'
import { cutName, isAbsent, mayAct, type Reading } from '../common/reading.ts'
import { asName, asText, settle } from '../common/session.ts'
import type { ReadDocument } from '../format.ts'
import { takeMessage } from '../openai-chat/chat-steps.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { outcomeOfAgent } from '../tools/outcomes.ts'
import { isOdd, modelOf } from './chat-shapes.ts'
import { contentOf, Located, placeMessage, type Tree } from './located.ts'
import { answeredIdsOf, callKeysOf, differs, MadeCalls, messageKey, textKey } from './message-key.ts'
import { eventsOf, type TracedTool, type TraceEvent, type TraceSpan, type TraceTree, treeOf } from './trace-span.ts'

/**
 * Reads the steps of a run from the spans of its trace. Every model call holds all earlier messages, so each message is shown at its first place:
 * in order of time, the new messages of a request, then its answer; and again where a request holds it more often than before. Copies are
 * recognized by their texts and calls. A tool's span is joined to its call, by id, else by name and arguments; its output is shown where no later
 * request holds the result. `list`: the list of the spans. `tools`: the agent whose tools the calls name.
 */
export function readTrace(
  reading: Reading,
  spans: readonly TraceSpan[],
  list: { readonly format: string; readonly path: string },
  agent: { readonly name: string | null; readonly tools?: string | null },
): ReadDocument {
  const run = new TraceRun(reading, spans, agent.tools ?? null)
  for (const event of eventsOf(spans, run.tree)) run.take(event)
  run.tellLost()
  const model = spans.find((span) => span.model !== null)?.model ?? run.model
  return { format: list.format, agent: { name: agent.name, model: asName(model) }, steps: run.sink.finish(list.path) }
}

class TraceRun {
  readonly sink: ChatSink
  readonly tree: TraceTree
  readonly #reading: Reading
  readonly #shown = new Map<string, number>()
  readonly #texts = new Set<string>()
  readonly #made = new MadeCalls()
  /** Results in the requests of the trace, by the id of the call, or by the text where it has no id. */
  readonly #answered = new Set<string>()
  readonly #asked = new Set<string>()
  readonly #agents: ReadonlySet<string>
  readonly #silent: TraceSpan[] = []
  readonly #unanswered: TraceSpan[] = []
  readonly #odd = new Set<string>()
  #toolSpans = 0
  model: string | null = null
  /** Results of the tools that have begun; null: a later request holds the result. */
  readonly #begun = new Map<TraceSpan, (() => void) | null>()
  readonly #errors = new Set<unknown>()
  /** The last answer of a model, which may have made the call of a tool that no known call matches. */
  #reply: Reply | null = null

  constructor(reading: Reading, spans: readonly TraceSpan[], agent: string | null) {
    this.#reading = reading
    this.sink = new ChatSink(reading, agent)
    this.tree = treeOf(reading, spans)
    this.#agents = new Set(
      spans.filter(({ kind, holds }) => kind === 'model' && holds).flatMap((span) => this.tree(span).agent ?? []),
    )
    for (const span of spans) if (span.kind === 'model') this.#noteRequest(span)
  }

  #noteRequest(span: TraceSpan): void {
    for (const tree of span.input() ?? []) {
      const placed = placeMessage(tree, span.path)
      if (placed === null) continue
      const message = placed.record
      const ids = answeredIdsOf(message)
      for (const id of ids) this.#answered.add(`id ${id}`)
      const text = textKey(message)
      if (text === null) continue
      this.#asked.add(text)
      if (ids.length === 0 && (message['role'] === 'tool' || message['role'] === 'function')) this.#answered.add(text)
    }
  }

  take({ span, what }: TraceEvent): void {
    const { sink } = this
    const now = what === 'output' ? span.end : span.start
    sink.now = now !== null && Number.isFinite(now) ? now : null
    sink.subagent = this.#agents.size > 1 ? this.tree(span).agent : null
    this.#reading.reply = null
    if (span.tool !== null && what === 'input') this.#begin(span, span.tool, span.kind !== 'tool')
    else if (span.tool !== null) this.#begun.get(span)?.()
    else if (span.kind === 'model' && what === 'all') this.#call(span)
    else if (span.kind === 'model' || span.kind === 'agent') this.#around(span, what)
    else if (span.kind === 'aside') this.#reading.leaveOut(span.path)
    if (what !== 'input') this.#error(span)
  }

  #error({ error, tool }: TraceSpan): void {
    const own = error ?? tool?.error
    if (own === undefined || own === null || this.#errors.has(own.value)) return
    this.#errors.add(own.value)
    if (error !== undefined && tool === null) this.sink.note('system', error.value, error.path, 'error')
  }

  /** Reads a model call: the new messages of its request, and its answer, which is always new. */
  #call(span: TraceSpan): void {
    this.#reply = { id: `model at ${span.path}`, isNamed: false }
    if (!span.holds) {
      this.#silent.push(span)
      return
    }
    this.#input(span, span.input())
    const output = span.output()
    const isAnswer = (tree: Tree): boolean => placeMessage(tree, span.path)?.record['role'] === 'assistant'
    const warning = 'the answer of the model has a form that is not known; not read'
    if (output === null) this.#reading.unread(span.answered?.path ?? span.path, warning, true)
    if (output?.length === 0 && span.error === undefined) this.#unanswered.push(span)
    if ((output ?? []).filter(isAnswer).length > 1)
      this.#reading.warnOnce(span.path, 'several answers of one call of the model; all are shown')
    this.#reading.reply = this.#reply
    for (const tree of output ?? []) this.#show(this.#place(tree, span, true), span)
  }

  /** Places a message of a span; null for an odd item beside messages, which is unread where it first stands, and may act as an answer. */
  #place(tree: Tree, span: TraceSpan, isAnswer = false): Located | null {
    const placed = isOdd(tree) ? null : placeMessage(tree, span.path)
    if (placed !== null) return placed
    const odd = tree instanceof Located ? tree : new Located(tree, span.path)
    const key = digestValue(odd.value ?? null)
    if (this.#odd.has(key)) this.#reading.leaveOut(odd.path)
    else this.#reading.unread(odd.path, 'not a message; not read', isAnswer || mayAct(odd.value))
    this.#odd.add(key)
    return null
  }

  /** Reads a span around other calls: only the content that no inner call holds. */
  #around(span: TraceSpan, what: TraceEvent['what']): void {
    if (!span.holds) return
    const trees = what === 'output' ? span.output() : span.input()
    for (const tree of trees ?? []) {
      const placed = this.#place(tree, span, what === 'output')
      const text = placed === null ? null : textKey(placed.record)
      const isSent = what === 'input' && text !== null && this.#asked.has(text)
      if (placed === null || isSent || this.#isShown(placed)) continue
      // The last message of an agent can hold any text; its acts are in its model calls.
      const isLast = what === 'output' && span.kind === 'agent' && this.tree(span).hasModelBelow
      const isUnmade = isLast && callKeysOf(placed.record).length > 0 && !this.#made.holds(placed.record)
      if (isUnmade)
        this.#reading.unread(placed.path, 'holds tool calls that no call of a model below it made; not read', true)
      else this.#show(placed, span)
    }
    const warning = `the ${what} of this span has a form that is not known; not read`
    // The input of a span holds no act of the agent.
    if (trees === null && !this.tree(span).hasModelBelow) this.#reading.unread(span.path, warning, what === 'output')
  }

  #input(span: TraceSpan, trees: readonly Tree[] | null): void {
    const unknown = 'what the model was sent has a form that is not known; not read'
    if (trees === null) this.#reading.unread(span.sent?.path ?? span.path, unknown, mayAct(span.sent?.value))
    const strange = 'an answer that no call of a model in this trace gave; read as the agent’s own, from before'
    const own = new Map<string, number>()
    for (const tree of trees ?? []) {
      const placed = this.#place(tree, span)
      if (placed === null) continue
      const key = messageKey(placed.record)
      const count = (own.get(key) ?? 0) + 1
      own.set(key, count)
      if (count <= (this.#shown.get(key) ?? 0) || this.#made.holds(placed.record)) continue
      // An earlier call, whose answer the trace did not keep, may have given the answer.
      if (placed.record['role'] === 'assistant' && this.#unanswered.shift() === undefined)
        this.#reading.warnOnce(placed.path, strange)
      this.#show(placed, span, key)
    }
  }

  /** Tells whether a message was shown, by its text alone: an agent's span holds as a text the messages of its model calls. */
  #isShown({ record: message }: Located): boolean {
    if (this.#shown.has(messageKey(message))) return true
    const text = textKey(message)
    return text !== null && this.#texts.has(text) && callKeysOf(message).length === 0
  }

  #show(placed: Located | null, span: TraceSpan, givenKey?: string): void {
    if (placed === null) return
    const message = placed.record
    const key = givenKey ?? messageKey(message)
    this.#shown.set(key, (this.#shown.get(key) ?? 0) + 1)
    const text = textKey(message)
    if (text !== null) this.#texts.add(text)
    const warning =
      'reads like messages as JSON, but is cut, cannot be read, or is not said to be JSON; shown as it stands'
    if (readsLikeMessages(message['content']))
      this.#reading.unread(placed.pathOf('/content'), warning, message['role'] === 'assistant')
    this.model ??= modelOf(message)
    const own = asName(message['id'])
    const names = span.name === null ? ([own, own] as const) : ([cutName(span.name), null] as const)
    this.#made.add(message, takeMessage(this.sink, placed, ...names))
  }

  /** Leaves out a span that fits no call of a model; its input may be the arguments of an act. */
  #leave(span: TraceSpan, { args }: TracedTool): void {
    if (span.input() === null && mayAct(args.value))
      this.#reading.unread(span.path, 'fits no call of a model, and may be an act; not read', true)
  }

  #showTool(span: TraceSpan, { name, args }: TracedTool, id: string): void {
    const warning = 'a call of a tool whose arguments the trace did not keep; shown by its name'
    if (isAbsent(args.value)) this.#reading.unread(span.path, warning, true)
    this.#reading.reply = this.#reply
    const call: Tree = { id, function: { name, arguments: args } }
    this.#show(placeMessage({ role: 'assistant', tool_calls: [call] }, span.path), span)
  }

  /** Begins a span of a tool. A span of another kind (`isMaybe`) counts as a tool's only where it matches a call. */
  #begin(span: TraceSpan, traced: TracedTool, isMaybe: boolean): void {
    const tool = { ...traced, name: withoutPrefix(traced.name) }
    const match = this.#made.find(tool)
    if (match === undefined && isMaybe) {
      this.#leave(span, tool)
      return
    }
    const id = match?.id ?? tool.id ?? `span ${this.#toolSpans++}`
    if (match === undefined) this.#showTool(span, tool, id)
    else {
      match.joined = true
      const warning = 'the tool was given other arguments than the call of the model has; those of the call are shown'
      if (differs(tool.args.value, match.original)) this.#reading.unread(tool.args.path, warning, true)
      else if (!isAbsent(tool.args.value)) this.#reading.leaveOut(tool.args.path)
    }
    const failed =
      tool.error === null ? null : outcomeOfAgent(null, asText(tool.name.value) ?? '', wordsOf(tool.error.value), true)
    settle(match?.call ?? null, failed ?? 'unknown')
    const isOpen = [tool.error, span.end, tool.result.value].every(isAbsent)
    this.sink.report(id, failed ?? (isOpen ? undefined : tool.outcome))
    const placed = isOpen ? null : placeMessage(resultTree(tool.result, tool.error, id), span.path)
    const text = placed === null ? null : textKey(placed.record)
    const isAnswered = this.#answered.has(`id ${id}`) || (text !== null && this.#answered.has(text))
    const bring = (): void => {
      if (placed === null) return
      if (match !== undefined && match.id === null) this.sink.remember(this.sink.last ?? null, id, match.call)
      takeMessage(this.sink, placed, null)
    }
    this.#begun.set(span, isAnswered ? null : bring)
  }

  tellLost(): void {
    for (const { path } of this.#unanswered)
      this.#reading.unread(path, 'the answer of the model is not in the trace; not read', true)
    const [silent] = this.#silent
    if (silent !== undefined) {
      const count = this.#silent.length
      this.#reading.addUnread({ records: count, actions: count })
      this.#reading.warn(silent.path, `${count} calls of a model without their messages: the trace did not keep them`)
    }
  }
}

/** Recognizes a text of JSON that holds messages and could not be parsed: parsed messages leave no such text. */
function readsLikeMessages(content: unknown): boolean {
  const head = typeof content === 'string' ? content.slice(0, 60).trimStart() : ''
  return (head.startsWith('[{') || head.startsWith('{"')) && HEADS.some((name) => head.includes(name))
}

const HEADS = '"role"|"parts"|"messages"|"choices"|"tool_calls"|"tool_use"|"toolUse"|"function_call"'.split('|')

/** Beginnings of the names of a tool's span: of the GenAI conventions, and of Pydantic AI. */
const PREFIXES = ['execute_tool ', 'running tool: '] as const

function withoutPrefix(name: Located): Located {
  const text = asText(name.value) ?? ''
  const { length } = PREFIXES.find((prefix) => text.startsWith(prefix)) ?? ''
  return length === 0 ? name : new Located(text.slice(length), `${name.path}#char=${length},${text.length}`)
}

function resultTree(result: Located, error: Located | null, id: string): Tree {
  const failed = error !== null && { error: { message: error } }
  return { role: 'tool', tool_call_id: id, content: contentOf(result), ...failed }
}
