import type { ActOutcome } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { textOf } from '../common/content.ts'
import {
  type ContentSink,
  idText,
  isAbsent,
  isRecord,
  itemsIn,
  type Json,
  type Reading,
  timeOf,
} from '../common/reading.ts'
import {
  addLeaves,
  asRecord,
  asText,
  listAt,
  mediaText,
  type OpenStep,
  type RecordTable,
  SessionReader,
  settle,
} from '../common/session.ts'
import { addNamedCall } from '../common/session-calls.ts'
import { mayAct } from '../common/unread-acts.ts'
import type { Format } from '../format.ts'
import { exitCodeInText, outcomeOfAgent, outcomeOfCode, outcomeWithCode } from '../tools/outcomes.ts'
import { named } from '../tools/tool-table.ts'

/**
 * The format of OpenClaw's sessions (and pi's, which has the same form): JSON lines; the first is `{"type": "session", …}`, each other line
 * has an id and its parent's id. Source: openclaw/openclaw, docs/reference/session-management-compaction.md.
 */
export const OPENCLAW: Format = {
  name: 'openclaw',
  recognizes: ({ records }) => Array.isArray(records) && records.some(isHead) && records.some(isMessage),
  read(reading, document) {
    const entries = listAt(document, 'records')
    return new OpenclawReader(reading, entries.list).readAll(entries)
  },
}

const isHead = (record: unknown): boolean =>
  isRecord(record) && record['type'] === 'session' && 'cwd' in record && idText(record['id']) !== null

const ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'bashExecution', 'custom'])

const isMessage = (value: unknown): boolean =>
  isRecord(value) && value['type'] === 'message' && isRecord(value['message']) && ROLES.has(value['message']['role'])

/** Members of a result's details for the screen: differences of an edit, the text before it was cut, the end of a command. */
const FOR_SCREEN = wordSet(
  'diff patch firstChangedLine truncation fullOutputPath exitCode status durationMs cwd aggregated',
)

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null
const isFlat = (value: unknown): boolean => isScalar(value) || (isRecord(value) && Object.values(value).every(isScalar))

class OpenclawReader extends SessionReader {
  /** The name of the step of the message that is being read. */
  #name: string | null = null
  #before: string | null = null
  /** Ids of the calls that have a result. */
  readonly #answered: ReadonlySet<unknown>

  constructor(reading: Reading, entries: readonly unknown[]) {
    super(reading, 'openclaw')
    this.#answered = new Set(entries.map((entry) => asRecord(asRecord(entry)['message'])['toolCallId']))
  }

