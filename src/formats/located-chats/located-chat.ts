import { pushTo } from '../../domain/push-to.ts'
import type { ActOutcome } from '../../domain/trajectory/act.ts'
import { isAbsent, isRecord, type Json, type Reading } from '../common/reading.ts'
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
  /** The outcome that the record tells of the calls which the message answers. */
  readonly outcome?: ActOutcome | undefined
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
  for (const { tree, path, name, at, role, outcome } of messages(sink)) {
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
    sink.take({ ...placed, message: named }, name)
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
