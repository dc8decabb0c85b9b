import type { Part } from '../../domain/trajectory/trajectory.ts'
import type { PlacedText } from '../common/session.ts'
import { readBlocks } from '../openai-chat/openai-chat-blocks.ts'
import { CALL_WORDS, type ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { Located, placeMessage, type Tree } from '../traces/located.ts'

/** Bounds the blocks of a text, above those of any real reply: the rest becomes one block without a further search. */
const MAX_BLOCKS = 5000

/** Collects the blocks of one text of the agent, in order: calls, and the text outside of calls as speech. */
export class TextBlocks {
  readonly list: Tree[] = []
  readonly #placed: PlacedText
  #at = 0
  #acted = false

  constructor(placed: PlacedText) {
    this.#placed = placed
  }

  /** The position up to which the text is taken apart, in UTF-16 units. */
  get at(): number {
    return this.#at
  }

  get isFull(): boolean {
    return this.list.length >= MAX_BLOCKS
  }

  /** Returns a range of the text under `#char=start,end`, RFC 5147's fragment, which cannot be confused with a JSON pointer. */
  range(start: number, end: number): Located {
    const { text, path } = this.#placed
    const isWhole = start === 0 && end === text.length
    return new Located(text.slice(start, end), isWhole ? path : `${path}#char=${start},${end}`)
  }

  /** Returns the value of JSON that a range of the text holds; a pointer into the JSON follows behind `#`. */
  json(start: number, end: number, value: unknown): Located {
    return new Located(value, `${this.range(start, end).path}#`)
  }

  /** Adds the text up to `end` as speech of the agent. */
  say(end: number): void {
    if (this.#isSaid(end)) this.list.push({ type: 'text', text: this.range(this.#at, end) })
    this.#at = Math.max(this.#at, end)
  }

  #isSaid = (end: number): boolean => this.#placed.text.slice(this.#at, end).trim() !== ''

  /** Skips markup up to `end`, which is nobody's text. */
  skip(end: number): void {
    this.#acted = true
    this.#at = Math.max(this.#at, end)
  }

  /** Adds a call that ends at `end`. `words`: the text that shows a call without arguments. */
  call(name: Tree, input: Tree, end: number, words: Located, index = this.list.length): void {
    this.list.splice(index, 0, { type: 'tool_use', name, input, [CALL_WORDS]: words })
    this.skip(end)
  }

  /** Adds the text up to `end` inside of a call that is no known argument, so that no text of a call is lost. */
  stray(end: number): void {
    const words = this.range(this.#at, Math.max(this.#at, end))
    if (this.#isSaid(end)) this.call('tool_call', words, end, words)
    this.#at = Math.max(this.#at, end)
  }

  /** Returns the blocks, with the rest as speech; null without a call among them. */
  finish(): readonly Tree[] | null {
    if (!this.#acted) return null
    const { length } = this.#placed.text
    if (this.isFull) this.stray(length)
    this.say(length)
    return this.list
  }
}

/** Reads the blocks of a text of the agent into parts. */
export function readTextBlocks(sink: ChatSink, parts: Part[], content: readonly Tree[], path: string): void {
  const placed = placeMessage({ content }, path)
  const speaker = { actor: 'agent_message', name: 'message', parts, outputs: parts } as const
  if (placed !== null)
    sink.reading.within(placed.place, () => readBlocks(sink, placed.message['content'], '/content', speaker))
}

/** A text protocol: one way in which an agent without tool calls writes its acts into its messages. */
export interface TextActs {
  readonly name: string
  /** The harness that answers, by its name in the outcome tables; null where several harnesses share the form. */
  readonly harness: string | null
  /** Marks in the prompt of an agent with this protocol. */
  readonly announced: readonly string[]
  /** True when only an answered message is an act, because people write this form as well. */
  readonly needsAnswer: boolean
  /** True when the protocol applies only where the prompt announces it. */
  readonly needsPrompt?: true
  /** Splits a message with an act into blocks; null for a message without an act. */
  split(message: PlacedText): readonly Tree[] | null
}

/** Makes a protocol from a function that adds the blocks of a message. */
export const protocolOf = (
  about: Omit<TextActs, 'split'>,
  addTo: (blocks: TextBlocks, text: string) => void,
): TextActs => ({
  ...about,
  split(message) {
    const blocks = new TextBlocks(message)
    addTo(blocks, message.text)
    return blocks.finish()
  },
})

/** Adds a call at its start; `from`: the end of its opening tag. Returns the end of the call; null at a place that only holds the tag. */
type AddCall = (start: number, from: number, match: readonly string[]) => number | null

/** Adds the calls of a text: `opens`, a sticky pattern, matches their opening tag at a mark. */
export function scan(blocks: TextBlocks, text: string, mark: string, opens: RegExp, add: AddCall): void {
  for (let start = text.indexOf(mark); start !== -1 && !blocks.isFull; ) {
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
