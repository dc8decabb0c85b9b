import { readAnyBlock, readContent } from '../common/content.ts'
import {
  type ContentSink,
  isAbsent,
  isRecord,
  itemsIn,
  type Json,
  pointer,
  type Reading,
  timeOf,
} from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, type OpenStep } from '../common/session.ts'
import { type RecordTable, SessionReader } from '../common/session-reader.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { namesOf } from '../vocabulary.ts'
import { isHarnessText, isSummary, outcomeOfResult, type ReplySeen, readAssistant } from './claude-code-content.ts'
import { inOrder, isTelling, StartedSubagents, subagentOf } from './claude-code-order.ts'

/**
 * The format of Claude Code: the session files under `projects/` (also the file of one subagent), and the output of `--output-format
 * stream-json` or `json`.
 *
 * The pieces of one API message (`message.id`) are one step, together with the results that arrive while nothing else happens. Records of a
 * subagent (`isSidechain`) are placed at their time, with step names of the form `agent#message`.
 */
export const CLAUDE_CODE: Format = {
  name: 'claude-code',
  recognizes(document) {
    const { list, path } = recordsOf(document) ?? { list: [], path: '' }
    const isFinalResult = document['type'] === 'result' && 'session_id' in document
    return isFinalResult || list.some(path === '/loglines' ? isMainMessage : isTelling)
  },
  read: readClaudeCode,
  holdsSubagents: true,
}

/** Finds the records: those of a file, or `loglines` of a session on the web. */
const recordsOf = (document: Json) => listIn(document, ['records', 'loglines'], () => true)

const isMainMessage = (record: unknown): boolean =>
  isRecord(record) && (record['type'] === 'user' || record['type'] === 'assistant') && subagentOf(record) === null

function readClaudeCode(reading: Reading, document: Json): ReadDocument {
  const { list: records, path: root } = recordsOf(document) ?? { list: null, path: '' }
  const reader = new ClaudeReader(reading, records?.some(isMainMessage) ?? true)
  if (records === null) reader.record(document, '')
  else
    for (const { record, index } of inOrder(reading, records, root)) {
      const path = pointer(root, index)
      if (isRecord(record)) reader.record(record, path)
      else reading.odd(path, 'a record', record)
    }
  reader.warnOfSubagents()
  reader.model ??= reader.subagentModel
  return reader.ended(root)
}

const LEFT_OUT_SYSTEM = namesOf('claude-code', 'left_out_system')

interface Reply {
  readonly id: string
  readonly request: string | null
  step: OpenStep
  readonly seen: ReplySeen
  ended: boolean
}

/** The state of one conversation: the main conversation or that of one subagent. */
type Chain = { reply: Reply | null }

/** Reads the records of a session into steps, one record at a time. */
class ClaudeReader extends SessionReader {
  /** The messages of the records so far, by `uuid`; as JSON from the first repetition on. */
  readonly #messages = new Map<string, Json | string>()
  readonly #chains = new Map<string, Chain>()
  readonly #started = new StartedSubagents()
  readonly #hasMain: boolean
  subagentModel: string | null = null

  constructor(reading: Reading, hasMain: boolean) {
    super(reading, 'claude-code')
    this.#hasMain = hasMain
  }

  /** Leaves out a piece of a streamed block, which the start of the block names, without a look. */
  protected override leaveOut(record: Json, path: string): void {
    const { event } = record
    if (isRecord(event) && event['type'] === 'content_block_delta') this.reading.leaveOut(path)
    else super.leaveOut(record, path)
  }

