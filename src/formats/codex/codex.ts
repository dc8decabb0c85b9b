import { wordSet } from '../../domain/words.ts'
import {
  idText,
  isRecord,
  itemsIn,
  type Json,
  objectsIn,
  pointer,
  type Reading,
  timeOf,
  typeName,
} from '../common/reading.ts'
import { asList, asRecord, asText, Session, settle, sinkTo } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import type { Format, ReadDocument } from '../format.ts'
import { CODEX_TOOLS } from '../tools/harness-tools.ts'
import { own } from '../tools/tool-table.ts'
import { changesOf, readEvent, SCRIPT } from './codex-events.ts'
import { readAnswer, readItem, type Shown, shownBy } from './codex-items.ts'
import { outcomeOfItem } from './codex-outcomes.ts'

/** The forms of an output beside the form that is read. */
const CODEX_ASIDES: ReadonlySet<string> = wordSet('stdout stderr aggregated_output formatted_output parsed_cmd')

/**
 * The format of codex: rollouts (`{timestamp, type, payload}`), the older rollouts whose lines are the items, the oldest rollouts, one
 * object `{session, items}`, and the output of `codex exec --json`, old and new.
 *
 * One step holds the agent's items up to the next result, with the results that arrive while nothing else happens.
 */
export const CODEX: Format = { name: 'codex', recognizes: recognizesCodex, read: readCodex, asides: CODEX_ASIDES }

const ENVELOPES: ReadonlySet<unknown> = wordSet(`session_meta response_item event_msg turn_context compacted`)
/** Recognizes a line of a rollout; an envelope of a later version, too. */
const isEnvelope = ({ type, payload, timestamp }: Json): boolean =>
  ENVELOPES.has(type) || (typeof type === 'string' && isRecord(payload) && timestamp !== undefined)

const STREAM_BOOKKEEPING: ReadonlySet<unknown> = new Set(['thread.started', 'turn.started', 'turn.completed'])
const STREAM_ITEMS: ReadonlySet<unknown> = new Set(['item.started', 'item.updated', 'item.completed'])

function recognizesCodex(document: Json): boolean {
  const { records, session, items } = document
  if (isRecord(session) && Array.isArray(items)) return items.some((item) => isRecord(item) && isItem(item))
  if (!Array.isArray(records)) return false
  if (records.some((record) => isRecord(record) && isTelling(record))) return true
  return isHead(records[0]) && records.some((record) => isRecord(record) && isItem(record))
}

function isTelling(record: Json): boolean {
  const { type, payload, item, msg, id } = record
  if (ENVELOPES.has(type)) return isRecord(payload)
  if (type === 'thread.started') return 'thread_id' in record
  if (STREAM_ITEMS.has(type)) return isRecord(item)
  if (record['record_type'] === 'state') return true
  return isRecord(msg) && typeof msg['type'] === 'string' && typeof id === 'string' && !('role' in record)
}

/** Recognizes the first line of a rollout without envelopes. */
const isHead = (record: unknown): boolean =>
  isRecord(record) && typeof record['id'] === 'string' && 'timestamp' in record && !('type' in record)

const isItem = ({ type, role, content }: Json): boolean =>
  type === 'message' ? typeof role === 'string' && Array.isArray(content) : type === 'reasoning' || isCallType(type)

const isCallType = (type: unknown): boolean =>
  typeof type === 'string' && (type.endsWith('_call') || type.endsWith('_call_output'))

class CodexReader {
  readonly session: Session
  readonly #shown: Shown
  readonly #stream: CodexStream
  model: string | null = null

  constructor(reading: Reading, shown: Shown) {
    this.session = new Session(reading, CODEX_TOOLS)
    this.#shown = shown
    this.#stream = new CodexStream(this.session)
  }

