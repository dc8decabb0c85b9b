import { digestValue } from '../../domain/digest.ts'
import { readAnyBlock, readContent } from '../common/content.ts'
import { type ContentSink, isAbsent, isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, type OpenStep } from '../common/session.ts'
import { type RecordTable, SessionReader } from '../common/session-reader.ts'
import { type Format, listIn, type ReadDocument } from '../format.ts'
import { namesOf } from '../vocabulary.ts'
import { keyOfBlock, outcomeOfResult, readAgentBlock, readServerResult, speakerOf } from './claude-code-content.ts'

/** The format of Claude Code: session files, and its `stream-json` or `json`. The pieces of one API message are one step. */
export const CLAUDE_CODE: Format = {
  name: 'claude-code',
  recognizes(document) {
    const { list, path } = recordsOf(document) ?? { list: [], path: '' }
    const isFinalResult = document['type'] === 'result' && 'session_id' in document
    return isFinalResult || list.some(path === '/loglines' ? isMainMessage : isTelling)
  },
  read: (reading, document) => new ClaudeReader(reading, 'claude-code').readSession(document),
  holdsSubagents: true,
}

/** Finds the records: those of a file, or `loglines` of a session on the web. */
const recordsOf = (document: Json) => listIn(document, ['records', 'loglines'], () => true)

const isMainMessage = (record: unknown): boolean => isMessage(record) && subagentOf(record) === null

const SESSION_MARKS = ['parentUuid', 'sessionId', 'session_id', 'parent_tool_use_id'] as const

function isTelling(record: unknown): boolean {
  if (!isRecord(record) || !SESSION_MARKS.some((mark) => mark in record)) return false
  const { type, subtype, message } = record
  if (type === 'assistant' || type === 'user') return isRecord(message) && 'content' in message
  return type === 'system' && subtype === 'init' && 'tools' in record
}

function subagentOf({ isSidechain, agentId, parent_tool_use_id: call }: Json): string | null {
  if (isSidechain !== true && typeof call !== 'string') return null
  return asText(agentId) ?? asText(call) ?? 'sidechain'
}

/** Sorts by time the records of subagents that a file appends to the main conversation; without a needed time, the order of the file stays. */
function inOrder(reading: Reading, records: readonly unknown[], path: string) {
  const placed = records.map((record, index) => ({ record, index }))
  const messages = placed.filter(({ record }) => isMessage(record))
  const chains = new Set(messages.map(({ record }) => chainOf(record)))
  if (chains.size < 2) return placed
  const untimed = messages.find(({ record }) => timeOf(asRecord(record)['timestamp']) === null)
  if (untimed !== undefined) {
    // A stream is printed in order of events; a session file is assembled afterwards.
    const warning = "has no time, so the subagents' records are shown in the order of the file"
    if (messages.some(({ record }) => asRecord(record)['isSidechain'] === true))
      reading.warnOnce(`${path}/${untimed.index}`, warning)
    return placed
  }
  const latest = new Map<string, number>()
  const timed = placed.map(({ record, index }) => {
    const chain = chainOf(record)
    const own = isMessage(record) ? timeOf(record['timestamp']) : null
    // A record is never before the preceding record of its conversation.
    const time = Math.max(own ?? 0, latest.get(chain) ?? 0)
    latest.set(chain, time)
    return { record, index, time }
  })
  return timed.toSorted((a, b) => a.time - b.time)
}

const isMessage = (record: unknown): record is Json =>
  isRecord(record) && (record['type'] === 'user' || record['type'] === 'assistant')

/** Names the conversation of a record: its subagent, or '' for the main conversation. */
const chainOf = (record: unknown): string => (isMessage(record) ? (subagentOf(record) ?? '') : '')

const LEFT_OUT_SYSTEM = namesOf('claude-code', 'left_out_system')

const DELEGATES: ReadonlySet<string> = new Set(['Agent', 'Task', 'Workflow', 'SendMessage'])
const MOST_NAME_CHARS = 200

