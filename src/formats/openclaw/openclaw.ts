import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { type ContentSink, textOf } from '../common/content.ts'
import { idText, isRecord, itemsIn, type Json, objectsIn, type Reading, timeOf, typeName } from '../common/reading.ts'
import {
  addLeaves,
  asList,
  asRecord,
  asText,
  mediaText,
  type OpenStep,
  Session,
  settle,
  sinkTo,
} from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import type { Format, ReadDocument } from '../format.ts'
import { COMMON_TOOLS } from '../tools/common.ts'
import { exitCodeInText, outcomeOfAgent, outcomeOfCode, outcomeWithCode } from '../tools/outcomes.ts'

/**
 * The format of OpenClaw's sessions (and pi's, which has the same form): JSON lines; the first is `{"type": "session", …}`, each other line
 * has an id and its parent's id. Source: openclaw/openclaw, docs/reference/session-management-compaction.md.
 */
export const OPENCLAW: Format = {
  name: 'openclaw',
  recognizes: ({ records }) => isSession(records),
  read: readOpenclaw,
}

function isSession(records: unknown): boolean {
  if (!Array.isArray(records)) return false
  const head = records.some(
    (record) => isRecord(record) && record['type'] === 'session' && 'cwd' in record && idText(record['id']) !== null,
  )
  return head && records.some(isMessage)
}

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'bashExecution', 'custom'])

const isMessage = (value: unknown): boolean =>
  isRecord(value) && value['type'] === 'message' && isRecord(value['message']) && ROLES.has(value['message']['role'])

/** Types of entries without effect on the model's context. */
const BOOKKEEPING: ReadonlySet<unknown> = wordSet(
  `session model_change thinking_level_change custom label session_info leaf`,
)
const MESSAGE_FIELDS: ReadonlySet<string> = wordSet(`role content timestamp api provider model usage stopReason
  errorMessage toolCallId toolName isError details command output exitCode cancelled truncated fullOutputPath
  excludeFromContext customType display responseId idempotencyKey senderIsOwner responseModel`)

class OpenclawReader {
  readonly session: Session
  model: string | null = null
  readonly #reading: Reading
  #before: string | null = null

  /** Ids of the calls that have a result. */
  readonly #answered: ReadonlySet<unknown>

  constructor(reading: Reading, entries: readonly unknown[]) {
    this.#reading = reading
    this.#answered = new Set(entries.map((entry) => asRecord(asRecord(entry)['message'])['toolCallId']))
    this.session = new Session(reading, COMMON_TOOLS)
  }

  entry(entry: Json, path: string): void {
    const { type, message } = entry
    this.#follow(entry, path)
    this.session.now = timeOf(entry['timestamp'])
    if (type === 'message' && isRecord(message)) this.#message(message, `${path}/message`, asText(entry['id']))
    // Later requests hold the summary in place of the summarized messages.
    else if (type === 'compaction' || type === 'branch_summary') this.#summary(entry, path, null, type)
    else if (type === 'custom_message')
      this.#content(this.session.open('other', null).parts, entry['content'], `${path}/content`, 'system')
    else if (BOOKKEEPING.has(type)) this.#reading.leaveOut(path)
    else this.#reading.unreadRecord(path, 'type of entry', type, entry)
  }

  /** Warns of a branch: entries form a tree, and an entry with another parent than the entry before it begins a branch. */
  #follow({ id, parentId, type }: Json, path: string): void {
    const parent = idText(parentId)
    if (type !== 'session' && parent !== null && this.#before !== null && parent !== this.#before)
      this.#reading.warnOnce(path, 'the session was wound back here: both branches are shown, in the order of the file')
    this.#before = idText(id) ?? this.#before
  }

