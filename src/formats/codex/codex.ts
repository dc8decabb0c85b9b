import { wordSet } from '../../domain/words.ts'
import { leavesOf } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, itemsIn, type Json, pointer, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText, isEmpty, keyOf } from '../common/session.ts'
import { addCall, type CallWords, ProceedingCalls } from '../common/session-calls.ts'
import { SessionReader } from '../common/session-reader.ts'
import type { Format, ReadDocument } from '../format.ts'
import { named, own } from '../tools/tool-table.ts'
import { actionOf, changesOf, outcomeOfEnd, readAnswer, readItem, shownBy } from './codex-items.ts'

/** The format of codex: rollouts of all ages, and `codex exec --json`. A step holds the agent's items up to the next result. */
export const CODEX: Format = {
  name: 'codex',
  recognizes: recognizesCodex,
  read: (reading, document) => new CodexReader(reading, 'codex').readRollout(document),
}

const ENVELOPES: ReadonlySet<unknown> = wordSet(`session_meta response_item event_msg turn_context compacted`)
/** Recognizes a line of a rollout; an envelope of a later version, too. */
const isEnvelope = ({ type, payload, timestamp }: Json): boolean =>
  ENVELOPES.has(type) || (typeof type === 'string' && isRecord(payload) && timestamp !== undefined)

const STREAM_BOOKKEEPING: ReadonlySet<unknown> = new Set(['thread.started', 'turn.started', 'turn.completed'])
const STREAM_ITEMS: ReadonlySet<unknown> = new Set(['item.started', 'item.updated', 'item.completed'])

function recognizesCodex({ records, session, items }: Json): boolean {
  if (isRecord(session) && Array.isArray(items)) return items.map(asRecord).some(isItem)
  const lines = asList(records).map(asRecord)
  return lines.some(isTelling) || (isHead(lines[0]) && lines.some(isItem))
}

function isTelling(record: Json): boolean {
  const { type, payload, item, msg, id } = record
  if (ENVELOPES.has(type)) return isRecord(payload)
  if (type === 'thread.started') return 'thread_id' in record
  if (STREAM_ITEMS.has(type)) return isRecord(item)
  if (record['record_type'] === 'state') return true
  return isRecord(msg) && typeof msg['type'] === 'string' && typeof id === 'string' && !('role' in record)
}

const isHead = (record: Json = {}): boolean =>
  typeof record['id'] === 'string' && 'timestamp' in record && !('type' in record)

const isItem = ({ type, role, content }: Json): boolean =>
  type === 'message'
    ? typeof role === 'string' && Array.isArray(content)
    : type === 'reasoning' || (typeof type === 'string' && /_call(?:_output)?$/.test(type))

type Words = readonly [actor: 'user' | 'agent_message' | 'agent_reasoning', ...fields: string[]]

/** Texts by the type of an event (codex-rs/protocol/src/protocol.rs), of an item in an event (items.rs), or of an item of `exec --json`. */
const WORDS: Readonly<Record<string, Words>> = {
  user_message: ['user', 'message'],
  ...named(['agent_message', 'message', 'text'], 'agent_message assistant_message'),
  ...named(['agent_reasoning', 'text'], 'agent_reasoning agent_reasoning_raw_content reasoning'),
  ...named(['agent_message', 'last_agent_message'], 'task_complete turn_complete'),
  UserMessage: ['user', 'content'],
  ...{ AgentMessage: ['agent_message', 'content'], Plan: ['agent_message', 'text'] },
  Reasoning: ['agent_reasoning', 'summary_text', 'raw_content'],
}

/** A call that records tell as it proceeds: its tool, and the members with its arguments and its output. */
const form = (tool: string, args: string, ...answers: string[]) => ({ tool, args: args.split(' '), answers })
type CallForm = ReturnType<typeof form>
const run = (tool: string) => form(tool, 'command', 'aggregated_output', 'exit_code')
const exec = form('exec_command', 'command cwd', 'formatted_output', 'aggregated_output', 'stdout', 'stderr')
const dynamic = form('dynamic_tool_call', 'tool arguments', 'content_items', 'error')
const collab = form('collab_tool_call', 'tool prompt receiver_thread_ids', 'agents_states')

const SEARCHED = 'web_search_end'
const PLAN = 'todo_list'