  record(record: Json, path: string): void {
    const { type, msg } = record
    this.session.now = timeOf(record['timestamp'])
    if (isEnvelope(record)) this.#envelope(record, path)
    else if (STREAM_ITEMS.has(type)) this.#stream.item(record, path)
    else if (type === 'turn.failed' || type === 'error') this.#failure(record, path)
    else if (STREAM_BOOKKEEPING.has(type) || record['record_type'] === 'state') this.session.reading.leaveOut(path)
    else if (isRecord(msg)) this.#event(msg, `${path}/msg`)
    else if (type === undefined) this.#head(record, path)
    else readItem(this.session, record, path, this.#shown)
  }

  #envelope(record: Json, path: string): void {
    const at = `${path}/payload`
    const { type, payload } = record
    if (!isRecord(payload)) this.session.reading.error(at, `must be an object, not ${typeName(payload)}`)
    else if (type === 'response_item') readItem(this.session, payload, at, this.#shown)
    else if (type === 'event_msg') this.#event(payload, at)
    else if (type === 'turn_context') {
      this.model ??= asText(payload['model'])
      this.session.reading.leaveOut(at)
    } else if (type === 'compacted') this.#compacted(payload, at)
    else if (type === 'session_meta') this.#head(payload, at)
    else this.session.reading.unreadRecord(path, 'type of record', type, record)
  }

  /** Reads the head of a rollout: the instructions to the model and the prompt. */
  #head(head: Json, path: string): void {
    const { instructions, base_instructions: base, prompt } = head
    const fields = ['id', 'session_id', 'instructions', 'base_instructions', 'prompt', 'model', 'provider', 'workdir']
    if (!fields.some((key) => key in head)) {
      this.session.reading.unreadRecord(path, 'type of record', head['type'], head)
      return
    }
    this.model ??= asText(head['model'])
    this.#once(instructions, `${path}/instructions`, 'system', 'instructions')
    this.#once(asRecord(base)['text'], `${path}/base_instructions/text`, 'system', 'instructions')
    this.#once(base, `${path}/base_instructions`, 'system', 'instructions')
    this.#once(prompt, `${path}/prompt`, 'user', 'message')
  }

  /** Adds a text once: a resumed session repeats its head. */
  #once(text: unknown, path: string, actor: 'system' | 'user' | 'agent_message', name: string): void {
    if (typeof text !== 'string' || this.#shown.texts.has(text)) return
    this.#shown.texts.add(text)
    this.session.note(actor, text, path, name)
  }

  #event(event: Json, path: string): void {
    if (event['type'] === 'session_configured') this.model ??= asText(event['model'])
    const { item } = event
    if (event['type'] === 'item_completed' && isRecord(item)) this.#stream.completed(item, path, this.#shown)
    else readEvent(this.session, event, path, this.#shown)
  }

  /** Reads a compaction: the model's summary, then the texts of the new history that the old history lacks. */
  #compacted(payload: Json, path: string): void {
    this.session.reading.isCompacted = true
    const summary = asText(payload['message'])
    this.#once(summary, `${path}/message`, 'agent_message', 'compact_summary')
    for (const [item, at] of itemsIn(payload['replacement_history'], `${path}/replacement_history`)) {
      for (const [piece, place] of itemsIn(asRecord(item)['content'], `${at}/content`)) {
        const text = asText(asRecord(piece)['text'])
        if (text === null || (summary !== null && text.endsWith(summary))) continue
        this.#once(text, `${place}/text`, 'system', 'compacted')
      }
    }
  }

  #failure(record: Json, path: string): void {
    const { error, message } = record
    if (isRecord(error)) this.session.note('system', error['message'], `${path}/error/message`, 'error')
    else if (typeof message === 'string') this.session.note('system', message, `${path}/message`, 'error')
    else this.session.note('system', error, `${path}/error`, 'error')
  }
}

function* itemsOf(records: readonly unknown[]): Iterable<Json> {
  for (const record of records)
    if (isRecord(record)) yield record['type'] === 'response_item' ? asRecord(record['payload']) : record
}