  /** Readers by the type of an entry. Only the summary of a compaction stands in place of messages; the summary of a branch stands beside them. */
  readonly #entries: RecordTable = {
    ...named('bookkeeping', 'session model_change thinking_level_change custom label session_info leaf'),
    compaction: (entry, path) => this.#compaction(entry, path),
    branch_summary: ({ summary }, path) => this.note('agent_message', summary, `${path}/summary`, 'summary'),
    custom_message: (entry, path) => this.#said(entry, path, 'system'),
  }

  /** Readers by the role of a message. */
  readonly #messages: RecordTable = {
    user: (message, path) => this.#said(message, path, 'user'),
    custom: (message, path) => this.#said(message, path, 'system'),
    assistant: (message, path) => this.#reply(message, path),
    toolResult: (message, path) => this.#result(message, path),
    bashExecution: (message, path) => this.#byUser(message, path),
    compactionSummary: (message, path) => this.#compaction(message, path),
    branchSummary: ({ summary }, path) => this.note('agent_message', summary, `${path}/summary`, 'summary', this.#name),
  }

  /** Marks a compaction, also a compaction without its summary. */
  #compaction({ summary }: Json, path: string): void {
    this.reading.isCompacted = true
    this.note('agent_message', summary, `${path}/summary`, 'compact_summary', this.#name)
  }

  override record(entry: Json, path: string): void {
    const { type, message } = entry
    this.#follow(entry, path)
    this.now = timeOf(entry['timestamp'])
    this.#name = null
    if (type !== 'message' || !isRecord(message)) {
      this.byType(this.#entries, 'type of entry', entry, path)
      return
    }
    this.#name = asText(entry['id'])
    this.byType(this.#messages, 'role', message, `${path}/message`, message['role'] ?? null)
  }

  /** Warns of a branch: entries form a tree, and an entry with another parent than the entry before it begins a branch. */
  #follow({ id, parentId, type }: Json, path: string): void {
    const parent = idText(parentId)
    if (type !== 'session' && parent !== null && this.#before !== null && parent !== this.#before)
      this.reading.warnOnce(path, 'the session was wound back here: both branches are shown, in the order of the file')
    this.#before = idText(id) ?? this.#before
  }

  #said({ content }: Json, path: string, actor: 'user' | 'system'): void {
    const { parts } = this.open('other', this.#name)
    this.#content(this.sink(parts, actor), content, `${path}/content`)
  }

  /** Adds a command that the user ran: its texts are the user's, and no act of the agent. */
  #byUser(message: Json, path: string): void {
    const { parts } = this.open('other', this.#name)
    for (const field of ['command', 'output'])
      this.say(parts, 'user', message[field], `${path}/${field}`, `bash.${field}`)
  }

  #content(sink: ContentSink, content: unknown, path: string): void {
    if (typeof content === 'string') sink.text(content, path)
    else if (Array.isArray(content)) for (const [block, at] of itemsIn(content, path)) this.#block(sink, block, at)
    else if (!isAbsent(content)) addLeaves(sink, content, path)
  }

  #block(sink: ContentSink, block: unknown, path: string): void {
    const { type, text, mimeType, data } = asRecord(block)
    if (type === 'text' && typeof text === 'string') sink.text(text, `${path}/text`)
    else if (type === 'image') sink.media(mediaText('image', mimeType), path, 'image', { media_type: mimeType, data })
    else {
      this.reading.warnType(path, 'type of content', type)
      addLeaves(sink, block, path)
    }
  }

  #reply(message: Json, path: string): void {
    this.model = asText(message['model']) ?? this.model
    const step = this.open('agent', this.#name)
    const { content, stopReason, errorMessage } = message
    this.say(step.parts, 'agent_message', content, `${path}/content`)
    const isCut = stopReason === 'aborted' || stopReason === 'error'
    for (const [block, at] of itemsIn(content, `${path}/content`)) this.#replyBlock(step, block, at, isCut)
    this.note('system', errorMessage, `${path}/errorMessage`, 'error')
  }

  #replyBlock(step: OpenStep, block: unknown, path: string, isCut: boolean): void {
    const { type, text, thinking, redacted } = asRecord(block)
    const { parts } = step
    if (type === 'text' && typeof text === 'string') this.say(parts, 'agent_message', text, `${path}/text`)
    else if (type === 'thinking' && redacted === true)
      this.reading.warnOnce(path, 'reasoning that the provider redacted is not readable; not shown')
    else if (type === 'thinking' && typeof thinking === 'string')
      this.say(parts, 'agent_reasoning', thinking, `${path}/thinking`)
    else if (!isRecord(block)) this.reading.odd(path, 'a content block', block)
    else if (type !== 'toolCall') this.reading.unreadRecord(path, 'type of content', type, block)
    else {
      const { id, name, arguments: args } = block
      const call = addNamedCall(this, step, { id, name, args, path: `${path}/arguments`, namePath: `${path}/name` })
      // A reply that was cut short is not carried out; with a result all the same, either is possible.
      if (isCut) settle(call, this.#answered.has(id) ? 'interrupted' : 'cancelled')
    }
  }

  #result({ toolCallId, toolName, content, isError, details }: Json, path: string): void {
    const { parts, tool: placed, call } = this.output(toolCallId, `${path}/toolCallId`, this.#name)
    const tool = call === null ? (asText(toolName) ?? placed) : placed
    settle(call, outcomeOf(tool, content, isError, details))
    const { length } = parts
    this.#content(this.sink(parts, 'tool_output', tool), content, `${path}/content`)
    // The model gets `content` alone; a subagent's messages among the details are no copy, and no copy stands beside an empty content.
    if (
      parts.length > length &&
      isRecord(details) &&
      Object.entries(details).every(([key, value]) => FOR_SCREEN.has(key) && isFlat(value))
    )
      this.reading.leaveOut(`${path}/details`)
    else if (mayAct(details)) this.reading.unread(`${path}/details`, 'may hold acts of another agent; not read', true)
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
