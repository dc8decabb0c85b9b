import { pushTo } from '../../domain/result.ts'
import { type ActOutcome, NOT_RUN, type Step } from '../../domain/trajectory/trajectory.ts'
import { isAbsent, isRecord, type Json, pointer, type Reading, typeName } from '../common/reading.ts'
import { asList, asName, asText, type OpenStep, Session } from '../common/session.ts'
import { addNamedCall, type NamedCall } from '../common/session-calls.ts'
import type { ReadDocument } from '../format.ts'
import { specOf } from '../tools/lookup.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { type PlacedMessage, placeMessage, type Tree } from '../traces/located.ts'
import { answeredIdsOf } from '../traces/message-key.ts'
import {
  agentNamedBy,
  type Before,
  callIdOf,
  isResponse,
  readMessage,
  speaksAsAgent,
  type TextProtocol,
} from './openai-chat-message.ts'
import { ChatSink, type Resolve } from './openai-chat-sink.ts'

/**
 * The one way from messages to steps. A format is a function from its document to located messages: a chat's message as a `Tree`, each piece
 * with its JSON pointer, and the facts beside it (`LocatedMessage`). `StepSink` reads each message by `readMessage` and places its parts:
 * - in a record of a session or a trace (`take` with a placed message), a result stands in the step of its call while nothing else has
 *   happened since, else in a step of its own at its time; steps without parts are left out;
 * - in a list of messages (`isList`; `readTurns`), each message is a step, and a result belongs to the agent's step before it.
 * Calls, answers, outcomes and unread acts are the same for both.
 */
export class StepSink extends ChatSink {
  readonly session: Session
  /** Outcomes that the record tells beside an answer, by the id of the call. */
  readonly reported = new Map<string, ActOutcome>()
  readonly #isList: boolean
  #step: OpenStep | null = null
  #calls: OpenCall[] = []

