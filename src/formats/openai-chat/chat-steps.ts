import { pushTo } from '../../domain/result.ts'
import type { ActOutcome, Step } from '../../domain/trajectory/trajectory.ts'
import { cutName, isAbsent, isRecord, type Json, type Reading } from '../common/reading.ts'
import { asList, asRecord, asText, type OpenStep } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { isOdd, modelOf } from '../traces/chat-shapes.ts'
import { Located, PLACE, type PlacedMessage, placeMessage, type Tree } from '../traces/located.ts'
import { answeredIdsOf } from '../traces/message-key.ts'
import { agentNamedBy, readMessage, speaksAsAgent } from './openai-chat-message.ts'
import { ChatSink } from './openai-chat-sink.ts'

/**
 * The one way from messages to steps. A format is a function from its document to located messages: a chat's message as a `Tree`, each piece
 * with its JSON pointer, and the facts beside it (`LocatedMessage`). `readOne` reads each message and places its parts:
 * - in a record of a session or a trace, a result stands in the step of its call while nothing else has happened since, else in a step of
 *   its own at its time; steps without parts are left out;
 * - in a list of messages (`isList`), each message is a step, and a result belongs to the agent's step before it.
 * Calls, answers, outcomes and unread acts are the same for both. `name`: of an agent's step; `other`: of another speaker's.
 */
function readOne(sink: ChatSink, message: Json, path: string, name: string | null, other = name): void {
  const { isList } = sink
  const own = speaksAsAgent(message) ? sink.open('agent', name, agentNamedBy(message) ?? sink.subagent) : null
  sink.calls = []
  sink.step = own
  const { speaker, parts, outputs } = readMessage(sink, message, path)
  // Not spread into push: a message may hold more parts than a call can have arguments.
  if (outputs.length > 0 || (isList && speaker === 'tool')) {
    const list = own?.outputs ?? outputsOf(sink, message, name)
    for (const part of outputs) list.push(part)
  }
  const isStep = parts.length > 0 || (isList && speaker !== 'tool' && outputs.length === 0)
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

/** Reads one placed message; returns its calls in order. */
export function takeMessage(
  sink: ChatSink,
  { message, place }: PlacedMessage,
  name: string | null,
  other: string | null = null,
): readonly OpenCall[] {
  sink.reading.within(place, () => readOne(sink, message, '', name, other))
  return sink.calls
}

/** A message of a record, with the facts beside it. */
export interface LocatedMessage {
  readonly tree: Tree
  /** The place of pieces without a place of their own. */
  readonly path?: string
  /** The name of the message's step; the message's own id where absent. */
  readonly name?: string | null
  /** Milliseconds since 1970. */
  readonly at?: number | null
  /** The speaker in place of the user. */
  readonly role?: 'system'
  /** The outcome that the record tells of the calls which the message answers. */
  readonly outcome?: ActOutcome | undefined
  /** The outcomes that the record tells of calls by their ids, whatever the words of a result say. */
  readonly settles?: readonly (readonly [id: string, outcome: ActOutcome])[]
}

/** Reads located messages into the steps of one agent. `list`: the pointer of the list that holds them; `isList`: each message is a step. */
export function readLocatedChat(
  reading: Reading,
  list: string,
  agent: ReadDocument['agent'],
  format: string,
  messages: (sink: ChatSink) => Iterable<LocatedMessage>,
  isList = false,
): ReadDocument {
  const sink = new ChatSink(reading, agent.name, { isList })
  const model = readMessages(sink, list, messages(sink))
  return { format, agent: { ...agent, model: agent.model ?? model }, steps: sink.finish(list, isList) }
}

/** Reads located messages in order; returns the first model that a message names. */
function readMessages(sink: ChatSink, list: string, messages: Iterable<LocatedMessage>): string | null {
  const ids = new CallIds()
  let model: string | null = null
  for (const located of messages) {
    const { tree, path = list, settles = [] } = located
    const isUnread = sink.isList ? tree instanceof Located && !isRecord(tree.value) : isOdd(tree)
    const placed = isUnread ? null : placeMessage(tree, path)
    if (placed === null) {
      const { path: place, value } = tree instanceof Located ? tree : new Located(undefined, path)
      sink.reading.odd(place, 'a message', value)
      continue
    }
    const message = sink.isList ? placed.message : ids.complete(placed.message)
    readLocated(sink, located, { ...placed, message })
    for (const [id, outcome] of settles) sink.settle(id, outcome)
    model ??= modelOf(message)
  }
  return model
}

function readLocated(
  sink: ChatSink,
  { tree, name, at = null, role, outcome }: LocatedMessage,
  placed: PlacedMessage,
): void {
  const { id: own, tool_call_id: id } = placed.message
  sink.now = at
  if (typeof id === 'string' && outcome !== undefined) sink.reported.set(id, outcome)
  else if (typeof id === 'string') sink.reported.delete(id)
  const isTurned = role !== undefined && placed.message['role'] === 'user'
  const message = isTurned ? { ...placed.message, role } : placed.message
  const step = name === undefined ? asText(own) : name
  // Several messages of a list with one id may be one reply, written call by call.
  if (sink.isList) sink.reading.reply = step === null ? null : { id: cutName(step), isNamed: false }
  // The references of a message that stands in the document lead to other places in the document.
  if (sink.isList && tree instanceof Located) readOne(sink, message, tree.path, step)
  else takeMessage(sink, { ...placed, message }, step, step)
}

/** A harness's log of records, some of which only this harness writes. */
interface LogForm {
  /** The name of the format, and of the agent where `agent` is absent. */
  readonly name: string
  readonly agent?: string
  isMark(record: Json): boolean
  modelOf?(record: Json): string | null
  messages(sink: ChatSink, records: readonly Located[]): Iterable<LocatedMessage>
}

/** Makes the format of a log. The last model that a record names is the agent's. */
export const logFormat = ({ name, agent = name, isMark, modelOf = () => null, messages }: LogForm): Format => ({
  name,
  recognizes: ({ records }) => asList(records).some((record) => isMark(asRecord(record))),
  read(reading, document) {
    const list = new Located(document, '').member('records')
    const model = list.items().map(({ value }) => modelOf(asRecord(value)))
    const about = { name: agent, model: model.findLast((name) => name !== null) ?? null }
    return readLocatedChat(reading, list.path, about, name, (sink) => messages(sink, list.items()))
  },
})

/** Names calls and answers without ids by their tool and their order: the first answer of a tool answers its first open call. */
class CallIds {
  readonly #open = new Map<string, string[]>()
  /** Answered calls by tool, as an index into its calls. */
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

/** Returns a message with other members in place of some of its own; `undefined` takes a member away. */
export const withMembers = (message: Located, members: Readonly<Record<string, Tree>>): Tree => ({
  [PLACE]: message.path,
  ...Object.fromEntries(Object.keys(asRecord(message.value)).map((name) => [name, message.member(name)])),
  ...members,
})

/** Reads the messages of a list as steps, numbered from 1. */
export function readTurns(sink: ChatSink, messages: readonly Located[]): Step[] {
  readMessages(
    sink,
    '',
    messages.map((tree) => ({ tree })),
  )
  return sink.steps(() => true)
}

export const placeMessages = (messages: readonly unknown[], path: string): Located[] =>
  new Located(messages, path).items()
