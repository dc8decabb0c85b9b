import type { Reply, Step } from '../../domain/trajectory/trajectory.ts'
import { wordsOf } from '../common/content.ts'
import { decodeObject } from '../common/json-tree.ts'
import { cutName, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asText, settle } from '../common/session.ts'
import { outcomeOfAgent } from '../tools/outcomes.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { contentOf, type PlacedMessage, placeMessage, type Tree } from './located.ts'
import { answeredIdsOf, argsKey, callKeysOf, differs, messageKey, textKey } from './message-key.ts'
import { type TracedTool, TraceSink, type TraceSpan, type TraceTree, treeOf } from './trace-span.ts'

/**
 * The steps of a run from the spans of its trace. Every call of a model holds all that was said before it, so a message is shown where it
 * first comes: in the order of time, what a request holds for the first time, then its answer. It comes again where a request holds it
 * oftener than was shown; copies are told by their words, whose call they answer, and what they call.
 *
 * A tool's span is joined to its call, by id, else by name and arguments; what it printed is shown where no later request has the answer.
 */
export function readTrace(reading: Reading, spans: readonly TraceSpan[], path: string, agent: string | null): Step[] {
  const run = new TraceRun(reading, spans, agent)
  for (const event of eventsOf(spans, run.tree)) run.take(event)
  run.tellLost()
  return run.sink.session.finish(path)
}

interface TraceEvent {
  readonly span: TraceSpan
  /** What of it: all at its beginning, or first what it was given and at its end what came of it. */
  readonly what: 'all' | 'input' | 'output'
  readonly at: number
  readonly order: number
}

/** In the order of time; a span around others begins before them and ends behind them. */
function eventsOf(spans: readonly TraceSpan[], tree: TraceTree): readonly TraceEvent[] {
  let [at, order] = [0, 0]
  const events: TraceEvent[] = []
  for (const span of spans) {
    at = span.start ?? at
    const isAround = span.kind === 'agent' || (span.kind === 'model' && tree.hasModelBelow(span))
    const end = Math.max(at, span.end ?? at)
    if (!isAround) events.push({ span, what: 'all', at, order: order++ })
    else events.push({ span, what: 'input', at, order: order++ }, { span, what: 'output', at: end, order: order++ })
  }
  const depth = (event: TraceEvent): number => (event.what === 'output' ? -1 : 1) * tree.depthOf(event.span)
  return events
    .map((event) => ({ event, depth: depth(event) }))
    .sort((a, b) => a.event.at - b.event.at || a.depth - b.depth || a.event.order - b.event.order)
    .map(({ event }) => event)
}

class TraceRun {
  readonly sink: TraceSink
  readonly tree: TraceTree
  readonly #reading: Reading
  /** How often each message was shown. */
  readonly #shown = new Map<string, number>()
  readonly #texts = new Set<string>()
  readonly #made = new MadeCalls()
  /** What the requests of the trace answer, by the id of the call, or by the words where they have none. */
  readonly #answered = new Set<string>()
  /** The words of all that the models were sent. */
  readonly #asked = new Set<string>()
  readonly #agents: ReadonlySet<string>
  readonly #others = new Map<string, { path: string; count: number }>()
  #silent: { path: string; count: number } | null = null
  #toolSpans = 0
  /** The answer of the last call of a model: a tool that no call is known of may have been called in it. */
  #reply: Reply | null = null