  constructor(reading: Reading, agent: string | null, { resolve, isList = false }: SinkOptions = {}) {
    super(reading, resolve, agent)
    this.session = new Session(reading, {})
    this.#isList = isList
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

  /** Adds a call of a library to a step; any table that knows the tool's name gives the meaning of its arguments. */
  call(step: OpenStep, words: NamedCall): OpenCall {
    const spec = specOf(null, asText(words.name) ?? '')
    return addNamedCall(this.session, step, { ...words, ...(spec !== undefined && { spec }) })
  }

  /** Registers a further id for a call without an id. */
  rename(id: string, call: OpenCall): void {
    const { last } = this.session
    if (last !== undefined) this.session.remember(last, id, call)
    this.keep(id, call)
  }

  /** Reads one placed message; returns its calls in order. `name`: of an agent's step; `other`: of another speaker's. */
  take({ message, place }: PlacedMessage, name: string | null, other: string | null = null): readonly OpenCall[] {
    this.reading.within(place, () => this.read(message, '', { name, other }))
    return this.#calls
  }

  /** Reads one message into its step; returns how the message counts for the next one. */
  read(message: Json, path: string, { name, other = name, protocol = null, before = 'other' }: MessageFacts): Before {
    this.#calls = []
    const agent = agentNamedBy(message) ?? this.session.agent
    const own = speaksAsAgent(message) ? this.session.open('agent', name, agent) : null
    this.#step = own
    const { speaker, parts, outputs, acted } = readMessage(this, message, path, protocol, before)
    // Not spread into push: a message may hold more parts than a call can have arguments.
    if (outputs.length > 0 || (this.#isList && speaker === 'tool')) {
      const list = own?.outputs ?? this.#outputs(message, name)
      for (const part of outputs) list.push(part)
    }
    const isStep = parts.length > 0 || (this.#isList && speaker !== 'tool' && outputs.length === 0)
    const step = own ?? (isStep ? this.session.open('other', other) : null)
    for (const part of parts) step?.parts.push(part)
    return acted ? 'act' : speaker === 'agent' ? 'answer' : 'other'
  }

  #outputs(message: Json, name: string | null): OpenStep['outputs'] {
    const { last } = this.session
    if (this.#isList)
      return (last === undefined || last.kind === 'other' ? this.session.open('output', name) : last).outputs
    const ids = answeredIdsOf(message)
    const answered = ids.find((id) => this.session.hasCall(id))
    if (answered !== undefined) return this.session.output(answered, '', null).parts
    if (ids.length === 0 && last?.kind === 'agent') return last.outputs
    return (last?.kind === 'output' ? last : this.session.open('output', null)).outputs
  }
}

interface SinkOptions {
  readonly resolve?: Resolve
  /** True for a list of messages, each of which is a step. */
  readonly isList?: boolean
}

interface MessageFacts {
  readonly name: string | null
  readonly other?: string | null
  readonly protocol?: TextProtocol | null
  readonly before?: Before
}

/** A message of a record, with its place and the facts beside it. */
export interface LocatedMessage {
  readonly tree: Tree
  /** The place of pieces without a place of their own. */
  readonly path: string
  readonly name: string | null
  /** The name of another speaker's step. */
  readonly other?: string | null
  /** Milliseconds since 1970. */
  readonly at: number | null
  /** The speaker in place of the user. */
  readonly role?: 'system'
  /** The outcome that the record tells of the calls which the message answers. */
  readonly outcome?: ActOutcome | undefined
}

/** Reads located messages into the steps of one agent. `list`: the pointer of the list that holds them. */
export function readLocatedChat(
  reading: Reading,
  list: string,
  agent: ReadDocument['agent'],
  format: string,
  messages: (sink: StepSink) => Iterable<LocatedMessage>,
): ReadDocument {
  const sink = new StepSink(reading, agent.name)
  const ids = new CallIds()
  for (const { tree, path, name, other = null, at, role, outcome } of messages(sink)) {
    const placed = placeMessage(tree, path)
    if (placed === null) continue
    sink.session.now = at
    const isTurned = role !== undefined && placed.message['role'] === 'user'
    const named = ids.complete({ ...placed.message, ...(isTurned && { role }) })
    const { tool_call_id: id } = named
    if (typeof id === 'string') {
      if (outcome === undefined) sink.reported.delete(id)
      else sink.reported.set(id, outcome)
    }
    sink.take({ ...placed, message: named }, name, other)
  }
  return { format, agent, steps: sink.session.finish(list) }
}

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

export interface ListedMessage {
  readonly message: unknown
  readonly path: string
}

export const placeMessages = (messages: readonly unknown[], path: string): ListedMessage[] =>
  messages.map((message, index) => ({ message, path: pointer(path, index) }))

/** Reads the messages of a list as steps, numbered from 1; a result that the file places before its call is moved behind it. */
export function readTurns(
  sink: StepSink,
  placed: readonly ListedMessage[],
  protocol: TextProtocol | null = null,
): Step[] {
  let before: Before = 'other'
  const read = (message: Json, path: string): void => {
    const name = asName(message['id'])
    // Several messages with one id may be one reply, written call by call.
    sink.reading.reply = name === null ? null : { id: name, isNamed: false }
    before = sink.read(message, path, { name, protocol, before })
  }
  const late = lateResults(placed)
  const waiting = new Map<string, ListedMessage[]>()
  for (const item of placed) {
    const { message, path } = item
    if (!isRecord(message)) {
      sink.reading.error(path, `a message must be an object, not ${typeName(message)}`)
      continue
    }
    const id = late.has(item) ? callIdOf(message) : null
    if (id !== null) {
      sink.reading.warn(path, 'a tool result that stands before its call; shown behind it')
      pushTo(waiting, id, item)
      continue
    }
    read(message, path)
    for (const called of waiting.size === 0 ? [] : callIdsOf(message)) {
      for (const result of waiting.get(called) ?? []) if (isRecord(result.message)) read(result.message, result.path)
      waiting.delete(called)
    }
  }
  return sink.session.steps(() => true)
}

export function readList(
  reading: Reading,
  { format, agent }: Omit<ReadDocument, 'steps'>,
  path: string,
  placed: readonly ListedMessage[],
  protocol: TextProtocol | null = null,
): ReadDocument {
  const steps = readTurns(new StepSink(reading, agent.name, { isList: true }), placed, protocol)
  return { format, agent, steps: reading.takeSteps(steps.length, path) ? steps : [] }
}

const isResult = ({ role, type }: Json): boolean => role === 'tool' || type === 'function_call_output'

/** Returns the results whose call comes later and never before. */
function lateResults(placed: readonly ListedMessage[]): ReadonlySet<ListedMessage> {
  const open = new Map<string, ListedMessage[]>()
  const called = new Set<string>()
  const late = new Set<ListedMessage>()
  for (const item of placed) {
    if (!isRecord(item.message)) continue
    const id = isResult(item.message) ? callIdOf(item.message) : null
    if (id !== null && !called.has(id)) pushTo(open, id, item)
    for (const own of callIdsOf(item.message)) {
      for (const result of open.get(own) ?? []) late.add(result)
      open.delete(own)
      called.add(own)
    }
  }
  return late
}

function callIdsOf(message: Json): string[] {
  if (message['type'] === 'function_call') return typeof message['call_id'] === 'string' ? [message['call_id']] : []
  if (isResponse(message)) return message.output.flatMap((item) => (isRecord(item) ? callIdsOf(item) : []))
  if (message['role'] !== 'assistant') return []
  return [...asList(message['tool_calls']), ...asList(message['content'])].flatMap((call) =>
    isRecord(call) && typeof call['id'] === 'string' ? [call['id']] : [],
  )
}
