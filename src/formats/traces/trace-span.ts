import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { mayAct, type Reading } from '../common/reading.ts'
import type { Located, Tree } from './located.ts'

/** Kinds of spans: model call, agent, tool call, work beside the agent without acts, other work (a chain, an HTTP request). */
export type SpanKind = 'model' | 'agent' | 'tool' | 'aside' | 'other'

/** Returns the kind of a span; of work beside the agent that may hold an act in its input or output: other work. */
export const kindBy = (kind: SpanKind, ...values: readonly unknown[]): SpanKind =>
  kind === 'aside' && values.some((value) => mayAct(value)) ? 'other' : kind

export interface TraceSpan {
  readonly path: string
  readonly id: string | null
  readonly parent: string | null
  readonly kind: SpanKind
  readonly name: string | null
  readonly agent: string | null
  readonly model: string | null
  /** Milliseconds since 1970, with fractions. */
  readonly start: number | null
  readonly end: number | null
  readonly holds: boolean
  /** Messages sent and received, built at each call, so that they are never all in memory. Null: a value that holds no messages. */
  input(): readonly Tree[] | null
  output(): readonly Tree[] | null
  /** The values of input and output as they stand in the record, where the record has a member for each. */
  readonly sent?: Located
  readonly answered?: Located
  readonly tool: TracedTool | null
  /** The error with which the span ended, which the spans around the span repeat. */
  readonly error?: Located
}

export interface TracedTool {
  readonly id: string | null
  readonly name: Located
  readonly args: Located
  /** The result; a tool without a result, an error and a time of its end has not ended. */
  readonly result: Located
  /** The error; null for a successful call. */
  readonly error: Located | null
  readonly outcome?: ActOutcome
  /** True where the arguments of a span never have the form of the call's: the first open call of the tool's name is the span's. */
  readonly byName?: boolean
}

/** The place of a span among the others. A span that is its own ancestor has no parent. */
interface SpanFacts {
  /** The agent at work: the span's own, or that of the nearest span around it. */
  readonly agent: string | null
  readonly depth: number
  readonly hasModelBelow: boolean
}

export type TraceTree = (span: TraceSpan) => SpanFacts

/** Builds the relations among spans by their parents. Each span is visited a fixed number of times, whatever the depth or the cycles of the tree. */
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
  const facts = new Map<TraceSpan, SpanFacts>()
  return (span) => {
    const way = new Set<TraceSpan>()
    let top: TraceSpan | undefined = span
    for (; top !== undefined && !facts.has(top) && !way.has(top); top = parentOf(top)) way.add(top)
    if (top !== undefined && way.has(top))
      reading.warnOnce(top.path, 'a span that stands below itself; read as if it had no parent')
    let { agent = null, depth = 0 } = (top && facts.get(top)) ?? {}
    for (const visited of [...way].reverse()) {
      agent = visited.agent ?? agent
      facts.set(visited, { agent, depth: ++depth, hasModelBelow: above.has(visited) })
    }
    return facts.get(span) as SpanFacts
  }
}

export interface TraceEvent {
  readonly span: TraceSpan
  /** The part of the span to read: all at its beginning, or the input at its beginning and the output at its end. */
  readonly what: 'all' | 'input' | 'output'
  readonly at: number
  readonly depth: number
}

/** Lists the events in order of time; a span around others, and a tool, begins before them and ends behind them. */
export function eventsOf(spans: readonly TraceSpan[], tree: TraceTree): readonly TraceEvent[] {
  let at = 0
  const events: TraceEvent[] = []
  for (const span of spans) {
    at = span.start ?? at
    const { depth, hasModelBelow } = tree(span)
    const isAround = span.kind === 'agent' || span.tool !== null || (span.kind === 'model' && hasModelBelow)
    const end = Math.max(at, span.end ?? at)
    // A tool that took no time ends behind its beginning.
    const depthOfEnd = span.tool !== null && end === at ? depth : -depth
    if (!isAround) events.push({ span, what: 'all', at, depth })
    else events.push({ span, what: 'input', at, depth }, { span, what: 'output', at: end, depth: depthOfEnd })
  }
  return events.sort((a, b) => a.at - b.at || a.depth - b.depth)
}