  warnOfSubagents(): void {
    const hasAny = [...this.#chains.keys()].some((name) => name !== '')
    this.#started.warnOfUnread(this.reading, (name) => this.#chains.has(name), hasAny)
  }

  /** Readers by the type of a record. */
  readonly #records: RecordTable = {
    user: (record, path) => this.#message(record, path, 'user'),
    assistant: (record, path) => this.#message(record, path, 'assistant'),
    system: (record, path) => this.#system(record, path),
    attachment: (record, path) => this.#attachment(record, path),
    result: (record, path) => this.#result(record, path),
    progress: (record, path) => this.#progress(record, path),
    // What was queued is lost unless a message of the user holds it, too (`countLostWords`).
    'queue-operation': () => undefined,
  }

  override record(record: Json, path: string): void {
    this.now = timeOf(record['timestamp'])
    this.reading.reply = null
    this.byType(this.#records, 'type of record', record, path)
  }

  /** Reads a subagent's newest message, which the main session file repeats while the subagent runs. */
  #progress(record: Json, path: string): void {
    const { data } = record
    if (!isRecord(data) || data['type'] !== 'agent_progress' || !isRecord(data['message'])) {
      this.reading.leaveOut(path)
      return
    }
    const inner: Json = { ...data['message'], isSidechain: true, agentId: data['agentId'] }
    const { type } = inner
    this.now = timeOf(inner['timestamp']) ?? this.now
    if (type === 'assistant' || type === 'user') this.#message(inner, `${path}/data/message`, type)
    else this.reading.unreadRecord(`${path}/data/message`, 'type of record', type, inner)
  }