  constructor(reading: Reading, spans: readonly TraceSpan[], agent: string | null) {
    this.#reading = reading
    this.sink = new TraceSink(reading, agent)
    this.tree = treeOf(reading, spans)
    this.#agents = new Set(
      spans.filter(({ kind, holds }) => kind === 'model' && holds).flatMap((span) => this.tree.agentOf(span) ?? []),
    )
    for (const span of spans) if (span.kind === 'model') this.#noteRequest(span)
  }

  #noteRequest(span: TraceSpan): void {
    for (const tree of span.input() ?? []) {
      const placed = placeMessage(tree, span.path)
      if (placed === null) continue
      const { message } = placed
      const ids = answeredIdsOf(message)
      for (const id of ids) this.#answered.add(`id ${id}`)
      const text = textKey(message)
      if (text === null) continue
      this.#asked.add(text)
      if (ids.length === 0 && (message['role'] === 'tool' || message['role'] === 'function')) this.#answered.add(text)
    }
  }

  take({ span, what }: TraceEvent): void {
    const { session } = this.sink
    const now = what === 'output' ? span.end : span.start
    session.now = now !== null && Number.isFinite(now) ? now : null
    session.agent = this.#agents.size > 1 ? this.tree.agentOf(span) : null
    this.#reading.reply = null
    if (span.tool !== null) this.#tool(span, span.tool, span.kind !== 'tool')
    else if (span.kind === 'model' && what === 'all') this.#call(span)
    else if (span.kind === 'model' || span.kind === 'agent') this.#around(span, what)
    else this.#count(span)
  }

  /** A call of a model: what it was sent for the first time, and its answer, which is always new. */
  #call(span: TraceSpan): void {
    this.#reply = { id: `model at ${span.path}`, isNamed: false }
    if (!span.holds) {
      this.#silent = { path: this.#silent?.path ?? span.path, count: (this.#silent?.count ?? 0) + 1 }
      return
    }
    this.#input(span, span.input())
    const output = span.output()
    const answers = (output ?? []).filter((tree) => roleOf(tree, span.path) === 'assistant').length
    if (output === null)
      this.#reading.unread(span.path, 'the answer of the model has a form that is not known; not read', true)
    if (answers > 1) this.#reading.warnOnce(span.path, 'several answers of one call of the model; all are shown')
    this.#reading.reply = this.#reply
    for (const tree of output ?? []) this.#show(placeMessage(tree, span.path), span)
  }

  /** What a span around other calls holds: only what none of them does. */
  #around(span: TraceSpan, what: TraceEvent['what']): void {
    if (!span.holds) return
    const trees = what === 'output' ? span.output() : span.input()
    for (const tree of trees ?? []) {
      const placed = placeMessage(tree, span.path)
      const text = placed === null ? null : textKey(placed.message)
      const isTold = what === 'input' && text !== null && this.#asked.has(text)
      if (placed === null || isTold || this.#isShown(placed)) continue
      // An agent's last words can look like anything; what it did stands in its calls of a model.
      const isUnmade =
        what === 'output' &&
        span.kind === 'agent' &&
        this.tree.hasModelBelow(span) &&
        callKeysOf(placed.message).length > 0 &&
        !this.#made.holds(placed.message)
      if (isUnmade)
        this.#reading.unread(placed.place(''), 'holds tool calls that no call of a model below it made; not read', true)
      else this.#show(placed, span)
    }
    if (trees === null && !this.tree.hasModelBelow(span))
      // What a span was given is nothing that the agent did.
      this.#reading.unread(
        span.path,
        `the ${what} of this span has a form that is not known; not read`,
        what === 'output',
      )
  }

  #input(span: TraceSpan, trees: readonly Tree[] | null): void {
    if (trees === null)
      this.#reading.unread(span.path, 'what the model was sent has a form that is not known; not read', false)
    const own = new Map<string, number>()
    for (const tree of trees ?? []) {
      const placed = placeMessage(tree, span.path)
      if (placed === null) {
        this.#reading.unread(span.path, 'a message that is no object; not read', false)
        continue
      }
      const key = messageKey(placed.message)
      const count = (own.get(key) ?? 0) + 1
      own.set(key, count)
      if (count <= (this.#shown.get(key) ?? 0) || this.#made.holds(placed.message)) continue
      if (placed.message['role'] === 'assistant')
        this.#reading.warnOnce(
          placed.place(''),
          'an answer that no call of a model in this trace gave; read as the agent’s own, from before',
        )
      this.#show(placed, span, key)
    }
  }

  /** By its words alone: an agent’s span says as a text what its calls of a model say as messages. */
  #isShown({ message }: PlacedMessage): boolean {
    if (this.#shown.has(messageKey(message))) return true
    const text = textKey(message)
    return text !== null && this.#texts.has(text) && callKeysOf(message).length === 0
  }

  #show(placed: PlacedMessage | null, span: TraceSpan, known?: string): void {
    if (placed === null) return
    const { message } = placed
    const key = known ?? messageKey(message)
    this.#shown.set(key, (this.#shown.get(key) ?? 0) + 1)
    const text = textKey(message)
    if (text !== null) this.#texts.add(text)
    if (readsLikeMessages(message['content']))
      this.#reading.unread(
        placed.place('/content'),
        'reads like messages as JSON, but is cut, cannot be read, or is not said to be JSON; shown as it stands',
        message['role'] === 'assistant',
      )
    this.#made.add(message, this.sink.take(placed, span.name === null ? null : cutName(span.name)))
  }

  /** A span of a tool. One that is not called so (`isMaybe`) is one where it fits a call. */
  #tool(span: TraceSpan, tool: TracedTool, isMaybe: boolean): void {
    const found = this.#made.find(tool)
    if (found === undefined && isMaybe) {
      this.#count(span)
      return
    }
    const id = found?.id ?? tool.id ?? `span ${this.#toolSpans++}`
    if (found === undefined) {
      this.#reading.reply = this.#reply
      const call: Tree = { id, function: { name: tool.name, arguments: tool.args } }
      this.#show(placeMessage({ role: 'assistant', tool_calls: [call] }, span.path), span)
    } else {
      found.joined = true
      if (differs(tool.args.value, found.given))
        this.#reading.unread(
          tool.args.path,
          'the tool was given other arguments than the call of the model has; those of the call are shown',
          true,
        )
    }
    if (tool.error !== null) {
      const outcome = outcomeOfAgent(null, asText(tool.name.value) ?? '', wordsOf(tool.error.value), true)
      settle(found?.call ?? null, outcome)
      this.sink.failed.set(id, outcome)
    }
    const placed = placeMessage(resultTree(tool, id), span.path)
    const text = placed === null ? null : textKey(placed.message)
    if (placed === null || this.#answered.has(`id ${id}`) || (text !== null && this.#answered.has(text))) return
    if (found !== undefined && found.id === null) this.sink.rename(id, found.call)
    this.sink.take(placed, null)
  }

  #count({ called, path }: TraceSpan): void {
    const known = this.#others.get(called)
    if (known === undefined) this.#others.set(called, { path, count: 1 })
    else known.count++
  }

  /** What of the trace is not shown. */
  tellLost(): void {
    if (this.#silent !== null) {
      const { path, count } = this.#silent
      this.#reading.addUnread({ records: count, actions: count })
      this.#reading.warn(path, `${count} calls of a model without their messages: the trace did not keep them`)
    }
    for (const [called, { path, count }] of [...this.#others].slice(0, 20))
      this.#reading.warn(
        path,
        `${count} spans of kind ${JSON.stringify(cutName(called))} are not shown: what of them a model saw stands in its requests`,
      )
  }
}