/** A reply of the model, whose blocks stand in one record or several. */
interface Reply {
  readonly id: string
  readonly request: string | null
  step: OpenStep
  /** The path of the record that showed a block first, by the key of the block. */
  readonly seen: Map<string, string>
  ended: boolean
}

type Chain = { readonly subagent: string | null; reply: Reply | null }

class ClaudeReader extends SessionReader {
  /** The messages of the records so far, each as the record's `uuid` and a digest. */
  readonly #messages = new Set<string>()
  readonly #chains = new Map<string, Chain>()
  /** The subagents that ran, by the harness's notes at the results of their calls: newer versions write each session to a separate file. */
  readonly #started: { readonly agent: string | null; readonly call: string; readonly path: string }[] = []
  #hasMain = true
  #subagentModel: string | null = null

  readSession(document: Json): ReadDocument {
    const { list, path: root } = recordsOf(document) ?? { list: null, path: '' }
    this.#hasMain = list?.some(isMainMessage) ?? true
    if (list === null) this.record(document, '')
    else
      for (const { record, index } of inOrder(this.reading, list, root))
        if (isRecord(record)) this.record(record, `${root}/${index}`)
        else this.reading.odd(`${root}/${index}`, 'a record', record)
    this.#warnOfSubagents()
    this.model ??= this.#subagentModel
    return this.ended(root)
  }

  /** Leaves out a piece of a streamed block, which the start of the block names, without a look. */
  protected override leaveOut(record: Json, path: string): void {
    const { event } = record
    if (isRecord(event) && event['type'] === 'content_block_delta') this.reading.leaveOut(path)
    else super.leaveOut(record, path)
  }

  #warnOfSubagents(): void {
    const hasAny = [...this.#chains.keys()].some((name) => name !== '')
    for (const { agent, call, path } of this.#started) {
      const away = `what the subagent ${(agent ?? call).slice(0, MOST_NAME_CHARS)} did stands in another file, not read here`
      // Without a name of its own, a subagent is among those of the file, if there are any.
      const isHere = this.#chains.has(call) || (agent === null ? hasAny : this.#chains.has(agent))
      if (!isHere) this.reading.unread(path, away, true)
    }
  }

