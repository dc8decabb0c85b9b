import { wordSet } from '../../domain/words.ts'
import type { ContentSink } from '../common/content.ts'
import { cutName, isRecord, itemsIn, type Json, type Reading, timeOf, typeName } from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, type OpenStep, Session, settle, sinkTo } from '../common/session.ts'
import { CLAUDE_CODE_TOOLS } from '../tools/harness-tools.ts'
import {
  isHarnessText,
  isSummary,
  outcomeOfResult,
  type ReplySeen,
  readAssistant,
  readBlock,
  readBlocks,
} from './claude-code-content.ts'

interface Reply {
  readonly id: string
  readonly request: string | null
  step: OpenStep
  readonly seen: ReplySeen
  ended: boolean
}

/** The state of one conversation: the main conversation or that of one subagent. */
interface Chain {
  reply: Reply | null
}

/** Reads the records of a session into steps, one record at a time. */
export class ClaudeReader {
  readonly session: Session
  readonly reading: Reading
  readonly lineage: ClaudeLineage
  readonly userTexts = new Set<string>()
  readonly queued: { readonly text: string; readonly path: string }[] = []
  readonly #chains = new Map<string, Chain>()
  readonly #started = new StartedSubagents()
  readonly #hasMain: boolean
  model: string | null = null
  subagentModel: string | null = null

  constructor(reading: Reading, hasMain: boolean) {
    this.reading = reading
    this.session = new Session(reading, CLAUDE_CODE_TOOLS)
    this.lineage = new ClaudeLineage(reading)
    this.#hasMain = hasMain
  }

  warnOfSubagents(): void {
    this.#started.warnOfUnread(
      this.reading,
      (name) => this.#chains.has(name),
      [...this.#chains.keys()].some((name) => name !== ''),
    )
  }

  record(record: Json, path: string): void {
    const { type } = record
    this.session.now = timeOf(record['timestamp'])
    this.reading.reply = null
    if (type === 'assistant' || type === 'user') this.#message(record, path, type)
    else if (type === 'system') this.#system(record, path)
    else if (type === 'attachment') this.#attachment(record, path)
    else if (type === 'result') this.#result(record, path)
    else if (type === 'progress') this.#progress(record, path)
    else if (type === 'queue-operation') {
      if (typeof record['content'] === 'string') this.queued.push({ text: record['content'], path: `${path}/content` })
    } else if (BOOKKEEPING.has(type)) this.reading.leaveOut(path)
    else this.reading.unreadRecord(path, 'type of record', type, record)
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
    this.session.now = timeOf(inner['timestamp']) ?? this.session.now
    if (type === 'assistant' || type === 'user') this.#message(inner, `${path}/data/message`, type)
    else this.reading.unreadRecord(`${path}/data/message`, 'type of record', type, inner)
  }

