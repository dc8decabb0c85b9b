import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { textOf, textsIn } from '../common/content.ts'
import { idText, isRecord, itemsIn, type Json, mayAct, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText, lastName } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { type LocatedMessage, readList, readLocatedChat } from '../openai-chat/chat-steps.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { exitCodeInText, outcomeOfAgent, outcomeOfCode, outcomeWithCode } from '../tools/outcomes.ts'
import { own } from '../tools/tool-table.ts'
import { contentOf, Located, type Tree } from '../traces/located.ts'
import { namesOf } from '../vocabulary.ts'

/** The formats of sessions that wrap messages of the Messages API: Factory's Droid, and Cursor's transcripts. */
export const SESSION_MESSAGES: Format = {
  name: 'session-messages',
  recognizes: ({ records }) => Array.isArray(records) && agentOf(records) !== null,
  read: readSession,
}

const isWrapped = (record: unknown): record is Json & { readonly message: Json } =>
  isRecord(record) && isRecord(record['message']) && 'content' in record['message']

function agentOf(records: readonly unknown[]): 'droid' | 'cursor' | null {
  const wrapped = records.filter(isWrapped)
  if (records.some((record) => asRecord(record)['type'] === 'session_start'))
    return wrapped.some(({ type }) => type === 'message') ? 'droid' : null
  const isCursor = wrapped.every(({ type }) => type === undefined)
  return isCursor && wrapped.some(({ role }) => typeof role === 'string') ? 'cursor' : null
}

const BOOKKEEPING = namesOf('session-messages', 'left_out')

function readSession(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const name = agentOf(records) ?? 'droid'
  const placed = [...itemsIn(records, '/records')].flatMap(([record, path]): Located[] => {
    if (isWrapped(record)) {
      const { role, message } = record
      return [new Located({ ...(role !== undefined && { role }), ...message }, `${path}/message`)]
    }
    if (!isRecord(record) || !BOOKKEEPING.has(record['type'])) reading.odd(path, 'a record with a message', record)
    return []
  })
  const model = lastName(placed.map(({ value }) => asRecord(value)['model']))
  return readList(reading, { format: 'session-messages', agent: { name, model } }, '/records', placed)
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
  const events = new Located(document['records'], '/records').items()
  const model = events.map(({ record }) => asName(record['model'])).find((name) => name !== null) ?? null
  const replies = events
    .map(({ record }) => record)
    .filter(({ type, role }) => type === 'message' && role === 'assistant')
  const said = new Set(replies.map(({ text }) => text))
  return readLocatedChat(reading, '/records', { name: 'droid', model }, 'droid-stream', () =>
    events.flatMap((event): LocatedMessage[] => {
      const { value, path } = event
      const { type, id, timestamp, ...rest } = event.record
      const tree = own(DROID_EVENTS, type)?.(event, said)
      if (tree === undefined && (type !== 'system' || mayAct(value)))
        reading.unreadRecord(path, 'type of event', type, value)
      if (tree === undefined || tree === null) return []
      const at = typeof timestamp === 'number' ? timestamp : timeOf(timestamp)
      return [{ tree, path, name: asText(id), at, outcome: type === 'tool_result' ? droidOutcomeOf(rest) : undefined }]
    }),
  )
}

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
  const { value, isError } = event.record
  const content = contentOf(event.member((value ?? null) === null ? 'error' : 'value'))
  return { role: 'tool', tool_call_id: idOf(event), content, is_error: isError === true || undefined }
}

function droidOutcomeOf({ value, isError }: Json): ActOutcome | undefined {
  const { exitCode } = asRecord(value)
  if (typeof exitCode === 'number') return outcomeOfCode(exitCode)
  return isError === true ? 'failed' : undefined
}

/** The format of Grok CLI's `chat_history.jsonl`: the messages of a chat, whose `type` is the role, with `tool_result` records and reasoning. */
export const GROK_CLI: Format = {
  name: 'grok-cli',
  recognizes: ({ records }) => Array.isArray(records) && records.every(isEntry) && records.some(isGrokEntry),
  read: readGrokCli,
}

