import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { isAbsent, itemsIn, type Json, mayAct, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText, lastName } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { outcomeOfCode } from '../tools/outcomes.ts'
import { own } from '../tools/tool-table.ts'
import { contentOf, Located, type Tree } from '../traces/located.ts'
import { namesOf } from '../vocabulary.ts'

/** The format of Kimi Code (`wire.jsonl`, protocol 1.1 to 1.4), by observed files: a reply is written part by part. */
export const KIMI_CODE: Format = {
  name: 'kimi-code',
  recognizes: ({ records }) => asList(records).some((record) => KIMI_WORDS.has(asRecord(record)['type'])),
  read: (reading, document) => {
    const records = asList(document['records'])
    const agent = { name: 'kimi-code', model: lastName(records.map((record) => asRecord(record)['modelAlias'])) }
    return readLocatedChat(reading, '/records', agent, 'kimi-code', (sink) => new KimiLog(sink).read(records))
  },
}

/** Events that hold words of the run; other harnesses have none of them. */
const KIMI_WORDS: ReadonlySet<unknown> = wordSet(`context.append_message context.append_loop_event
  context.apply_compaction`)

/** Events about the harness's own state, or with words that stand in a message or a call, too. */
const KIMI_STATE = namesOf('kimi-code', 'left_out')
const KIMI_COPIES: ReadonlySet<unknown> = new Set(['turn.prompt', 'turn.steer', 'tools.update_store'])
/** Members of settings and approvals that hold no words of the run. */
const KIMI_MEMBERS = namesOf('kimi-code', 'left_out_members')

class KimiLog {
  readonly #sink: ChatSink
  /** The blocks of the reply that is being read, and the time of its first part. */
  #blocks: Tree[] = []
  #at: number | null = null
  #now: number | null = null
  /** Ids of calls that were not approved and have no result yet. */
  readonly #refused = new Set<unknown>()

  constructor(sink: ChatSink) {
    this.#sink = sink
  }

  *read(records: readonly unknown[]): Generator<LocatedMessage> {
    for (const [value, path] of itemsIn(records, '/records')) {
      const record = new Located(value, path)
      const { time, type } = asRecord(value)
      if (typeof time === 'number') this.#now = time
      const event = type === 'context.append_loop_event' ? record.member('event') : null
      if (event !== null && this.#isOfReply(event)) continue
      yield* this.#flush()
      this.#sink.now = this.#now
      const message = event === null ? this.#message(record, type) : this.#loopEvent(event)
      if (message !== null) yield { at: this.#now, ...message }
    }
    yield* this.#flush()
  }

  *#flush(): Generator<LocatedMessage> {
    const content = this.#blocks
    this.#blocks = []
    if (content.length > 0) yield { tree: { role: 'assistant', content }, at: this.#at }
  }

  /** Adds an event that is a piece of the model's reply; false for other events. */
  #isOfReply(event: Located): boolean {
    const { type, toolCallId } = asRecord(event.value)
    if (type !== 'content.part' && type !== 'tool.call') return false
    const part = event.member('part')
    const [text, reasoning] = [part.member('text'), part.member('think')]
    if (this.#blocks.length === 0) this.#at = this.#now
    if (type === 'tool.call') {
      this.#refused.delete(toolCallId)
      const [id, name, input] = ['toolCallId', 'name', 'args'].map((member) => event.member(member))
      this.#blocks.push({ type: 'tool_use', id, name, input })
    } else if (typeof text.value === 'string') this.#blocks.push({ type: 'text', text })
    else if (typeof reasoning.value === 'string') this.#blocks.push({ type: 'reasoning', reasoning })
    else this.#sink.reading.unreadRecord(part.path, 'type of part', asRecord(part.value)['type'], part.value)
    return true
  }

  #message(record: Located, type: unknown): LocatedMessage | null {
    if (type === 'context.append_message') return this.#appended(record.member('message'))
    if (type === 'config.update' || type === 'profile.bind')
      return this.#words('system', record, record.member('systemPrompt'))
    if (type === 'permission.record_approval_result') return this.#approval(record)
    if (type === 'context.apply_compaction') {
      this.#sink.reading.isCompacted = true
      const summary = record.member('summary')
      this.#sink.note('agent_message', summary.value, summary.path, 'compact_summary')
    } else if (type === 'turn.cancel') this.#sink.settleOpen('interrupted')
    else if (!KIMI_STATE.has(type)) this.#sink.reading.unreadRecord(record.path, 'type of event', type, record.value)
    // The user's input stands in a message again, and a list of tasks in a call; where they do not, their words are unread.
    else if (!KIMI_COPIES.has(type)) this.#sink.reading.leaveOut(record.path)
    return null
  }

  /** Reads the words of a record, and leaves the settings beside them out. */
  #words(role: 'system' | 'user', record: Located, content: Located): LocatedMessage | null {
    for (const name of Object.keys(asRecord(record.value)))
      if (KIMI_MEMBERS.has(name)) this.#sink.reading.leaveOut(record.member(name).path)
    return asText(content.value) === null ? null : { tree: { role, content } }
  }