  #message(record: Json, path: string, type: 'assistant' | 'user'): void {
    const { message } = record
    if (!isRecord(message)) {
      this.reading.odd(`${path}/message`, 'an object', message)
      return
    }
    if (this.#isCopy(record['uuid'], message)) {
      this.reading.warnOnce(path, 'a copy of an earlier record; shown once')
      this.reading.leaveOut(path)
      return
    }
    const subagent = subagentOf(record)
    const chain = this.#chains.get(subagent ?? '') ?? { reply: null }
    this.#chains.set(subagent ?? '', chain)
    const at = `${path}/message/content`
    if (type === 'assistant') this.#assistant(record, message, at, chain, subagent)
    else this.#user(record, message, at, chain, subagent)
  }

  /** Tells whether an earlier record has the same id and the same message. */
  #isCopy(uuid: unknown, message: Json): boolean {
    const id = asText(uuid)
    if (id === null) return false
    const first = this.#messages.get(id)
    const text = typeof first === 'object' ? JSON.stringify(first) : first
    this.#messages.set(id, text ?? message)
    return text !== undefined && text === JSON.stringify(message)
  }

  #assistant(record: Json, message: Json, path: string, chain: Chain, subagent: string | null): void {
    const model = asText(message['model'])
    const synthetic = model === '<synthetic>' || record['isApiErrorMessage'] === true
    if (!synthetic && subagent === null) this.model ??= model
    if (!synthetic) this.subagentModel ??= model
    const id = asText(message['id'])
    const name = nameIn(subagent, id ?? asText(record['uuid']))
    const request = asText(record['requestId'])
    let { reply } = chain
    const goesOn =
      reply !== null && reply.id === id && reply.request === request && !(reply.ended && reply.step.answered)
    if (!goesOn || reply === null) {
      reply = { id: id ?? '', request, step: this.open('agent', name), seen: new Map(), ended: false }
      chain.reply = id === null ? null : reply
    }
    const current = reply
    const key = [subagent ?? '', id, request ?? ''].join(' ')
    this.reading.reply = id === null || synthetic ? null : { id: key, isNamed: true }
    const step = (afterResult: boolean): OpenStep => {
      if (!afterResult) return current.step
      current.step = this.open('agent', name)
      this.reading.reply = { id: `${key} from ${path}`, isNamed: true }
      return current.step
    }
    readAssistant(this, message['content'], { path, synthetic, seen: current.seen, step })
    // A later record of this id is another reply once the calls of this reply are answered: some gateways give every reply the same id.
    if (!isAbsent(message['stop_reason'])) current.ended = true
  }

  #user(record: Json, message: Json, path: string, chain: Chain, subagent: string | null): void {
    const { content } = message
    const name = nameIn(subagent, asText(record['uuid']))
    let step: OpenStep | null = null
    const sink = this.#userSink(record, subagent, () => {
      step ??= this.open('other', name)
      chain.reply = null
      return step
    })
    if (!Array.isArray(content)) readContent(this.reading, content, path, sink)
    for (const [block, at] of itemsIn(content, path)) {
      if (isRecord(block) && block['type'] === 'tool_result') {
        const outcome = (tool: string) => outcomeOfResult(tool, block, record)
        const { tool, sink: output } = this.output(block['tool_use_id'], at, name, outcome)
        this.#started.note(tool, block, record, at)
        readContent(this.reading, block['content'], `${at}/content`, output)
        step = null
      } else readAnyBlock(this.reading, block, at, sink)
    }
  }

  #userSink(record: Json, subagent: string | null, step: () => OpenStep): ContentSink {
    const { isCompactSummary, isMeta, isSynthetic } = record
    const isTask = subagent !== null && this.#hasMain
    const pick = (text: string): ContentSink => {
      const { parts } = step()
      // The model wrote the summary, and the agent wrote the task of its subagent: neither text is the user's request.
      if (isCompactSummary === true || isSummary(text)) return this.sink(parts, 'agent_message', 'compact_summary')
      if (isMeta === true || isSynthetic === true || isHarnessText(text)) return this.sink(parts, 'system')
      if (isTask) return this.sink(parts, 'agent_message', 'subagent_task')
      return this.sink(parts, 'user')
    }
    return {
      text: (text, path) => pick(text).text(text, path),
      media: (text, path, kind, source) => pick('').media(text, path, kind, source),
    }
  }

  #system(record: Json, path: string): void {
    const { subtype, content, model } = record
    if (subtype === 'init') this.model ??= asText(model)
    else if (subtype === 'compact_boundary' || subtype === 'microcompact_boundary') this.reading.isCompacted = true
    else if (subtype === 'permission_denied') this.settle(record['tool_use_id'], 'rejected')
    if (typeof content === 'string') this.note('system', content, `${path}/content`, asText(subtype) ?? 'system')
    else if (LEFT_OUT_SYSTEM.has(subtype)) this.reading.leaveOut(path)
    else this.reading.unreadRecord(path, 'subtype of system record', subtype, { ...record, type: subtype })
  }

  /** Reads an attachment: the files, reminders and memory that the harness adds for the model to read. */
  #attachment(record: Json, path: string): void {
    const attachment = asRecord(record['attachment'])
    const { type, prompt, ...rest } = attachment
    const at = `${path}/attachment`
    const step = this.open('other', asText(record['uuid']))
    const name = typeof type === 'string' ? type : 'attachment'
    if (type === 'queued_command') {
      readContent(this.reading, prompt, `${at}/prompt`, this.sink(step.parts, 'user'))
    } else addLeaves(this.sink(step.parts, 'system', name), prompt === undefined ? rest : { prompt, ...rest }, at)
    if (!isRecord(record['attachment'])) this.reading.odd(at, 'an object', record['attachment'])
  }

  /** Reads the last record of a stream, which repeats the agent's last message or explains its absence. */
  #result(record: Json, path: string): void {
    const { result, errors, is_error: isError, permission_denials: denials } = record
    for (const denial of asList(denials)) this.settle(asRecord(denial)['tool_use_id'], 'rejected')
    const { last } = this
    if (typeof result === 'string' && last?.parts.at(-1)?.text !== result)
      this.note(isError === true ? 'system' : 'agent_message', result, `${path}/result`, 'result')
    for (const [text, at] of itemsIn(errors, `${path}/errors`)) this.note('system', text, at, 'error')
  }
}

const nameIn = (subagent: string | null, name: string | null): string | null =>
  subagent === null ? name : `${subagent}#${name ?? ''}`