  #noteSubagent(tool: string, block: Json, record: Json, path: string): void {
    const { agentId, runId, taskId } = asRecord(record['toolUseResult'] ?? record['tool_use_result'])
    const agent = asText(agentId) ?? asText(runId) ?? asText(taskId)
    if (DELEGATES.has(tool) && (agent !== null || block['is_error'] !== true))
      this.#started.push({ agent, call: asText(block['tool_use_id']) ?? '', path })
  }

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
    const at = `${path}/message`
    if (!isRecord(message)) this.reading.odd(at, 'an object', message)
    else if (this.#isCopy(record['uuid'], message)) {
      this.reading.warnOnce(path, 'a copy of an earlier record; shown once')
      this.reading.leaveOut(path)
    } else {
      const subagent = subagentOf(record)
      const chain: Chain = this.#chains.get(subagent ?? '') ?? { subagent, reply: null }
      this.#chains.set(subagent ?? '', chain)
      if (type === 'assistant') this.#assistant(record, message, `${at}/content`, chain)
      else this.#user(record, message['content'], `${at}/content`, chain)
    }
  }

  #isCopy(uuid: unknown, message: Json): boolean {
    if (asText(uuid) === null) return false
    const before = this.#messages.size
    return this.#messages.add(`${String(uuid)} ${digestValue(message)}`).size === before
  }

  #assistant(record: Json, message: Json, path: string, chain: Chain): void {
    const synthetic = message['model'] === '<synthetic>' || record['isApiErrorMessage'] === true
    if (!synthetic) this.#noteModel(asText(message['model']), chain)
    const id = asText(message['id'])
    const name = nameIn(chain, id ?? asText(record['uuid']))
    const request = asText(record['requestId'])
    const reply = this.#replyOf(chain, id, request, name)
    const key = [chain.subagent ?? '', id, request ?? ''].join(' ')
    this.reading.reply = id === null || synthetic ? null : { id: key, isNamed: true }
    const speaker = () => this.sink(reply.step.parts, synthetic ? 'system' : 'agent_message')
    const { content } = message
    if (!Array.isArray(content)) readContent(content, path, speaker())
    let ran = false
    for (const [block, at] of itemsIn(content, path)) {
      if (isRecord(block) && this.#isRepeated(block, at, path, reply)) continue
      const isResult = isRecord(block) && asText(block['type'])?.endsWith('_tool_result') === true
      if (ran && !isResult) {
        // The model wrote the block with the result of a provider's tool in sight.
        reply.step = this.open('agent', name)
        this.reading.reply = { id: `${key} from ${path}`, isNamed: true }
      }
      ran = isResult
      if (isResult) readServerResult(this, block, at)
      else readAgentBlock(this, reply.step, block, at, speaker())
    }
    // A later record of this id is another reply once the calls of this reply are answered: some gateways give every reply the same id.
    if (!isAbsent(message['stop_reason'])) reply.ended = true
  }

  #noteModel(model: string | null, { subagent }: Chain): void {
    this.#subagentModel ??= model
    if (subagent === null) this.model ??= model
  }

  #replyOf(chain: Chain, id: string | null, request: string | null, name: string | null): Reply {
    const { reply } = chain
    if (reply?.id === id && reply.request === request && !(reply.ended && reply.step.answered)) return reply
    const next = { id: id ?? '', request, step: this.open('agent', name), seen: new Map(), ended: false }
    chain.reply = id === null ? null : next
    return next
  }

  /** Tells whether an earlier record of the same reply showed this block: streams repeat all blocks so far in each record. */
  #isRepeated(block: Json, path: string, record: string, { seen }: Reply): boolean {
    const key = keyOfBlock(block)
    if (key === null) return false
    const first = seen.get(key) ?? record
    seen.set(key, first)
    if (first !== record) this.reading.warnOnce(path, 'repeats a block of the same message; shown once')
    return first !== record
  }

  #user(record: Json, content: unknown, path: string, chain: Chain): void {
    const name = nameIn(chain, asText(record['uuid']))
    let step: OpenStep | null = null
    const isTask = chain.subagent !== null && this.#hasMain
    const speaker = (text: string): ContentSink => {
      step ??= this.open('other', name)
      chain.reply = null
      return this.sink(step.parts, ...speakerOf(record, text, isTask))
    }
    const sink: ContentSink = {
      reading: this.reading,
      text: (text, path) => speaker(text).text(text, path),
      media: (text, path, kind, source) => speaker('').media(text, path, kind, source),
    }
    if (!Array.isArray(content)) readContent(content, path, sink)
    for (const [block, at] of itemsIn(content, path)) {
      if (isRecord(block) && block['type'] === 'tool_result') {
        const outcome = (tool: string) => outcomeOfResult(tool, block, record)
        const { tool, sink: output } = this.output(block['tool_use_id'], at, name, outcome)
        this.#noteSubagent(tool, block, record, at)
        readContent(block['content'], `${at}/content`, output)
        step = null
      } else readAnyBlock(block, at, sink)
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
    const { type, prompt, ...rest } = asRecord(record['attachment'])
    const at = `${path}/attachment`
    const step = this.open('other', asText(record['uuid']))
    const name = typeof type === 'string' ? type : 'attachment'
    if (type === 'queued_command') readContent(prompt, `${at}/prompt`, this.sink(step.parts, 'user'))
    else addLeaves(this.sink(step.parts, 'system', name), prompt === undefined ? rest : { prompt, ...rest }, at)
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

const nameIn = ({ subagent }: Chain, name: string | null): string | null =>
  subagent === null ? name : `${subagent}#${name ?? ''}`
