import type { Slice } from '../openai-chat/openai-chat-sink.ts'

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