  #message(record: Json, path: string, type: 'assistant' | 'user'): void {
    const { message } = record
    this.reading.warnUnknownOnce(record, path, RECORD_FIELDS)
    if (!isRecord(message)) {
      this.reading.error(`${path}/message`, `must be an object, not ${typeName(message)}`)
      return
    }
    this.reading.warnUnknownOnce(message, `${path}/message`, MESSAGE_FIELDS)
    if (this.lineage.isRepeated(record, path)) {
      this.reading.leaveOut(path)
      return
    }
    this.lineage.follow(record, path)
    const subagent = subagentOf(record)
    const chain = this.#chain(subagent ?? '')
    const at = `${path}/message/content`
    if (type === 'assistant') this.#assistant(record, message, at, chain, subagent)
    else this.#user(record, message, at, chain, subagent)
  }

  #chain(name: string): Chain {
    let chain = this.#chains.get(name)
    if (chain === undefined) {
      chain = { reply: null }
      this.#chains.set(name, chain)
    }
    return chain
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
      reply = { id: id ?? '', request, step: this.session.open('agent', name), seen: new Map(), ended: false }
      chain.reply = id === null ? null : reply
    }
    const current = reply
    const key = [subagent ?? '', id, request ?? ''].join(' ')
    this.reading.reply = id === null || synthetic ? null : { id: key, isNamed: true }
    readAssistant(this.session, message['content'], {
      path,
      synthetic,
      seen: current.seen,
      step: (afterResult) => {
        if (afterResult) {
          current.step = this.session.open('agent', name)
          this.reading.reply = { id: `${key} from ${path}`, isNamed: true }
        }
        return current.step
      },
    })
    // A later record of this id is another reply once the calls of this reply are answered: some gateways give every reply the same id.
    if (!(message['stop_reason'] === null || message['stop_reason'] === undefined)) current.ended = true
  }

  #user(record: Json, message: Json, path: string, chain: Chain, subagent: string | null): void {
    const { content } = message
    const name = nameIn(subagent, asText(record['uuid']))
    const open: { step: OpenStep | null } = { step: null }
    const sink = this.#userSink(record, subagent, () => {
      open.step ??= this.session.open('other', name)
      chain.reply = null
      return open.step
    })
    if (!Array.isArray(content)) {
      readBlocks(this.reading, content, path, sink)
      return
    }
    for (const [block, at] of itemsIn(content, path)) {
      if (isRecord(block) && block['type'] === 'tool_result') {
        const { parts, tool, call } = this.session.output(block['tool_use_id'], at, name)
        settle(call, outcomeOfResult(tool, block, record))
        this.#started.note(tool, block, record, at)
        readBlocks(this.reading, block['content'], `${at}/content`, sinkTo(this.reading, parts, 'tool_output', tool))
        open.step = null
      } else readBlock(this.reading, block, at, sink)
    }
  }

  #userSink(record: Json, subagent: string | null, step: () => OpenStep): ContentSink {
    const { isCompactSummary, isMeta, isSynthetic } = record
    const isTask = subagent !== null && this.#hasMain
    const pick = (text: string): ContentSink => {
      const { parts } = step()
      // The model wrote the summary, and the agent wrote the task of its subagent: neither text is the user's request.
      if (isCompactSummary === true || isSummary(text))
        return sinkTo(this.reading, parts, 'agent_message', 'compact_summary')
      if (isMeta === true || isSynthetic === true || isHarnessText(text))
        return sinkTo(this.reading, parts, 'system', 'message')
      if (isTask) return sinkTo(this.reading, parts, 'agent_message', 'subagent_task')
      this.userTexts.add(text)
      return sinkTo(this.reading, parts, 'user', 'message')
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
    else if (subtype === 'permission_denied') this.session.settle(record['tool_use_id'], 'rejected')
    if (typeof content === 'string')
      this.session.note('system', content, `${path}/content`, asText(subtype) ?? 'system')
    else if (SYSTEM_BOOKKEEPING.has(subtype)) this.reading.leaveOut(path)
    else this.reading.unreadRecord(path, 'subtype of system record', subtype, { ...record, type: subtype })
  }

  /** Reads an attachment: the files, reminders and memory that the harness adds for the model to read. */
  #attachment(record: Json, path: string): void {
    const attachment = asRecord(record['attachment'])
    const { type, prompt, ...rest } = attachment
    const at = `${path}/attachment`
    const step = this.session.open('other', asText(record['uuid']))
    const name = typeof type === 'string' ? type : 'attachment'
    if (type === 'queued_command') {
      readBlocks(this.reading, prompt, `${at}/prompt`, sinkTo(this.reading, step.parts, 'user', 'message'))
      if (typeof prompt === 'string') this.userTexts.add(prompt)
    } else
      addLeaves(sinkTo(this.reading, step.parts, 'system', name), prompt === undefined ? rest : { prompt, ...rest }, at)
    if (!isRecord(record['attachment']))
      this.reading.error(at, `must be an object, not ${typeName(record['attachment'])}`)
  }

  /** Reads the last record of a stream, which repeats the agent's last message or explains its absence. */
  #result(record: Json, path: string): void {
    const { result, errors, is_error: isError, permission_denials: denials } = record
    for (const denial of asList(denials)) this.session.settle(asRecord(denial)['tool_use_id'], 'rejected')
    const { last } = this.session
    if (typeof result === 'string' && last?.parts.at(-1)?.text !== result)
      this.session.note(isError === true ? 'system' : 'agent_message', result, `${path}/result`, 'result')
    for (const [text, at] of itemsIn(errors, `${path}/errors`)) this.session.note('system', text, at, 'error')
  }
}

/** Names the subagent of a record; null for the main agent. */
export function subagentOf({ isSidechain, agentId, parent_tool_use_id: call }: Json): string | null {
  if (isSidechain !== true && typeof call !== 'string') return null
  return asText(agentId) ?? asText(call) ?? 'sidechain'
}

const nameIn = (subagent: string | null, name: string | null): string | null =>
  subagent === null ? name : `${subagent}#${name ?? ''}`

/** Types of records without anything that the agent said, did or saw. */
const BOOKKEEPING: ReadonlySet<unknown> = wordSet(`summary last-prompt file-history-snapshot file-history-delta
  ai-title custom-title agent-name agent-color agent-setting tag mode permission-mode pr-link worktree-state
  content-replacement attribution-snapshot bridge-session task-summary speculation-accept started rate_limit_event
  stream_event tool_progress tool_use_summary keep_alive control_request control_response control_cancel_request
  auth_status prompt_suggestion`)