  #approval(record: Located): LocatedMessage | null {
    const { toolCallId: id, result } = asRecord(record.value)
    if (asText(asRecord(result)['decision'])?.startsWith('approve') !== true) {
      this.#refused.add(id)
      this.#sink.settle(id, 'rejected')
    }
    this.#words('user', record.member('result'), record)
    return this.#words('user', record, record.member('result').member('feedback'))
  }

  /** Reads a message that the harness put into the context: the user's, or its own in the user's name. */
  #appended(message: Located): LocatedMessage | null {
    const { role, origin } = asRecord(message.value)
    const kind = asRecord(origin)['kind']
    const isOwn = role === 'user' && !isAbsent(kind) && kind !== 'user'
    const content = contentOf(message.member('content'))
    if (typeof role === 'string') return { tree: { role: isOwn ? 'system' : role, content }, path: message.path }
    this.#sink.reading.unreadRecord(message.path, 'role', role, message.value)
    return null
  }

  #loopEvent(event: Located): LocatedMessage | null {
    const { type } = asRecord(event.value)
    const [id, result] = [event.member('toolCallId'), event.member('result')]
    const isError = asRecord(result.value)['isError'] === true
    if (type !== 'tool.result') {
      if (type !== 'step.begin' && type !== 'step.end')
        this.#sink.reading.unreadRecord(event.path, 'type of event', type, event.value)
      return null
    }
    const pieces = ['output', 'note'].map((name) => result.member(name)).filter(({ value }) => !isAbsent(value))
    // A refused call has an error; with a result all the same, either is possible.
    const refused = isError ? 'rejected' : 'interrupted'
    const outcome = this.#refused.delete(id.value) ? refused : isError ? 'failed' : undefined
    const [only = result, ...more] = pieces
    const content = contentOf(more.length === 0 ? only : result)
    const tree = { role: 'tool', tool_call_id: id, content, is_error: isError || undefined }
    return { tree, path: event.path, outcome }
  }
}

/** The format of `droid exec --output-format stream-json`. Source: docs.factory.ai, droid exec, and observed files. */
export const DROID_STREAM: Format = {
  name: 'droid-stream',
  recognizes: ({ records }) => asList(records).map(asRecord).some(isDroidEvent),
  read: readDroidStream,
}

const isDroidEvent = ({ type, toolName, finalText }: Json): boolean =>
  (type === 'tool_call' && typeof toolName === 'string') || (type === 'completion' && typeof finalText === 'string')

function readDroidStream(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const model = records.map((record) => asName(asRecord(record)['model'])).find((name) => name !== null)
  const replies = records.map(asRecord).filter(({ type, role }) => type === 'message' && role === 'assistant')
  const said = new Set(replies.map(({ text }) => text))
  return readLocatedChat(reading, '/records', { name: 'droid', model: model ?? null }, 'droid-stream', () =>
    [...itemsIn(records, '/records')].flatMap(([value, path]): LocatedMessage[] => {
      const { type, id, timestamp, ...rest } = asRecord(value)
      const tree = own(DROID_EVENTS, type)?.(new Located(value, path), said)
      if (tree === undefined && (type !== 'system' || mayAct(value)))
        reading.unreadRecord(path, 'type of event', type, value)
      if (tree === undefined || tree === null) return []
      const at = typeof timestamp === 'number' ? timestamp : timeOf(timestamp)
      return [{ tree, path, name: asText(id), at, outcome: type === 'tool_result' ? outcomeOf(rest) : undefined }]
    }),
  )
}

/** Readers by the type of an event; null for a copy. */
const DROID_EVENTS: Readonly<Record<string, (event: Located, said: ReadonlySet<unknown>) => Tree>> = {
  message: (event) => ({ role: event.member('role'), content: event.member('text') }),
  reasoning: (event) => ({ role: 'assistant', content: null, reasoning_content: event.member('text') }),
  completion: (event, said) =>
    said.has(event.member('finalText').value) ? null : { role: 'assistant', content: event.member('finalText') },
  error: (event) => ({ role: 'system', content: event.member('message') }),
  tool_call: (event) => ({ role: 'assistant', content: null, tool_calls: [callOf(event)] }),
  tool_result: resultOf,
}

/** Names a call by `toolCallId`, or, in newer versions, by the event's `id`, which its result repeats. */
const idOf = (event: Located): Located => event.member('toolCallId' in asRecord(event.value) ? 'toolCallId' : 'id')

const callOf = (event: Located): Tree => ({
  id: idOf(event),
  function: { name: event.member('toolName'), arguments: event.member('parameters') },
})

function resultOf(event: Located): Tree {
  const [value, error] = [event.member('value'), event.member('error')]
  const content = contentOf(isAbsent(value.value) ? error : value)
  const flag = event.record['isError'] === true ? true : undefined
  return { role: 'tool', tool_call_id: idOf(event), content, is_error: flag }
}

function outcomeOf({ value, isError }: Json): ActOutcome | undefined {
  const { exitCode } = asRecord(value)
  if (typeof exitCode === 'number') return outcomeOfCode(exitCode)
  return isError === true ? 'failed' : undefined
}