/** Calls by the type of the events that begin and end them, of an item of `exec --json` (codex-rs/exec/src/exec_events.rs), or of an item in an event. */
const CALLS: Readonly<Record<string, CallForm>> = {
  ...named(exec, 'exec_command_begin exec_command_end'),
  ...named(form('apply_patch', 'changes', 'stdout', 'stderr'), 'patch_apply_begin patch_apply_end FileChange'),
  ...named(form('mcp_tool_call', 'invocation', 'result'), 'mcp_tool_call_begin mcp_tool_call_end'),
  ...named(dynamic, 'dynamic_tool_call_request dynamic_tool_call_response'),
  ...named(form('web_search', 'query action'), `${SEARCHED} web_search WebSearch`),
  ...named(form('mcp_tool_call', 'server tool arguments', 'result', 'error'), 'mcp_tool_call McpToolCall'),
  ...named(collab, 'collab_tool_call CollabAgentToolCall'),
  ...{ command_execution: run('command_execution'), CommandExecution: run('exec_command') },
  ...{ file_change: form('file_change', 'changes'), view_image_tool_call: form('view_image', 'path') },
  [PLAN]: form(PLAN, 'items'),
}

/** Events that begin or end a turn: an abort ends only the calls of its own turn. */
const TURNS: ReadonlySet<string> = wordSet(`task_started turn_started user_message task_complete turn_complete`)
const NOTES: ReadonlySet<string> = new Set(['error', 'stream_error', 'warning'])
const COMPACTIONS: ReadonlySet<string> = new Set(['ContextCompaction', 'context_compacted'])
const SCRIPT = 'exec'

/** A record beside the items of the model's replies: an event (also of old `exec --json`), an item of the stream, or one that an event completes. */
interface Told {
  readonly record: Json
  readonly path: string
  readonly type: string
  readonly kind: 'event' | 'item'
  readonly id: string | null
  readonly isDone: boolean
  /** True where an earlier record of another kind may have shown the texts. */
  readonly mayRepeat: boolean
}

class CodexReader extends SessionReader {
  #shown = shownBy([])
  readonly #calls = new ProceedingCalls()
  readonly #answers = new ProceedingCalls()

  readRollout({ session, items, records }: Json): ReadDocument {
    const isOldest = isRecord(session) && Array.isArray(items)
    const list = isOldest ? items : asList(records)
    const lines = list.map(asRecord)
    this.#shown = shownBy(lines.map((line) => (line['type'] === 'response_item' ? asRecord(line['payload']) : line)))
    if (isOldest) this.record(session, '/session')
    return this.readAll({ list, path: isOldest ? '/items' : '/records' })
  }

  override record(record: Json, path: string): void {
    const { type, msg } = record
    this.now = timeOf(record['timestamp'])
    if (isEnvelope(record)) this.#envelope(record, path)
    else if (STREAM_ITEMS.has(type))
      this.#item(asRecord(record['item']), `${path}/item`, type === 'item.completed', false)
    else if (type === 'turn.failed' || type === 'error') this.#failure(record, path, 'error')
    else if (STREAM_BOOKKEEPING.has(type) || record['record_type'] === 'state') this.reading.leaveOut(path)
    else if (isRecord(msg)) this.#event(msg, `${path}/msg`)
    else if (type === undefined) this.#head(record, path)
    else readItem(this, record, path)
  }

