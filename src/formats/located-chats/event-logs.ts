import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isAbsent, isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText, lastName } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'
import { contentOf, Located, type Tree } from '../traces/located.ts'
import { differs } from '../traces/message-key.ts'
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
const KIMI_MEMBERS = namesOf('kimi-code', 'left_out_members')

class KimiLog {
  readonly #sink: ChatSink
  /** The blocks of the reply that is being read, and the time of its first part. */
  #blocks: Tree[] = []
  #at: number | null = null
  #now: number | null = null
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

/** The format of GitHub Copilot CLI, and of Copilot in VS Code: events with `data` (github/copilot-sdk, session_events). */
export const COPILOT_CLI: Format = {
  name: 'copilot-cli',
  recognizes: ({ records }) =>
    asList(records).some((record) => MESSAGES.has(asRecord(record)['type']) && isRecord(asRecord(record)['data'])),
  read: readCopilotCli,
}

const MESSAGES: ReadonlySet<unknown> = new Set(['user.message', 'assistant.message'])

/** Events whose text the harness wrote for the model, with the member that holds the text. */
const NOTES: Readonly<Record<string, string>> = {
  ...{ 'system.message': 'content', 'system.notification': 'content', 'skill.invoked': 'content' },
  ...{ 'session.error': 'message', 'session.handoff': 'summary' },
}

/** Events about the harness's own state, and pieces of messages that come whole. */
const LEFT_OUT = namesOf('copilot-cli', 'left_out')

const REFUSALS: ReadonlySet<unknown> = new Set(['denied', 'rejected'])
/** `<exited with exit code 1>`, `<shellId: 0 completed with exit code 1>` */
const EXITED = /\bexit code (\d{1,10})>\s*$/u

function readCopilotCli(reading: Reading, document: Json): ReadDocument {
  const events = new Located(document['records'], '/records').items()
  const model = lastName(
    events.map((event) => {
      const { newModel, selectedModel, model } = event.member('data').record
      return asText(newModel) ?? asText(selectedModel) ?? model
    }),
  )
  return readLocatedChat(reading, '/records', { name: 'copilot-cli', model }, 'copilot-cli', (sink) =>
    messagesIn(sink, events),
  )
}

function* messagesIn(sink: ChatSink, events: readonly Located[]): Generator<LocatedMessage> {
  const requests = new Requests(events)
  const thoughts = new Set(events.map((event) => event.member('data').record['reasoningText']))
  for (const event of events) {
    const { type: kind, id, timestamp } = event.record
    const [type, data] = [asText(kind) ?? '', event.member('data')]
    const about = { path: data.path, name: asText(id), at: timeOf(timestamp) }
    const parent = asText(data.record['parentToolCallId'])
    sink.now = about.at
    sink.subagent = parent === null ? null : `subagent of ${parent}`
    const trees = messagesOf(type, data, requests)
    for (const tree of trees) yield { ...about, tree, outcome: outcomeOf(type, data) }
    if (trees.length === 0) noteEvent(sink, event, type, thoughts)
  }
}

class Requests {
  readonly #open = new Map<unknown, Json>()
  readonly #byUser: ReadonlySet<unknown>

  constructor(events: readonly Located[]) {
    const ofUser = events.filter(({ record }) => record['type'] === 'tool.user_requested')
    this.#byUser = new Set(ofUser.map((event) => event.member('data').record['toolCallId']))
  }

  isByUser({ record }: Located): boolean {
    const { toolCallId: id, isUserRequested } = record
    return isUserRequested === true || (asText(id) !== null && this.#byUser.has(id))
  }

  add({ record }: Located): void {
    if (asText(record['toolCallId']) !== null) this.#open.set(record['toolCallId'], record)
  }

  /** Tells whether an event starts a call that a message has requested, perhaps with further arguments; each request is started once. */
  start({ record }: Located): boolean {
    const { toolCallId: id, toolName, arguments: args } = record
    const asked = this.#open.get(id)
    if (asked === undefined || asked['name'] !== toolName || differs(args, asked['arguments'])) return false
    return isAbsent(args) === isAbsent(asked['arguments']) && this.#open.delete(id)
  }
}

const callOf = (request: Located, name: string): Tree => ({
  id: request.member('toolCallId'),
  function: { name: request.member(name), arguments: request.member('arguments') },
})

function messagesOf(type: string, data: Located, requests: Requests): readonly Tree[] {
  if (type === 'user.message') {
    const [content, sent] = [data.member('content'), data.member('transformedContent')]
    const said = { role: 'user', content }
    // The harness sends the user's words with its own around them.
    const isChanged = typeof sent.value === 'string' && sent.value !== content.value
    return isChanged ? [said, { role: 'system', content: sent }] : [said]
  }
  if (type === 'assistant.message') {
    const asked = data.member('toolRequests').items()
    for (const request of asked) requests.add(request)
    const calls = asked.map((request) => callOf(request, 'name'))
    const [content, reasoning_content] = [data.member('content'), data.member('reasoningText')]
    return [{ role: 'assistant', content, reasoning_content, ...(calls.length > 0 && { tool_calls: calls }) }]
  }
  if (type === 'tool.execution_start')
    return requests.isByUser(data) || requests.start(data)
      ? []
      : [{ role: 'assistant', content: null, tool_calls: [callOf(data, 'toolName')] }]
  // A command that the user ran, and its result, are the user's.
  if (type === 'tool.user_requested') return [{ role: 'user', content: contentOf(data.member('arguments')) }]
  if (type !== 'tool.execution_complete') return []
  const [result, error] = [data.member('result'), data.member('error')]
  const texts = [
    isRecord(error.value) ? error.member('message') : error,
    isRecord(result.value) ? result.member('content') : result,
  ].filter(({ value }) => typeof value === 'string')
  const content = texts.length > 1 ? texts.map((text) => ({ type: 'text', text })) : (texts[0] ?? '')
  if (requests.isByUser(data)) return [{ role: 'user', content }]
  return [{ role: 'tool', tool_call_id: data.member('toolCallId'), content }]
}

function outcomeOf(type: string, data: Located): ActOutcome | undefined {
  const { success, error, result } = data.record
  if (type !== 'tool.execution_complete') return undefined
  if (REFUSALS.has(asRecord(error)['code'])) return 'rejected'
  const output = asRecord(result)['content'] ?? result
  const code = typeof output === 'string' ? EXITED.exec(output.slice(-100))?.[1] : undefined
  return success === false || Number(code ?? 0) !== 0 ? 'failed' : undefined
}

function noteEvent(sink: ChatSink, event: Located, type: string, thoughts: ReadonlySet<unknown>): void {
  const { reading } = sink
  const { path, value } = event
  const data = event.member('data')
  const note = (actor: Actor, member: string, name: string): void => {
    const { value: text, path: at } = data.member(member)
    sink.note(actor, text, at, name)
  }
  const member = own(NOTES, type)
  if (member !== undefined) note('system', member, type)
  else if (type === 'assistant.reasoning' && !thoughts.has(data.member('content').value))
    note('agent_reasoning', 'content', 'reasoning')
  else if (type === 'session.compaction_complete' || type === 'session.truncation') {
    reading.isCompacted = true
    note('agent_message', 'summaryContent', 'compact_summary')
  } else if (type === 'abort') sink.settleOpen('interrupted')
  else if (type === 'session.snapshot_rewind')
    reading.warn(path, 'the session was wound back; what was said before stays shown')
  else if (LEFT_OUT.has(type) || type.endsWith('_delta')) reading.leaveOut(path)
  else reading.unreadRecord(path, 'type of event', type, value)
}
