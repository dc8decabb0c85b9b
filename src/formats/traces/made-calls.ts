import { decodeObject } from '../common/json-tree.ts'
import { isRecord, type Json } from '../common/reading.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import { argsKey, callKeysOf } from './message-key.ts'
import type { TracedTool } from './trace-span.ts'

/** A call that a model made, and whether a span of a tool was joined to it. */
interface MadeCall {
  readonly id: string | null
  readonly args: string
  readonly given: unknown
  readonly call: OpenCall
  joined: boolean
}

/** The calls of a trace that were shown: what repeats them, and which of them a tool's span is of. */
export class MadeCalls {
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