const GROK_ROLES: ReadonlySet<unknown> = wordSet('system user assistant tool_result')

const isEntry = (record: unknown): boolean => !isRecord(record) || (!('role' in record) && !('message' in record))

/** Recognizes a reply or a result in the form of a chat, which no other format writes without a role. */
const isGrokEntry = (record: unknown): boolean =>
  isRecord(record) &&
  ((record['type'] === 'assistant' && 'content' in record && ('model_id' in record || 'tool_calls' in record)) ||
    (record['type'] === 'tool_result' && 'content' in record && typeof record['tool_call_id'] === 'string'))

function readGrokCli(reading: Reading, document: Json): ReadDocument {
  const records = asList(document['records'])
  const placed = [...itemsIn(records, '/records')].flatMap(([record, path]): Located[] => {
    if (!isRecord(record) || typeof record['type'] === 'string') return [new Located(messageOf(record), path)]
    reading.odd(path, 'a record with a type', record)
    return []
  })
  const model = lastName(records.map((record) => asRecord(record)['model_id']))
  return readList(reading, { format: 'grok-cli', agent: { name: 'grok-cli', model } }, '/records', placed)
}

function messageOf(record: unknown): unknown {
  if (!isRecord(record) || !GROK_ROLES.has(record['type'])) return record
  const { type, model_id: _model, prompt_index: _index, ...rest } = record
  return { ...rest, role: type === 'tool_result' ? 'tool' : type }
}

/** The format of OpenClaw's and pi's sessions, a tree of lines (openclaw/openclaw, session-management-compaction.md). */
export const OPENCLAW: Format = {
  name: 'openclaw',
  recognizes: ({ records }) => Array.isArray(records) && records.some(isHead) && records.some(isMessage),
  read: readOpenclaw,
}

const isHead = (record: unknown): boolean =>
  isRecord(record) && record['type'] === 'session' && 'cwd' in record && idText(record['id']) !== null

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'bashExecution', 'custom'])

const isMessage = (value: unknown): boolean =>
  asRecord(value)['type'] === 'message' && ROLES.has(asRecord(asRecord(value)['message'])['role'])

/** Members of a result's details for the screen: differences of an edit, the text before it was cut, the end of a command. */
const FOR_SCREEN = wordSet(`diff patch firstChangedLine truncation fullOutputPath exitCode status durationMs cwd
  aggregated`)

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null
const isFlat = (value: unknown): boolean => isScalar(value) || (isRecord(value) && Object.values(value).every(isScalar))

const LEFT_OUT = namesOf('openclaw', 'left_out')

function readOpenclaw(reading: Reading, document: Json): ReadDocument {
  const messages = asList(document['records']).map((record) => asRecord(asRecord(record)['message']))
  const model = lastName(messages.map(({ role, model }) => (role === 'assistant' ? model : null)))
  return readLocatedChat(reading, '/records', { name: 'openclaw', model }, 'openclaw', (sink) =>
    messagesIn(sink, document, new Set(messages.map(({ toolCallId }) => toolCallId))),
  )
}

function* messagesIn(sink: ChatSink, { records }: Json, answered: ReadonlySet<unknown>): Generator<LocatedMessage> {
  const { reading } = sink
  const cut = new Set<string>()
  let before: string | null = null
  for (const [record, path] of objectsIn(reading, records, '/records')) {
    const { type, id, parentId, timestamp, message } = record
    // Entries form a tree: an entry with another parent than the entry before it begins a branch.
    const parent = idText(parentId)
    if (type !== 'session' && parent !== null && before !== null && parent !== before)
      reading.warnOnce(path, 'the session was wound back here: both branches are shown, in the order of the file')
    before = idText(id) ?? before
    const isWrapped = type === 'message' && isRecord(message)
    const entry = isWrapped ? new Located(message, `${path}/message`) : new Located(record, path)
    const about = { path: entry.path, name: asText(id), other: asText(id), at: timeOf(timestamp) }
    sink.now = about.at
    const tree = treeOf(sink, entry, isWrapped ? message['role'] : type)
    if (tree !== null) yield { ...about, tree }
    if (isWrapped && message['role'] === 'assistant') endReply(sink, entry, answered, cut)
    else if (isWrapped && message['role'] === 'toolResult') endResult(sink, entry, cut)
  }
}