  #envelope(record: Json, path: string): void {
    const at = `${path}/payload`
    const { type, payload } = record
    if (!isRecord(payload)) this.reading.odd(at, 'an object', payload)
    else if (type === 'response_item') readItem(this, payload, at)
    else if (type === 'event_msg') this.#event(payload, at)
    else if (type === 'turn_context') {
      this.model ??= asText(payload['model'])
      this.reading.leaveOut(at)
    } else if (type === 'compacted') this.#compacted(payload, at)
    else if (type === 'session_meta') this.#head(payload, at)
    else if (type === 'world_state') this.#world(payload, at)
    else this.reading.unreadRecord(path, 'type of record', type, record)
  }

  /** Reads the state of the folder, of which the model is told the texts. */
  #world(payload: Json, path: string): void {
    for (const { text, pointer: at } of leavesOf(payload['state'], `${path}/state`))
      if (text.includes(' ')) this.#once(text, at, 'system', 'world_state')
    this.reading.leaveOut(path)
  }

  #head(head: Json, path: string): void {
    const { instructions, base_instructions: base, prompt } = head
    const fields = ['id', 'session_id', 'instructions', 'base_instructions', 'prompt', 'model', 'provider', 'workdir']
    if (!fields.some((key) => key in head)) this.reading.unreadRecord(path, 'type of record', head['type'], head)
    this.model ??= asText(head['model'])
    this.#once(instructions, `${path}/instructions`, 'system', 'instructions')
    this.#once(asRecord(base)['text'], `${path}/base_instructions/text`, 'system', 'instructions')
    this.#once(base, `${path}/base_instructions`, 'system', 'instructions')
    this.#once(prompt, `${path}/prompt`, 'user', 'message')
  }

  /** Adds a text once, because a resumed session repeats its head. */
  #once(text: unknown, path: string, actor: 'system' | 'user' | 'agent_message', name: string): void {
    if (typeof text !== 'string' || this.#shown.texts.has(text)) return
    this.#shown.texts.add(text)
    this.note(actor, text, path, name)
  }

  /** Reads a compaction: the model's summary, then the texts of the new history that the old history lacks. */
  #compacted(payload: Json, path: string): void {
    this.reading.isCompacted = true
    const summary = asText(payload['message'])
    this.#once(summary, `${path}/message`, 'agent_message', 'compact_summary')
    for (const [item, at] of itemsIn(payload['replacement_history'], `${path}/replacement_history`))
      for (const [piece, place] of itemsIn(asRecord(item)['content'], `${at}/content`)) {
        const text = asText(asRecord(piece)['text'])
        const isSummary = summary !== null && text?.endsWith(summary) === true
        if (!isSummary) this.#once(text, `${place}/text`, 'system', 'compacted')
      }
  }

  #event(record: Json, path: string): void {
    const type = asText(record['type']) ?? ''
    if (TURNS.has(type)) this.settleOpen('unknown')
    if (type === 'session_configured') this.model ??= asText(record['model'])
    if (type === 'item_completed' && isRecord(record['item'])) this.#item(record['item'], `${path}/item`, true, true)
    else {
      const isEnd = type.endsWith('_end') || type.endsWith('_response')
      // The end of a turn repeats its last message, which an event alone may have shown.
      const ends = { isDone: isEnd || own(WORDS, type) !== undefined, mayRepeat: type.endsWith('_complete') }
      const told: Told = { record, path, type, kind: 'event', id: idText(record['call_id']), ...ends }
      if (!this.#tell(told)) this.#otherEvent(told)
    }
  }

  #otherEvent({ record: event, path, type }: Told): void {
    const { reading } = this
    const isAct = type === 'terminal_interaction' || type === 'image_generation_end' || type.endsWith('_begin')
    if (type === 'turn_aborted') this.settleOpen('interrupted')
    else if (type === 'thread_rolled_back') reading.warn(path, 'turns before this were rolled back; they are shown')
    else if (isAct) {
      // Only the item of the same call has its arguments.
      if (this.hasCall(event['call_id'])) return
      reading.countUnread(path, true)
      reading.warnOnce(path, `${type} without an item that tells the call; what the agent did is not shown`)
    } else if (type.startsWith('collab_') || type.startsWith('realtime_')) this.leaveOut(event, path)
    else reading.unreadRecord(path, 'type of event', event['type'], event)
  }

  /** Reads an item, which starts, changes and completes. `isOfEvent`: an item of the model's reply may show the same content. */
  #item(record: Json, path: string, isDone: boolean, isOfEvent: boolean): void {
    const type = asText(record['type']) ?? asText(record['item_type']) ?? ''
    const id = idText(record['id'])
    if (isOfEvent && own(CALLS, type) !== undefined && this.hasCall(id)) this.settle(id, outcomeOfEnd(record))
    else if (!this.#tell({ record, path, type, kind: 'item', id, isDone, mayRepeat: isOfEvent }) && isDone)
      this.reading.unreadRecord(path, 'type of item', type === '' ? undefined : type, record)
  }

  /** Reads a record of a type that events and items share; false for another type. */
  #tell(told: Told): boolean {
    const { record, path, type, isDone } = told
    const [words, call] = [own(WORDS, type), own(CALLS, type)]
    if (words !== undefined) {
      if (isDone) this.#words(told, words)
    } else if (call !== undefined) this.#call(told, call)
    else if (NOTES.has(type)) this.#failure(record, path, type)
    else if (this.leftOut.has(type)) {
      if (COMPACTIONS.has(type)) this.reading.isCompacted = true
      this.leaveOut(record, path)
    } else return false
    return true
  }

  #words({ record, path, mayRepeat }: Told, [actor, ...fields]: Words): void {
    const { texts, eventTexts } = this.#shown
    for (const [text, at] of fields.flatMap((field) => this.#textsAt(record[field], `${path}/${field}`))) {
      if (typeof text !== 'string' || text === '' || texts.has(text) || (mayRepeat && eventTexts.has(text))) continue
      eventTexts.add(text)
      const { parts } = actor === 'user' ? this.open('other', null) : this.turn(null)
      this.say(parts, actor, text, at)
    }
  }

  #textsAt(value: unknown, path: string): readonly (readonly [text: unknown, path: string])[] {
    if (!isAbsent(value) && typeof value !== 'string' && !Array.isArray(value)) this.reading.odd(path, 'text', value)
    if (!Array.isArray(value)) return [[value, path]]
    return [...itemsIn(value, path)].map(([piece, at]) =>
      isRecord(piece) ? [piece['text'], `${at}/text`] : [piece, at],
    )
  }

  #failure({ error, message }: Json, path: string, name: string): void {
    const [words, place] = typeof message === 'string' ? [message, 'message'] : [error, 'error']
    if (isRecord(words)) this.note('system', words['message'], `${path}/error/message`, name)
    else this.note('system', words, `${path}/${place}`, name)
  }

  /** Places a call at the first record that tells its arguments, and its output at the record that tells its end. */
  #call(told: Told, form: CallForm): void {
    const { record, path, type, kind, id } = told
    // A plan is shown at each change of it.
    const isDone = told.isDone && type !== PLAN && (kind === 'item' || form.answers.length > 0)
    const name = kind === 'event' || type === PLAN ? null : id
    // An item of the model's reply with this id is the call that is shown.
    const isSearch = type === SEARCHED && this.#shown.texts.has(actionOf(record))
    const isItems = kind === 'event' && (this.hasCall(id) || isSearch)
    const key = isItems ? id : (keyOf(kind, id) ?? (kind === 'item' ? `at ${path}` : null))
    const isSilent = form.args.every((field) => isAbsent(record[field]) || record[field] === '')
    // A search item starts before it holds its query.
    if (isSilent && !isDone && kind === 'item') return
    const args = [form.tool, ...form.args.map((field) => record[field])]
    const isNameless = kind === 'event' && id === null && isDone
    if (isItems || isNameless || !this.#calls.isNew(id, args, isSilent)) this.#leaveOutAll(told, form.args)
    else this.#add(told, form, this.call(this.turn(name), key, form.tool))
    if (isDone) this.#end(told, form, { key, name, isItems })
  }

  #leaveOutAll({ path }: Told, fields: readonly string[]): void {
    for (const field of fields) this.reading.leaveOut(pointer(path, field))
  }

  #end(told: Told, form: CallForm, call: { key: string | null; name: string | null; isItems: boolean }): void {
    const { record, path, kind, id } = told
    // The end tells the outcome more plainly than the text that the model saw.
    this.settle(call.key, outcomeOfEnd(record))
    const answers = form.answers.map((field) => record[field])
    const isNew = this.#answers.isNew(id, answers)
    if (kind === 'item') {
      // A repeated id behind the completion belongs to another run and another call.
      this.#calls.end(id)
      this.#answers.end(id)
    }
    // A script receives the output of its own calls, and the model sees the script's output.
    const isInScript = !call.isItems && this.isWaitingFor(SCRIPT)
    const isAnswered = kind === 'event' && id !== null && this.#shown.answered.has(id)
    if (!isNew || isInScript || isAnswered) this.#leaveOutAll(told, form.answers)
    else this.#answer(told, form, this.output(call.key, path, call.name))
  }

  #add({ record, path, type }: Told, { args: fields }: CallForm, call: CallWords['call']): void {
    const { parts } = this.turn(null)
    const before = parts.length
    const place = { call, namePath: `${path}/${'type' in record ? 'type' : 'item_type'}`, nameText: type }
    for (const field of fields) {
      const args = record[field]
      if (isAbsent(args) || args === '' || isEmpty(args)) continue
      const kinds = field === 'changes' ? changesOf(args) : {}
      addCall(this, parts, { ...place, field, args, path: `${path}/${field}`, ...kinds })
    }
    if (parts.length === before) addCall(this, parts, { ...place, args: null, path })
  }

  /** Adds the output. Its forms repeat each other, but for the two streams of a command and its exit code. */
  #answer({ record, path }: Told, { answers }: CallForm, { parts, tool }: ReturnType<SessionReader['output']>): void {
    const words = asText(asRecord(record['error'])['message'])
    let shown = ''
    for (const field of answers) {
      const isOwn = field === 'exit_code' || field === (shown === 'stdout' ? 'stderr' : 'error')
      if (shown !== '' && !isOwn) continue
      const before = parts.length
      if (field === 'error' && words !== null) this.say(parts, 'tool_output', words, `${path}/error/message`, tool)
      else readAnswer(this.reading, parts, record[field], pointer(path, field), tool)
      if (parts.length > before) shown = field
    }
  }
}