  #message(message: Json, path: string, name: string | null): void {
    const { role, content } = message
    this.#reading.warnUnknownOnce(message, path, MESSAGE_FIELDS)
    if (role === 'user') this.#content(this.session.open('other', name).parts, content, `${path}/content`, 'user')
    else if (role === 'assistant') this.#answer(message, path, name)
    else if (role === 'toolResult') this.#result(message, path, name)
    else if (role === 'custom')
      this.#content(this.session.open('other', name).parts, content, `${path}/content`, 'system')
    else if (role === 'bashExecution') this.#ofUser(message, path, name)
    else if (role === 'compactionSummary' || role === 'branchSummary') this.#summary(message, path, name, role)
    else this.#reading.unreadRecord(path, 'role', role, message)
  }

  /** Adds a summary. Only that of a compaction stands in place of messages; that of a branch stands beside them. */
  #summary({ summary }: Json, path: string, name: string | null, kind: unknown): void {
    const isCompaction = kind === 'compaction' || kind === 'compactionSummary'
    this.session.note('agent_message', summary, `${path}/summary`, isCompaction ? 'compact_summary' : 'summary', name)
  }

  /** Adds a command that the user ran: its texts are the user's, and no act of the agent. */
  #ofUser(message: Json, path: string, name: string | null): void {
    const { parts } = this.session.open('other', name)
    for (const field of ['command', 'output']) {
      const text = message[field]
      if (typeof text === 'string')
        this.#reading.add(parts, { actor: 'user', text, path: `${path}/${field}`, name: `bash.${field}` })
    }
  }

  #content(
    parts: OpenStep['parts'],
    content: unknown,
    path: string,
    actor: 'user' | 'system' | 'tool_output',
    name = 'message',
  ): void {
    const sink = sinkTo(this.#reading, parts, actor, name)
    if (typeof content === 'string') sink.text(content, path)
    else if (Array.isArray(content)) for (const [block, at] of itemsIn(content, path)) this.#block(sink, block, at)
    else if (content !== undefined && content !== null) addLeaves(sink, content, path)
  }

  #block(sink: ContentSink, block: unknown, path: string): void {
    const { type, text, mimeType, data } = asRecord(block)
    if (type === 'text' && typeof text === 'string') sink.text(text, `${path}/text`)
    else if (type === 'image') sink.media(mediaText('image', mimeType), path, 'image', { media_type: mimeType, data })
    else {
      this.#reading.warnType(path, 'type of content', type)
      addLeaves(sink, block, path)
    }
  }

  #answer(message: Json, path: string, name: string | null): void {
    this.model = asText(message['model']) ?? this.model
    const step = this.session.open('agent', name)
    const { content, stopReason } = message
    if (typeof content === 'string')
      sinkTo(this.#reading, step.parts, 'agent_message', 'message').text(content, `${path}/content`)
    const isCut = stopReason === 'aborted' || stopReason === 'error'
    for (const [block, at] of itemsIn(content, `${path}/content`)) this.#replyBlock(step, block, at, isCut)
    this.session.note('system', message['errorMessage'], `${path}/errorMessage`, 'error')
  }

  #replyBlock(step: OpenStep, block: unknown, path: string, isCut: boolean): void {
    const { type, text, thinking, redacted } = asRecord(block)
    const words = sinkTo(this.#reading, step.parts, 'agent_message', 'message')
    if (type === 'text' && typeof text === 'string') words.text(text, `${path}/text`)
    else if (type === 'thinking' && redacted === true)
      this.#reading.warnOnce(path, 'reasoning that the provider redacted is not readable; not shown')
    else if (type === 'thinking' && typeof thinking === 'string')
      sinkTo(this.#reading, step.parts, 'agent_reasoning', 'reasoning').text(thinking, `${path}/thinking`)
    else if (type === 'toolCall' && isRecord(block)) this.#call(step, block, path, isCut)
    else {
      if (isRecord(block)) this.#reading.unreadRecord(path, 'type of content', type, block)
      else this.#reading.error(path, `a content block must be an object, not ${typeName(block)}`)
    }
  }

  #call(step: OpenStep, block: Json, path: string, isCut: boolean): void {
    const { id, name, arguments: args } = block
    const words = { id, name, args, path: `${path}/arguments`, namePath: `${path}/name` }
    const call = addNamedCall(this.session, step, words)
    // A reply that was cut short is not carried out; with a result all the same, either is possible.
    if (isCut) settle(call, this.#answered.has(id) ? 'interrupted' : 'cancelled')
  }

  #result(message: Json, path: string, name: string | null): void {
    const { toolCallId, toolName, content, isError, details } = message
    const place = this.session.output(toolCallId, `${path}/toolCallId`, name)
    const tool = place.call === null ? (asText(toolName) ?? place.tool) : place.tool
    settle(place.call, outcomeOf(tool, content, isError, details))
    this.#content(place.parts, content, `${path}/content`, 'tool_output', tool)
  }
}

function outcomeOf(tool: string, content: unknown, isError: unknown, details: unknown): ActOutcome {
  const text = textOf(content)
  const { exitCode, status } = asRecord(details)
  if (typeof exitCode === 'number' && isError !== true) return outcomeOfCode(exitCode)
  if (status === 'aborted' || status === 'killed') return 'interrupted'
  const outcome = outcomeOfAgent('openclaw', tool, text, typeof isError === 'boolean' ? isError : null)
  return outcomeWithCode(outcome, exitCodeInText(null, text))
}

function readOpenclaw(reading: Reading, document: Json): ReadDocument {
  const entries = asList(document['records'])
  const reader = new OpenclawReader(reading, entries)
  for (const [entry, path] of objectsIn(reading, entries, '/records', 'an entry')) reader.entry(entry, path)
  return {
    format: 'openclaw',
    agent: { name: 'openclaw', model: reader.model },
    steps: reader.session.finish('/records'),
  }
}