function treeOf(sink: ChatSink, entry: Located, role: unknown): Tree {
  const { value, path } = entry
  const [content, summary] = [entry.member('content'), entry.member('summary')]
  if (role === 'user') return { role, content }
  if (role === 'assistant') return { role, content: blocksOf(content) }
  if (role === 'custom_message' || (role === 'custom' && content.value !== undefined))
    return { role: 'system', content }
  if (role === 'toolResult')
    return { role: 'tool', tool_call_id: entry.member('toolCallId'), name: entry.member('toolName'), content }
  // The texts of a command that the user ran are the user's.
  if (role === 'bashExecution')
    return { role: 'user', content: ['command', 'output'].map((name) => ({ type: 'text', text: entry.member(name) })) }
  // The summary of a compaction stands in place of messages, that of a branch beside them.
  const isCompaction = role === 'compaction' || role === 'compactionSummary'
  if (isCompaction) sink.reading.isCompacted = true
  if (isCompaction || role === 'branch_summary' || role === 'branchSummary')
    sink.note('agent_message', summary.value, summary.path, isCompaction ? 'compact_summary' : 'summary')
  else if (LEFT_OUT.has(role)) sink.reading.leaveOut(path)
  else sink.reading.unreadRecord(path, 'type of entry', role, value)
  return null
}

const blocksOf = (content: Located): Tree =>
  Array.isArray(content.value)
    ? content.items().map((block) => {
        const [id, name, input] = ['id', 'name', 'arguments'].map((member) => block.member(member))
        return asRecord(block.value)['type'] === 'toolCall' ? { type: 'tool_use', id, name, input } : block
      })
    : content

/** Ends a reply: a reply that was cut short is not carried out; with a result all the same, either is possible. */
function endReply(sink: ChatSink, reply: Located, answered: ReadonlySet<unknown>, cut: Set<string>): void {
  const { stopReason, errorMessage } = asRecord(reply.value)
  if (stopReason === 'aborted' || stopReason === 'error')
    for (const call of sink.calls) {
      call.outcome = answered.has(call.id) ? 'interrupted' : 'cancelled'
      cut.add(call.id ?? '')
    }
  sink.note('system', errorMessage, `${reply.path}/errorMessage`, 'error')
}

function endResult(sink: ChatSink, { value, path }: Located, cut: ReadonlySet<string>): void {
  const { toolCallId, content, isError, details, toolName } = asRecord(value)
  const { reading } = sink
  const id = idText(toolCallId) ?? ''
  const tool = sink.toolOf(id) ?? asText(toolName) ?? ''
  sink.settle(id, cut.has(id) ? 'interrupted' : outcomeOf(tool, content, isError, details))
  // The model gets `content` alone. Details for the screen repeat a text of the content; a picture repeats none.
  const hasText = textsIn(content).some((text) => text !== '')
  const isForScreen = ([key, member]: [string, unknown]): boolean => FOR_SCREEN.has(key) && isFlat(member)
  if (hasText && isRecord(details) && Object.entries(details).every(isForScreen)) reading.leaveOut(`${path}/details`)
  else if (mayAct(details)) reading.unread(`${path}/details`, 'may hold acts of another agent; not read', true)
}

function outcomeOf(tool: string, content: unknown, isError: unknown, details: unknown): ActOutcome {
  const text = textOf(content)
  const { exitCode, status } = asRecord(details)
  if (typeof exitCode === 'number' && isError !== true) return outcomeOfCode(exitCode)
  if (status === 'aborted' || status === 'killed') return 'interrupted'
  const outcome = outcomeOfAgent('openclaw', tool, text, typeof isError === 'boolean' ? isError : null)
  return outcomeWithCode(outcome, exitCodeInText(null, text))
}
