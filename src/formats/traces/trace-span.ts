import { type ActOutcome, NOT_RUN } from '../../domain/trajectory/act.ts'
import type { Json, Reading } from '../common/reading.ts'
import { type OpenStep, Session } from '../common/session.ts'
import { agentNamedBy, readMessage } from '../openai-chat/openai-chat-message.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import type { Located, PlacedMessage, Tree } from './located.ts'
import { answeredIdsOf } from './message-key.ts'

/**
 * Kinds of spans: a model call; an agent's work around such calls; a tool call; or other work (a chain, a retriever, an HTTP request),
 * whose texts a model saw only inside of the first three.
 */
export type SpanKind = 'model' | 'agent' | 'tool' | 'other'

export interface TraceSpan {
  readonly path: string
  readonly id: string | null
  readonly parent: string | null
  readonly kind: SpanKind
  /** The kind in the words of the trace's own format. */
  readonly called: string
  readonly name: string | null
  /** The agent that the span itself names. */
  readonly agent: string | null
  readonly model: string | null
  /** Milliseconds since 1970, with fractions. */
  readonly start: number | null
  readonly end: number | null
  /** True when the span holds messages or, for a tool, arguments. */
  readonly holds: boolean
  /** Messages sent and received, built at each call, so that they are never all in memory. Null: a value that holds no messages. */
  input(): readonly Tree[] | null
  output(): readonly Tree[] | null
  readonly tool: TracedTool | null
  /** The error with which the span ended, which the spans around it repeat; not that of a tool. */
  readonly error?: Located
}

/** The facts of a tool call in its span. */
export interface TracedTool {
  readonly id: string | null
  readonly name: Located
  readonly args: Located
  /** The result; null for a tool that has not ended. */
  readonly result: Located | null
  /** The error; null for a successful call. */
  readonly error: Located | null
  /** The outcome that the record tells beside the words of the result. */
  readonly outcome?: ActOutcome
  /** True where the arguments of a span never have the form of the call's: the first open call of the tool's name is the span's. */
  readonly byName?: boolean
}

/** Relations among spans by their parents. A span that is its own ancestor has no parent. */
export interface TraceTree {
  /** Tells whether a model call below the span shows the span's content. */
  hasModelBelow(span: TraceSpan): boolean
  /** Returns the agent at work in a span: its own, or that of the nearest span around it. */
  agentOf(span: TraceSpan): string | null
  depthOf(span: TraceSpan): number
}

/** Builds the relations among spans. Each span is visited a fixed number of times, whatever the depth or the cycles of the tree. */
export function treeOf(reading: Reading, spans: readonly TraceSpan[]): TraceTree {
  const byId = new Map<string, TraceSpan>()
  for (const span of spans) {
    if (span.id === null) continue
    if (byId.has(span.id)) reading.warnOnce(span.path, 'another span has the same id; both are read')
    else byId.set(span.id, span)
  }
  const parentOf = (span: TraceSpan): TraceSpan | undefined =>
    span.parent === null || span.parent === span.id ? undefined : byId.get(span.parent)
  const above = new Set<TraceSpan>()
  for (const span of spans) {
    if (span.kind !== 'model' || !span.holds) continue
    for (let ancestor = parentOf(span); ancestor !== undefined && !above.has(ancestor); ancestor = parentOf(ancestor))
      above.add(ancestor)
  }
  const facts = new Map<TraceSpan, { readonly agent: string | null; readonly depth: number }>()
  const lookUp = (span: TraceSpan): { readonly agent: string | null; readonly depth: number } => {
    const way: TraceSpan[] = []
    const onWay = new Set<TraceSpan>()
    let top: TraceSpan | undefined = span
    for (; top !== undefined && !facts.has(top) && !onWay.has(top); top = parentOf(top)) {
      way.push(top)
      onWay.add(top)
    }
    if (top !== undefined && onWay.has(top))
      reading.warnOnce(top.path, 'a span that stands below itself; read as if it had no parent')
    let below =
      top === undefined || onWay.has(top)
        ? { agent: null as string | null, depth: 0 }
        : (facts.get(top) ?? { agent: null, depth: 0 })
    for (const visited of way.reverse()) {
      below = { agent: visited.agent ?? below.agent, depth: below.depth + 1 }
      facts.set(visited, below)
    }
    return facts.get(span) ?? below
  }
  return {
    hasModelBelow: (span) => above.has(span),
    agentOf: (span) => lookUp(span).agent,
    depthOf: (span) => lookUp(span).depth,
  }
}

/** Builds the steps of a trace: its messages are read like those of a chat, and placed at their time like the records of a session. */
export class TraceSink extends ChatSink {
  readonly session: Session
  /** Outcomes that the record tells beside an answer, by the id of the call. */
  readonly reported = new Map<string, ActOutcome>()
  #step: OpenStep | null = null
  #calls: OpenCall[] = []

  constructor(reading: Reading, agent: string | null) {
    super(reading, undefined, agent)
    this.session = new Session(reading, {})
  }

  override opened(id: unknown, tool: string): OpenCall {
    const call = super.opened(id, tool)
    if (this.#step !== null) this.session.remember(this.#step, id, call)
    this.#calls.push(call)
    return call
  }

  override answered(id: string | null, outcomeOf: (tool: string) => ActOutcome): void {
    super.answered(id, (tool) => {
      const outcome = outcomeOf(tool)
      const reported = id === null ? undefined : this.reported.get(id)
      // Words of an answer tell more of a failure than its span; that a call never ran is told by the record alone.
      return reported !== undefined && (outcome === 'ran' || NOT_RUN.has(reported)) ? reported : outcome
    })
  }

  /** Registers a further id for a call without an id. */
  rename(id: string, call: OpenCall): void {
    const { last } = this.session
    if (last !== undefined) this.session.remember(last, id, call)
    this.keep(id, call)
  }

  /** Reads one message into its step; returns its calls in order. `name`: of an agent's step; `other`: of another speaker's. */
  take({ message, place }: PlacedMessage, name: string | null, other: string | null = null): readonly OpenCall[] {
    this.#calls = []
    const ids = answeredIdsOf(message)
    this.reading.within(place, () => {
      // Steps without parts are removed at the end.
      const agent = agentNamedBy(message) ?? this.session.agent
      this.#step = isOfAgent(message) ? this.session.open('agent', name, agent) : null
      const read = readMessage(this, message, '', null, 'other')
      for (const part of read.outputs) (this.#step?.outputs ?? this.#outputs(ids)).push(part)
      const step = this.#step ?? (read.parts.length > 0 ? this.session.open('other', other) : null)
      for (const part of read.parts) step?.parts.push(part)
    })
    return this.#calls
  }

  /** Returns the part list for a result: that of its call's step while nothing else has happened since, else that of a step of its own. */
  #outputs(ids: readonly string[]): OpenStep['outputs'] {
    const answered = ids.find((id) => this.session.hasCall(id))
    if (answered !== undefined) return this.session.output(answered, '', null).parts
    const { last } = this.session
    if (ids.length === 0 && last?.kind === 'agent') return last.outputs
    return (last?.kind === 'output' ? last : this.session.open('output', null)).outputs
  }
}

const isOfAgent = (message: Json): boolean =>
  message['role'] === 'assistant' ||
  message['type'] === 'function_call' ||
  message['type'] === 'reasoning' ||
  agentNamedBy(message) !== null
