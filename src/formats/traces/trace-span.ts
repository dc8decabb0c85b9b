import type { ActOutcome } from '../../domain/trajectory/act.ts'
import type { Reading } from '../common/reading.ts'
import { type OpenStep, Session } from '../common/session.ts'
import { readMessage } from '../openai-chat/openai-chat-message.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import type { Located, PlacedMessage, Tree } from './located.ts'
import { answeredIdsOf } from './message-key.ts'

/**
 * What a span of a trace tells: a call of a model; the work of an agent, around such calls; a call of a tool; something else (a chain, a
 * retriever, a request over HTTP), whose words stand in these where a model saw them.
 */
export type SpanKind = 'model' | 'agent' | 'tool' | 'other'

export interface TraceSpan {
  readonly path: string
  readonly id: string | null
  readonly parent: string | null
  readonly kind: SpanKind
  /** What its own format calls its kind. */
  readonly called: string
  readonly name: string | null
  /** The agent that it says is at work in it. */
  readonly agent: string | null
  readonly model: string | null
  /** Milliseconds since 1970, with fractions. */
  readonly start: number | null
  readonly end: number | null
  /** Whether it holds messages or, of a tool, what it was given. */
  readonly holds: boolean
  /** What was sent and what came back; made anew at every call, so that not all of them are held. Null: something that is no message. */
  input(): readonly Tree[] | null
  output(): readonly Tree[] | null
  readonly tool: TracedTool | null
}

/** What a span says of a call of a tool. */
export interface TracedTool {
  readonly id: string | null
  readonly name: Located
  readonly args: Located
  readonly result: Located
  /** What went wrong; null where nothing did. */
  readonly error: Located | null
}

/** What the parents of spans tell. A parent that is its own child's child has none. */
export interface TraceTree {
  /** Whether a call of a model stands below, so that what the span holds is told there. */
  hasModelBelow(span: TraceSpan): boolean
  /** The agent at work in a span: its own name or that of the nearest one around it. */
  agentOf(span: TraceSpan): string | null
  depthOf(span: TraceSpan): number
}

/** Each span is looked at a fixed number of times, however deep or wound the tree is. */
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
    for (let one = parentOf(span); one !== undefined && !above.has(one); one = parentOf(one)) above.add(one)
  }
  const known = new Map<TraceSpan, { readonly agent: string | null; readonly depth: number }>()
  const lookUp = (span: TraceSpan): { readonly agent: string | null; readonly depth: number } => {
    const way: TraceSpan[] = []
    const onWay = new Set<TraceSpan>()
    let top: TraceSpan | undefined = span
    for (; top !== undefined && !known.has(top) && !onWay.has(top); top = parentOf(top)) {
      way.push(top)
      onWay.add(top)
    }
    if (top !== undefined && onWay.has(top))
      reading.warnOnce(top.path, 'a span that stands below itself; read as if it had no parent')
    let told =
      top === undefined || onWay.has(top)
        ? { agent: null as string | null, depth: 0 }
        : (known.get(top) ?? { agent: null, depth: 0 })
    for (const one of way.reverse()) {
      told = { agent: one.agent ?? told.agent, depth: told.depth + 1 }
      known.set(one, told)
    }
    return known.get(span) ?? told
  }
  return {
    hasModelBelow: (span) => above.has(span),
    agentOf: (span) => lookUp(span).agent,
    depthOf: (span) => lookUp(span).depth,
  }
}

/** The steps of a trace: its messages are read as those of a chat, and stand at their time as the records of a session do. */
export class TraceSink extends ChatSink {
  readonly session: Session
  /** What became of calls whose own spans say that they failed, by id. */
  readonly failed = new Map<string, ActOutcome>()
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
      const told = outcomeOf(tool)
      return told === 'ran' && id !== null ? (this.failed.get(id) ?? told) : told
    })
  }

  /** Lets a call without an id be answered under one. */
  rename(id: string, call: OpenCall): void {
    const { last } = this.session
    if (last !== undefined) this.session.remember(last, id, call)
    this.keep(id, call)
  }

  /** Reads one message into the step where it belongs; answers its calls, in their order. */
  take({ message, place }: PlacedMessage, name: string | null): readonly OpenCall[] {
    this.#calls = []
    const ids = answeredIdsOf(message)
    const isAgent =
      message['role'] === 'assistant' || message['type'] === 'function_call' || message['type'] === 'reasoning'
    this.reading.within(place, () => {
      // Steps without parts are left out in the end.
      this.#step = isAgent ? this.session.open('agent', name) : null
      const read = readMessage(this, message, '', null, 'other')
      const step = this.#step
      if (step !== null) {
        for (const part of read.parts) step.parts.push(part)
        for (const part of read.outputs) step.outputs.push(part)
        return
      }
      if (read.outputs.length > 0) for (const part of read.outputs) this.#outputs(ids).push(part)
      if (read.parts.length > 0) {
        const { parts } = this.session.open('other', null)
        for (const part of read.parts) parts.push(part)
      }
    })
    return this.#calls
  }

  /** Where an answer goes: to its call while nothing else has happened since, else to a step of its own at its time. */
  #outputs(ids: readonly string[]): OpenStep['outputs'] {
    const known = ids.find((id) => this.session.hasCall(id))
    if (known !== undefined) return this.session.output(known, '', null).parts
    const { last } = this.session
    if (ids.length === 0 && last?.kind === 'agent') return last.outputs
    return (last?.kind === 'output' ? last : this.session.open('output', null)).outputs
  }
}