/** Of messages, a request or an answer as JSON that could be taken apart, nothing is left that is text. */
function readsLikeMessages(content: unknown): boolean {
  const head = typeof content === 'string' ? content.slice(0, 60).trimStart() : ''
  return (head.startsWith('[{') || head.startsWith('{"')) && HEADS.some((name) => head.includes(name))
}

const HEADS = '"role"|"parts"|"messages"|"choices"|"tool_calls"|"tool_use"|"toolUse"|"function_call"'.split('|')

const roleOf = (tree: Tree, path: string): unknown => placeMessage(tree, path)?.message['role']

function resultTree({ result, error }: TracedTool, id: string): Tree {
  return {
    role: 'tool',
    tool_call_id: id,
    content: contentOf(result),
    ...(error !== null && { error: { message: error } }),
  }
}

/** A call that a model made, and whether a span of a tool was joined to it. */
interface MadeCall {
  readonly id: string | null
  readonly args: string
  readonly given: unknown
  readonly call: OpenCall
  joined: boolean
}

/** The calls of a trace that were shown: what repeats them, and which of them a tool's span is of. */
class MadeCalls {
  /** What was called under each id: a provider may count its ids anew in every answer. */
  readonly #ids = new Set<string>()
  readonly #byId = new Map<string, MadeCall>()
  /** By the tool, and by the tool and its arguments. */
  readonly #queues = new Map<string, { readonly list: MadeCall[]; next: number }>()

  /** The calls that were read of a message. */
  add(message: Json, made: readonly OpenCall[]): void {
    const calls = callKeysOf(message)
    for (const [index, call] of made.entries()) {
      const told = calls.length === made.length ? calls[index] : undefined
      const { id = null, args = '', given } = told ?? {}
      const one: MadeCall = { id, args, given, call, joined: false }
      if (id !== null) {
        this.#ids.add(idKey(id, told?.name ?? call.tool, args))
        this.#byId.set(id, one)
      }
      for (const name of [call.tool, `${call.tool}\n${args}`]) {
        const queue = this.#queues.get(name)
        if (queue === undefined) this.#queues.set(name, { list: [one], next: 0 })
        else queue.list.push(one)
      }
    }
  }

  /** Whether a message makes calls of which each was shown: it is a copy, whatever of its words was changed on the way. */
  holds(message: Json): boolean {
    const calls = callKeysOf(message)
    return calls.length > 0 && calls.every(({ id, name, args }) => id !== null && this.#ids.has(idKey(id, name, args)))
  }

  /**
   * The call of a tool's span: by its id, else the first of the tool that was given the same; where the span does not tell the arguments as the call
   * does, the first of all.
   */
  find({ id, name, args }: TracedTool): MadeCall | undefined {
    const known = id === null ? undefined : this.#byId.get(id)
    if (known !== undefined) return known
    const tool = typeof name.value === 'string' ? name.value : ''
    const isTold = isRecord(args.value) || (typeof args.value === 'string' && decodeObject(args.value) !== null)
    const queue = this.#queues.get(isTold ? `${tool}\n${argsKey(args.value)}` : tool)
    while (queue?.list[queue.next]?.joined === true) queue.next++
    return queue?.list[queue.next]
  }
}

const idKey = (id: string, name: string, args: string): string => `${id}\n${name}\n${args}`
