import { pushTo } from '../../domain/result.ts'
import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { isAbsent, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asList, asName, asText, type OpenStep } from '../common/session.ts'
import type { ReadDocument } from '../format.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { isOdd, modelOf } from '../traces/chat-shapes.ts'
import { Located, placeMessage, type Tree } from '../traces/located.ts'
import { answeredIdsOf } from '../traces/message-key.ts'
import { agentNamedBy, readMessage, speaksAsAgent } from './openai-chat-message.ts'
import { ChatSink } from './openai-chat-sink.ts'

/**
 * The one way from messages to steps. A format is a function from its document to located messages: a chat's message as a `Tree` and the facts
 * beside it (`LocatedMessage`). In a record of a session or a trace, a result stands in the step of its call while nothing else has happened since,
 * else in a step of its own at its time; steps without parts are left out. In a list (`isList`; `readTurns`), each message is a step, and a result
 * belongs to the agent's step before it. Calls, answers, outcomes and unread acts are the same for both.
 */
function readOne(sink: ChatSink, message: Json, path: string, name: string | null, other: string | null): void {
  const { isList } = sink
  const own = speaksAsAgent(message) ? sink.open('agent', name, agentNamedBy(message) ?? sink.subagent) : null
  sink.calls = []
  sink.step = own
  const { isTool, parts, outputs } = readMessage(sink, message, path)
  // Not spread into push: a message may hold more parts than a call can have arguments.
  if (outputs.length > 0 || (isList && isTool)) {
    const list = own?.outputs ?? outputsOf(sink, message, name)
    for (const part of outputs) list.push(part)
  }
  const isStep = parts.length > 0 || (isList && !isTool && outputs.length === 0)
  const step = own ?? (isStep ? sink.open('other', other) : null)
  for (const part of parts) step?.parts.push(part)
}

function outputsOf(sink: ChatSink, message: Json, name: string | null): OpenStep['outputs'] {
  const { last, isList } = sink
  if (isList) return (last === undefined || last.kind === 'other' ? sink.open('output', name) : last).outputs
  const ids = answeredIdsOf(message)
  const answered = ids.find((id) => sink.hasCall(id))
  if (answered !== undefined) return sink.output(answered, '', null).parts
  if (ids.length === 0 && last?.kind === 'agent') return last.outputs
  return (last?.kind === 'output' ? last : sink.open('output', null)).outputs
}

/** Reads one placed message; returns its calls in order. `name`: of an agent's step; `other`: of another speaker's. */
export function takeMessage(
  sink: ChatSink,
  placed: Located,
  name: string | null,
  other: string | null = null,
  message = placed.record,
): readonly OpenCall[] {
  sink.reading.within(
    (path) => placed.pathOf(path),
    () => readOne(sink, message, '', name, other),
  )
  return sink.calls
}

export interface LocatedMessage {
  readonly tree: Tree
  readonly path?: string
  /** The name of the message's step; the message's own id where absent. */
  readonly name?: string | null
  /** Milliseconds since 1970. */
  readonly at?: number | null
  /** The outcome that the record tells of the calls which the message answers. */
  readonly outcome?: ActOutcome | undefined
}

/** Reads located messages into the steps of one agent. `list`: the pointer of the list that holds them. */
export function readLocatedChat(
  reading: Reading,
  list: string,
  agent: ReadDocument['agent'],
  format: string,
  messages: (sink: ChatSink) => Iterable<LocatedMessage>,
): ReadDocument {
  const sink = new ChatSink(reading, agent.name)
  const ids = new CallIds()
  let { model } = agent
  for (const { tree, path = list, name, at = null, outcome } of messages(sink)) {
    const placed = isOdd(tree) ? null : placeMessage(tree, path)
    if (placed === null) {
      const { path: place, value } = tree instanceof Located ? tree : new Located(undefined, path)
      reading.odd(place, 'a message', value)
      continue
    }
    sink.now = at
    const message = ids.complete(placed.record)
    const { id: own, tool_call_id: id } = message
    if (typeof id === 'string') sink.report(id, outcome)
    const step = name === undefined ? asText(own) : name
    takeMessage(sink, placed, step, step, message)
    model ??= modelOf(message)
  }
  return { format, agent: { ...agent, model }, steps: sink.finish(list) }
}

/** Names calls and answers without ids by their tool and their order: the first answer of a tool answers its first open call. */
class CallIds {
  readonly #open = new Map<string, string[]>()
  readonly #answered = new Map<string, number>()
  #count = 0

  complete(message: Json): Json {
    const { role, name, tool_call_id: id, content } = message
    if (role === 'function' && typeof name === 'string' && typeof id !== 'string') {
      const turn = this.#answered.get(name) ?? 0
      this.#answered.set(name, turn + 1)
      return { ...message, tool_call_id: this.#open.get(name)?.[turn] ?? `${name}/unasked/${turn}` }
    }
    if (role !== 'assistant' || !Array.isArray(content)) return message
    return { ...message, content: asList(content).map((block) => this.#named(block)) }
  }

  #named(block: unknown): unknown {
    if (!isRecord(block) || block['type'] !== 'tool_use') return block
    const { name, id } = block
    if (typeof name !== 'string') return block
    const own = isAbsent(id) ? `${name}/${++this.#count}` : id
    if (typeof own === 'string') pushTo(this.#open, name, own)
    return { ...block, id: own }
  }
}

export function readTurns(sink: ChatSink, turns: Iterable<Located>): void {
  const { reading } = sink
  for (const turn of turns) {
    if (!isRecord(turn.value)) {
      reading.odd(turn.path, 'a message', turn.value)
      continue
    }
    const name = asName(turn.value['id'])
    // Several messages with one id may be one reply, written call by call.
    reading.reply = name === null ? null : { id: name, isNamed: false }
    if (turn.isAssembled) takeMessage(sink, turn, name, name)
    else readOne(sink, turn.value, turn.path, name, name)
  }
}

export function readList(reading: Reading, about: Omit<ReadDocument, 'steps'>, path: string, turns: Iterable<Located>) {
  const sink = new ChatSink(reading, about.agent.name, true)
  readTurns(sink, turns)
  return { ...about, steps: sink.finish(path) }
}