function readCodex(reading: Reading, document: Json): ReadDocument {
  const { session, items } = document
  const isOldest = isRecord(session) && Array.isArray(items)
  const [records, path] = isOldest ? [items, '/items'] : [asList(document['records']), '/records']
  const reader = new CodexReader(reading, shownBy(itemsOf(records)))
  if (isOldest) reader.record(session, '/session')
  for (const [record, at] of objectsIn(reading, records, path, 'a record')) reader.record(record, at)
  return { format: 'codex', agent: { name: 'codex', model: reader.model }, steps: reader.session.finish(path) }
}

/** Item types that are tool calls: the members with arguments, and the members with results. */
const TOOLS: Readonly<Record<string, readonly [acts: readonly string[], answers: readonly string[]]>> = {
  command_execution: [['command'], ['aggregated_output', 'exit_code']],
  exec_command: [['command'], ['aggregated_output', 'exit_code']],
  file_change: [['changes'], []],
  apply_patch: [['changes'], ['stdout', 'stderr']],
  mcp_tool_call: [
    ['server', 'tool', 'arguments'],
    ['result', 'error'],
  ],
  collab_tool_call: [['tool', 'prompt', 'receiver_thread_ids'], ['agents_states']],
  web_search: [['query', 'action'], []],
}

/** The tools of the item types in the events of a rollout (codex-rs/protocol/src/items.rs). */
const EVENT_ITEMS: Readonly<Record<string, string>> = {
  ...{ CommandExecution: 'exec_command', FileChange: 'apply_patch', McpToolCall: 'mcp_tool_call' },
  ...{ CollabAgentToolCall: 'collab_tool_call', WebSearch: 'web_search' },
}

type EventWords = readonly [actor: 'user' | 'agent_message' | 'agent_reasoning', ...fields: string[]]

const SAID: Readonly<Record<string, EventWords>> = {
  UserMessage: ['user', 'content'],
  AgentMessage: ['agent_message', 'content'],
  Reasoning: ['agent_reasoning', 'summary_text', 'raw_content'],
}

/** Item types without words or acts. */
const EVENT_NOTES: ReadonlySet<string> = new Set(['ContextCompaction', 'EnteredReviewMode', 'ExitedReviewMode'])

const nameOfWords = (actor: string): string => (actor === 'agent_reasoning' ? 'reasoning' : 'message')

