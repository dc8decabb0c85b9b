import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { isAbsent, isRecord, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText, lastName } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { own } from '../tools/tool-table.ts'
import { contentOf, Located, type Tree } from '../traces/located.ts'
import { differs } from '../traces/message-key.ts'
import { namesOf } from '../vocabulary.ts'

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

/** The requested calls whose start no event has told yet. */
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
