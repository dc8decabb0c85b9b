import type { ActOutcome } from '../../domain/acts/act.ts'
import type { Reading } from '../common/reading.ts'
import { type OpenStep, Session } from '../common/session.ts'
import { readMessage } from '../openai-chat/openai-chat-message.ts'
import { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import type { OpenCall } from '../tools/tool-table.ts'
import type { PlacedMessage } from './located.ts'
import { answeredIdsOf } from './message-key.ts'

/** The steps of a trace: its messages are read as those of a chat, and stand at their time as the records of a session do. */
export class TraceSink extends ChatSink {
  readonly session: Session
  /** What became of calls whose own spans say that they failed, by id. */
  readonly failed = new Map<string, ActOutcome>()
  #step: OpenStep | null = null
  #calls: OpenCall[] = []

  constructor(reading: Reading, agent: string | null) {
    super(reading, undefined, agent)
    this.session = new Session(reading, {})
  }

  override opened(id: unknown, tool: string): OpenCall {
    const call = super.opened(id, tool)
    if (this.#step !== null) this.session.remember(this.#step, id, call)
    this.#calls.push(call)
    return call
  }

  override answered(id: string | null, outcomeOf: (tool: string) => ActOutcome): void {
    super.answered(id, (tool) => {
      const told = outcomeOf(tool)
      return told === 'ran' && id !== null ? (this.failed.get(id) ?? told) : told
    })
  }

  /** Lets a call without an id be answered under one. */
  rename(id: string, call: OpenCall): void {
    const { last } = this.session
    if (last !== undefined) this.session.remember(last, id, call)
    this.keep(id, call)
  }

  /** Reads one message into the step where it belongs; answers its calls, in their order. */
  take({ message, place }: PlacedMessage, name: string | null): readonly OpenCall[] {
    this.#calls = []
    const ids = answeredIdsOf(message)
    const isAgent =
      message['role'] === 'assistant' || message['type'] === 'function_call' || message['type'] === 'reasoning'
    this.reading.within(place, () => {
      // Steps without parts are left out in the end.
      this.#step = isAgent ? this.session.open('agent', name) : null
      const read = readMessage(this, message, '', null, 'other')
      const step = this.#step
      if (step !== null) {
        for (const part of read.parts) step.parts.push(part)
        for (const part of read.outputs) step.outputs.push(part)
        return
      }
      if (read.outputs.length > 0) for (const part of read.outputs) this.#outputs(ids).push(part)
      if (read.parts.length > 0) {
        const { parts } = this.session.open('other', null)
        for (const part of read.parts) parts.push(part)
      }
    })
    return this.#calls
  }

  /** Where an answer goes: to its call while nothing else has happened since, else to a step of its own at its time. */
  #outputs(ids: readonly string[]): OpenStep['outputs'] {
    const known = ids.find((id) => this.session.hasCall(id))
    if (known !== undefined) return this.session.output(known, '', null).parts
    const { last } = this.session
    if (ids.length === 0 && last?.kind === 'agent') return last.outputs
    return (last?.kind === 'output' ? last : this.session.open('output', null)).outputs
  }
}