/** Reads the output of `exec --json`: items that start, change and complete. */
class CodexStream {
  readonly #session: Session
  readonly #plans = new Map<string, string>()
  /** Arguments, as JSON, of the items that have started and not completed, by id. */
  readonly #acts = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  item(record: Json, path: string): void {
    const item = asRecord(record['item'])
    const at = `${path}/item`
    const type = asText(item['type']) ?? asText(item['item_type']) ?? ''
    const isDone = record['type'] === 'item.completed'
    if (type === 'agent_message' || type === 'assistant_message' || type === 'reasoning') {
      if (isDone) this.#say(type === 'reasoning' ? 'agent_reasoning' : 'agent_message', item['text'], `${at}/text`)
    } else if (type === 'error') this.#session.note('system', item['message'], `${at}/message`, 'error')
    else if (type === 'todo_list') this.#plan(item, at)
    else if (Object.hasOwn(TOOLS, type)) this.#tool(item, at, type, isDone)
    else if (isDone) this.#session.reading.unreadRecord(at, 'type of item', type === '' ? undefined : type, item)
  }

  /** Reads an item that an event of a rollout completes, unless an item of the model's reply shows the same content. */
  completed(item: Json, path: string, shown: Shown): void {
    const { reading } = this.#session
    const at = `${path}/item`
    const type = asText(item['type']) ?? ''
    const name = own(EVENT_ITEMS, type)
    const words = own(SAID, type)
    if (words !== undefined) this.#words(item, at, words, shown)
    else if (name === undefined && EVENT_NOTES.has(type)) {
      if (type === 'ContextCompaction') reading.isCompacted = true
      reading.leaveOut(at)
    } else if (name === undefined) reading.unreadRecord(at, 'type of item', type, item)
    else if (this.#session.hasCall(item['id'])) this.#session.settle(item['id'], outcomeOfItem(item))
    else this.#tool(item, at, name, true)
  }

  #words(item: Json, path: string, [actor, ...fields]: EventWords, shown: Shown): void {
    for (const field of fields)
      for (const [piece, at] of itemsIn(item[field], `${path}/${field}`)) {
        const [text, place] = isRecord(piece) ? [piece['text'], `${at}/text`] : [piece, at]
        if (typeof text !== 'string' || shown.texts.has(text) || shown.eventTexts.has(text)) continue
        shown.eventTexts.add(text)
        const step = actor === 'user' ? this.#session.open('other', null) : this.#session.turn(null)
        this.#session.reading.add(step.parts, { actor, text, path: place, name: nameOfWords(actor) })
      }
  }

  #say(actor: 'agent_message' | 'agent_reasoning', text: unknown, path: string): void {
    const { reading } = this.#session
    if (typeof text !== 'string') reading.error(path, 'must be text')
    else {
      reading.add(this.#session.turn(null).parts, { actor, text, path, name: nameOfWords(actor) })
    }
  }

  /** Shows a plan at each change of it. */
  #plan(item: Json, path: string): void {
    const id = idText(item['id'])
    const words = JSON.stringify(item['items'] ?? null)
    if (id !== null && this.#plans.get(id) === words) return
    if (id !== null) this.#plans.set(id, words)
    const namePath = 'type' in item ? `${path}/type` : `${path}/item_type`
    const step = this.#session.turn(null)
    addCall(this.#session, step.parts, {
      call: this.#session.call(step, null, 'todo_list'),
      args: item['items'],
      path: `${path}/items`,
      namePath,
    })
  }

  /** Places the call at the start of its item, and the output at its completion. */
  #tool(item: Json, path: string, type: string, isDone: boolean): void {
    const session = this.#session
    const own = idText(item['id'])
    const id = own === null ? `at ${path}` : `item ${own}`
    const [acts, answers] = TOOLS[type] ?? [[], []]
    const isSilent = acts.every((field) => item[field] === undefined || item[field] === '')
    // A search item starts before it holds its query.
    if (isSilent && !isDone) return
    if (this.#isNew(item, own, type, acts, isSilent)) this.#act(item, path, type, id)
    if (!isDone) return
    // A repeated id behind the completion belongs to another run and another call.
    if (own !== null) this.#acts.delete(own)
    if (session.isWaitingFor(SCRIPT)) {
      session.settle(id, outcomeOfItem(item))
      for (const field of answers) session.reading.leaveOut(`${path}/${field}`)
      return
    }
    const { parts, tool, call } = session.output(id, path, own)
    settle(call, outcomeOfItem(item))
    for (const field of answers) {
      const words = asText(asRecord(item['error'])['message'])
      if (field === 'error' && words !== null)
        sinkTo(session.reading, parts, 'tool_output', tool).text(words, `${path}/error/message`)
      else readAnswer(session.reading, parts, item[field], pointer(path, field), tool)
    }
  }

  /**
   * Tells whether an item shows new arguments: an item is repeated as it progresses, possibly with more arguments. An item without an id is
   * always new.
   */
  #isNew(item: Json, id: string | null, type: string, acts: readonly string[], isSilent: boolean): boolean {
    if (id === null) return true
    const words = JSON.stringify([type, ...acts.map((field) => item[field])])
    const shown = this.#acts.get(id)
    if (shown === words || (isSilent && shown !== undefined)) return false
    this.#acts.set(id, words)
    return true
  }

  #act(item: Json, path: string, type: string, id: string): void {
    const step = this.#session.turn(asText(item['id']))
    const call = this.#session.call(step, id, type)
    const before = step.parts.length
    for (const field of TOOLS[type]?.[0] ?? [])
      if (item[field] !== '')
        addCall(this.#session, step.parts, {
          call,
          field,
          args: item[field],
          path: `${path}/${field}`,
          namePath: null,
          ...(type === 'apply_patch' && changesOf(item[field])),
        })
    if (step.parts.length > before) return
    const at = 'type' in item ? `${path}/type` : `${path}/item_type`
    addCall(this.#session, step.parts, { call, args: null, path, namePath: at })
  }
}