/** Subtypes of `system` records without a text. */
const SYSTEM_BOOKKEEPING: ReadonlySet<unknown> = wordSet(`init compact_boundary microcompact_boundary
  turn_duration stop_hook_summary api_error api_retry api_metrics status hook_started hook_progress hook_response
  task_started task_progress task_updated task_notification files_persisted session_state_changed away_summary
  memory_saved agents_killed bridge_status informational local_command_output thinking_tokens permission_denied`)

/** Members of a record beside its message. `toolUseResult` is the harness's own copy of a result, which the agent did not see. */
const RECORD_FIELDS: ReadonlySet<string> = wordSet(`type subtype message uuid parentUuid logicalParentUuid
  parent_tool_use_id timestamp level isSidechain isMeta isCompactSummary isVisibleInTranscriptOnly isApiErrorMessage
  isSynthetic isReplay isVirtual userType sessionId session_id version gitBranch cwd entrypoint requestId request_id
  promptId promptSource slug agentId agentName teamName agentColor toolUseResult tool_use_result toolUseID
  parentToolUseID mcpMeta sourceToolAssistantUUID sourceToolUseID permissionMode permission_mode todos
  thinkingMetadata imagePasteIds origin planContent error errorDetails apiErrorStatus forkedFrom attributionAgent
  attributionSkill interruptedMessageId queuePriority effort caller toolDenialKind session_kind sessionKind data`)

const MESSAGE_FIELDS: ReadonlySet<string> = wordSet(`id type role model content stop_reason stop_sequence
  stop_details usage container context_management diagnostics`)

interface First {
  readonly path: string
  readonly record: Json
  /** The message as JSON text, made at the first repetition. */
  text: string | null
}

/**
 * Finds the copies among a session's records, and the places where a conversation was wound back: `parentUuid` makes the records a tree.
 */
class ClaudeLineage {
  readonly #reading: Reading
  readonly #firsts = new Map<string, First>()
  readonly #followers = new Map<string, string>()

  constructor(reading: Reading) {
    this.#reading = reading
  }

  /** Tells whether an earlier record has the same id and the same message. */
  isRepeated(record: Json, path: string): boolean {
    const uuid = asText(record['uuid'])
    if (uuid === null) return false
    const first = this.#firsts.get(uuid)
    if (first === undefined) {
      this.#firsts.set(uuid, { path, record, text: null })
      return false
    }
    first.text ??= JSON.stringify(first.record['message'])
    if (first.text === JSON.stringify(record['message'])) {
      this.#reading.warnOnce(path, 'a copy of an earlier record; shown once')
      return true
    }
    this.#reading.warn(`${path}/uuid`, `${first.path} has this uuid as well, with another message; both are shown`)
    return false
  }

  /**
   * Warns of two prompts or replies with the same parent: they are two branches, and the model that wrote the second did not see the first.
   */
  follow(record: Json, path: string): void {
    const parent = asText(record['parentUuid'])
    if (parent === null || record['isSidechain'] === true || isResult(record)) return
    const key = (isRecord(record['message']) ? asText(record['message']['id']) : null) ?? asText(record['uuid']) ?? path
    const other = this.#followers.get(parent)
    if (other === undefined) this.#followers.set(parent, key)
    else if (other !== key)
      this.#reading.warn(`${path}/parentUuid`, 'the conversation was wound back to here; both branches are shown')
  }
}

const isResult = ({ message }: Json): boolean =>
  isRecord(message) &&
  Array.isArray(message['content']) &&
  message['content'].some((block) => isRecord(block) && block['type'] === 'tool_result')

/** Tools that start other agents. */
const DELEGATES: ReadonlySet<string> = new Set(['Agent', 'Task', 'Workflow'])

/**
 * The subagents that ran, from the harness's notes at the results of their calls: newer versions write each subagent's session to a
 * separate file.
 */
class StartedSubagents {
  readonly #started: { readonly agent: string | null; readonly call: string; readonly path: string }[] = []

  note(tool: string, block: Json, record: Json, path: string): void {
    const { agentId, runId, taskId } = asRecord(record['toolUseResult'] ?? record['tool_use_result'])
    const agent = asText(agentId) ?? asText(runId) ?? asText(taskId)
    if (DELEGATES.has(tool) && (agent !== null || block['is_error'] !== true))
      this.#started.push({ agent, call: asText(block['tool_use_id']) ?? '', path })
  }

  /** Warns of subagents whose records are missing. `isRead`: tells whether the document has records of a subagent, by its name or call. */
  warnOfUnread(reading: Reading, isRead: (name: string) => boolean, hasAny: boolean): void {
    // Without a name of its own, a subagent is among those of the file, if there are any.
    for (const { agent, call, path } of this.#started)
      if (agent === null ? !isRead(call) && !hasAny : !isRead(agent) && !isRead(call))
        reading.unread(
          path,
          `what the subagent ${cutName(agent ?? call)} did stands in another file, not read here`,
          true,
        )
  }
}
