import { type Leaf, memberName } from '../common/json-tree.ts'
import type { Slice } from '../openai-chat/openai-chat-sink.ts'
import { type Meaning, meaningOf, meaningOfName, type OpenCall, openCall, type ToolSpec } from '../tools/tool-table.ts'

/** Collects the pieces of one text, in order: what is not said to be an act is speech. */
export class Slices {
  readonly list: Slice[] = []
  readonly #text: string
  #at = 0
  #acted = false

  constructor(text: string) {
    this.#text = text
  }

  /** How far the text is told. */
  get at(): number {
    return this.#at
  }

  /** More pieces than any answer has: the rest is one piece that is not looked into. */
  get isFull(): boolean {
    return this.list.length >= MAX_PIECES
  }

  /** Up to `end` the agent speaks. */
  say(end: number): void {
    if (this.#text.slice(this.#at, end).trim() !== '')
      this.list.push({ start: this.#at, end, actor: 'agent_message', name: 'message' })
    this.#at = Math.max(this.#at, end)
  }

  /** From here on the text is markup up to `end`: no one's words. */
  skip(end: number): void {
    this.#acted = true
    this.#at = Math.max(this.#at, end)
  }

  /** What stands in a call up to `end` and is no argument that the protocol knows: nothing of a call is lost. */
  stray(end: number, call: OpenCall): void {
    if (this.#text.slice(this.#at, end).trim() !== '')
      this.list.push({ start: this.#at, end, name: call.tool, ...meaningOf(undefined, '', call, null) })
    this.#at = Math.max(this.#at, end)
  }

  /** One argument of a call; `argument` is empty where the piece is all that the call says. */
  argument(start: number, end: number, { call, spec, argument, args }: ArgumentPiece): void {
    this.#acted = true
    this.#at = Math.max(this.#at, end)
    if (this.#text.slice(start, end) === '') return
    this.list.push({ start, end, name: memberName(call.tool, argument), ...meaningOf(spec, argument, call, args) })
  }

  /** A piece whose meaning the protocol itself knows. */
  piece(start: number, end: number, meaning: Meaning & { readonly name: string }): void {
    this.skip(end)
    if (end > start) this.list.push({ start, end, ...meaning })
  }

  /** Speech that is JSON in the text between two places. */
  speech(start: number, end: number, leaves: readonly Leaf[]): void {
    for (const { pointer, name, text } of leaves)
      this.list.push({ start, end, actor: 'agent_message', name, inner: { pointer, text } })
  }

  /** The arguments of a call that are JSON in the text between two places. */
  json(
    start: number,
    end: number,
    leaves: readonly Leaf[],
    { call, spec, args }: Omit<ArgumentPiece, 'argument'>,
  ): void {
    this.skip(end)
    for (const { pointer, name, text } of leaves)
      this.list.push({
        ...{ start, end, inner: { pointer, text } },
        name: memberName(call.tool, name),
        ...meaningOf(spec, name, call, args),
      })
  }

  /** A call that has no arguments: its own words are the act. */
  bare(start: number, end: number, call: OpenCall, spec: ToolSpec | undefined): void {
    this.skip(end)
    this.list.push({ start, end, name: call.tool, ...meaningOfName(spec, call) })
  }

  /** The pieces, with the rest as speech; null where no call was among them. */
  finish(): readonly Slice[] | null {
    if (!this.#acted) return null
    if (this.isFull) this.stray(this.#text.length, openCall('tool_call'))
    this.say(this.#text.length)
    return this.list
  }
}

const MAX_PIECES = 5000

interface ArgumentPiece {
  readonly call: OpenCall
  readonly spec: ToolSpec | undefined
  readonly argument: string
  readonly args: unknown
}

/** One way in which an agent without tool calls puts its acts into what it says. */
export interface TextActs {
  readonly name: string
  /** The harness that answers, in the names of the tables of outcomes; null where many share the form. */
  readonly harness: string | null
  /** What the prompt of such an agent holds. */
  readonly announced: readonly string[]
  /** Whether a message is an act only where it was answered: its form is what people write as well. */
  readonly needsAnswer: boolean
  /** Whether it is told surely only where the prompt announces it. */
  readonly needsPrompt?: true
  /** The pieces of a message that holds an act; null where it holds none. */
  split(text: string, agent: string | null): readonly Slice[] | null
}

/** Where each line of a text begins. */
export function* linesOf(text: string): Generator<number> {
  for (let start = 0; start !== -1 && start <= text.length; ) {
    yield start
    const end = text.indexOf('\n', start)
    start = end === -1 ? -1 : end + 1
  }
}
