import { type Leaf, leavesOf, memberName } from '../common/json-tree.ts'
import type { Json } from '../common/reading.ts'
import { isEmpty } from '../common/session.ts'
import type { Slice } from '../openai-chat/openai-chat-sink.ts'
import { type Meaning, meaningOf, meaningOfName, type OpenCall, openCall, type ToolSpec } from '../tools/tool-table.ts'

/** Collects the slices of one text, in order: text outside of acts is speech. */
export class Slices {
  readonly list: Slice[] = []
  /** The position up to which the text is sliced, in UTF-16 units. */
  at = 0
  readonly #text: string
  #acted = false

  constructor(text: string) {
    this.#text = text
  }

  /** True at more slices than any real reply has: the rest becomes one slice without a further search. */
  get isFull(): boolean {
    return this.list.length >= MAX_PIECES
  }

  /** Adds the text up to `end` as speech of the agent. */
  say(end: number): void {
    this.#reach(end, { actor: 'agent_message', act: null, name: 'message' })
  }

  /** Adds the text up to `end` inside of a call that is no known argument, so that no text of a call is lost. */
  stray(end: number, call: OpenCall): void {
    this.#reach(end, { name: call.tool, ...meaningOf(undefined, '', call, null) })
  }

  #reach(end: number, meaning: NamedMeaning): void {
    if (this.#text.slice(this.at, end).trim() !== '') this.list.push({ start: this.at, end, ...meaning })
    this.at = Math.max(this.at, end)
  }

  /** Skips markup up to `end`, which is nobody's text. */
  skip(end: number): void {
    this.#acted = true
    this.at = Math.max(this.at, end)
  }

  /** Adds one argument of a call, or a text that is the whole call. */
  argument(start: number, end: number, { call, spec, args = null }: MadeCall, argument = ''): void {
    this.piece(start, end, { name: memberName(call.tool, argument), ...meaningOf(spec, argument, call, args) })
  }

  /** Adds a slice whose meaning the protocol defines. */
  piece(start: number, end: number, meaning: NamedMeaning): void {
    this.skip(end)
    if (end > start) this.list.push({ start, end, ...meaning })
  }

  /** Adds a call in markup from `start` to `end`, whose text stands from `from` to `to`; the text before it is speech. */
  marked({ start, from, to, end }: Marked, meaning: NamedMeaning): void {
    this.say(start)
    this.skip(from)
    this.piece(from, to, meaning)
    this.skip(end)
  }

  /** Adds the members of a JSON object between two positions as speech. */
  speech(start: number, end: number, said: Json): void {
    for (const { pointer, name, text } of isEmpty(said) ? [] : leavesOf(said))
      this.list.push({ start, end, actor: 'agent_message', name, inner: { pointer, text } })
  }

  /** Adds the arguments of a call from the leaves of JSON between two positions. */
  json(start: number, end: number, leaves: readonly Leaf[], { call, spec, args }: MadeCall): void {
    this.skip(end)
    for (const { pointer, name: leaf, text } of leaves) {
      const name = memberName(call.tool, leaf)
      this.list.push({ start, end, inner: { pointer, text }, name, ...meaningOf(spec, leaf, call, args) })
    }
  }

  /** Adds a call without arguments: its own text is the act. */
  bare(start: number, end: number, { call, spec }: MadeCall, within: Pick<Slice, 'inner'> = {}): void {
    this.piece(start, end, { name: call.tool, ...within, ...meaningOfName(spec, call) })
  }

  /** Returns the slices, with the rest as speech; null without a call among them. */
  finish(): readonly Slice[] | null {
    if (!this.#acted) return null
    if (this.isFull) this.stray(this.#text.length, openCall('tool_call'))
    this.say(this.#text.length)
    return this.list
  }
}

const MAX_PIECES = 5000

export type Marked = Readonly<Record<'start' | 'from' | 'to' | 'end', number>>
type NamedMeaning = Meaning & Pick<Slice, 'name' | 'inner'>

export interface MadeCall {
  readonly call: OpenCall
  readonly spec: ToolSpec | undefined
  readonly args?: unknown
}

/** A text protocol: one way in which an agent without tool calls writes its acts into its messages. */
export interface TextActs {
  readonly name: string
  /** The harness that answers, by its name in the outcome tables; null where several harnesses share the form. */
  readonly harness: string | null
  /** Marks in the agent's prompt. */
  readonly announced: readonly string[]
  /** True when only an answered message is an act, because people write this form as well. */
  readonly needsAnswer: boolean
  /** True when the protocol applies only where the prompt announces it. */
  readonly needsPrompt?: true
  /** Splits a message with an act into slices; null for a message without an act. */
  split(text: string, agent: string | null): readonly Slice[] | null
}

/** Makes a protocol from a function that adds the slices of a message. */
export const protocolOf = (
  about: Omit<TextActs, 'split'>,
  addTo: (slices: Slices, text: string, agent: string | null) => void,
): TextActs => ({
  ...about,
  split(text, agent) {
    const slices = new Slices(text)
    addTo(slices, text, agent)
    return slices.finish()
  },
})

/** Adds a call at its start; `from`: the end of its opening tag. Returns the end of the call; null at a place that only holds the tag. */
type AddCall = (start: number, from: number, match: readonly string[]) => number | null

/** Adds the calls of a text: `opens`, a sticky pattern, matches their opening tag at a mark. */
export function scan(slices: Slices, text: string, mark: string, opens: RegExp, add: AddCall): void {
  for (let start = text.indexOf(mark); start !== -1 && !slices.isFull; ) {
    opens.lastIndex = start
    const match = opens.exec(text)
    const end = match === null ? null : add(start, opens.lastIndex, match)
    start = text.indexOf(mark, end ?? start + mark.length)
  }
}

/** Finds the end of the text before a closing tag, and the end of the tag. A call that is cut off reaches to the end of the text. */
export function closedBy(text: string, close: string, from: number): readonly [inner: number, end: number] {
  const stop = text.indexOf(close, from)
  return stop === -1 ? [text.length, text.length] : [stop, stop + close.length]
}
