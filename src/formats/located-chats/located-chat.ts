import type { ActOutcome } from '../../domain/trajectory/act.ts'
import { isRecord, type Json, type Reading } from '../common/reading.ts'
import { asList } from '../common/session.ts'
import type { ReadDocument } from '../format.ts'
import { placeMessage, type Tree } from '../traces/located.ts'
import { TraceSink } from '../traces/trace-span.ts'

/** A message of a chat, with its place and the facts beside it. */
export interface LocatedMessage {
  readonly tree: Tree
  /** The place of pieces without a place of their own. */
  readonly path: string
  readonly name: string | null
  /** Milliseconds since 1970. */
  readonly at: number | null
  /** The speaker in place of the user. */
  readonly role?: 'system'
  /** The outcomes that the record tells, by the id of the call. */
  readonly outcomes?: Readonly<Record<string, ActOutcome>>
}

/** Reads located messages into the steps of one agent. `list`: the pointer of the list that holds them. */
export function readLocatedChat(
  reading: Reading,
  list: string,
  agent: { readonly name: string; readonly model: string | null },
  format: string,
  messages: (sink: TraceSink) => Iterable<LocatedMessage>,
): ReadDocument {
  const sink = new TraceSink(reading, agent.name)
  const ids = new CallIds()
  for (const { tree, path, name, at, role, outcomes = {} } of messages(sink)) {
    sink.session.now = at
    for (const [id, outcome] of Object.entries(outcomes)) sink.failed.set(id, outcome)
    const placed = placeMessage(tree, path)
    if (placed === null) continue
    const isTurned = role !== undefined && placed.message['role'] === 'user'
    sink.take({ ...placed, message: ids.complete({ ...placed.message, ...(isTurned && { role }) }) }, name)
  }
  return { format, agent, steps: sink.session.finish(list) }
}

/** Names calls and answers without ids by their tool and their order: the first answer of a tool answers its first open call. */
class CallIds {
  readonly #open = new Map<string, string[]>()
  #count = 0

  complete(message: Json): Json {
    const { role, name, tool_call_id: id, content } = message
    if (role === 'function' && typeof name === 'string' && typeof id !== 'string')
      return { ...message, tool_call_id: this.#open.get(name)?.shift() }
    if (role !== 'assistant' || !Array.isArray(content)) return message
    return { ...message, content: asList(content).map((block) => this.#named(block)) }
  }

  #named(block: unknown): unknown {
    if (!isRecord(block) || block['type'] !== 'tool_use' || typeof block['id'] === 'string') return block
    const { name } = block
    if (typeof name !== 'string') return block
    const id = `${name}/${++this.#count}`
    this.#open.set(name, [...(this.#open.get(name) ?? []), id])
    return { ...block, id }
  }
}
