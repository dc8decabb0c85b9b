import { wordSet } from '../../domain/words.ts'
import { idText, isAbsent, isRecord, itemsIn, type Json, pointer, type Reading } from '../common/reading.ts'
import { asRecord, asText, isEmpty, keyOf } from '../common/session.ts'
import { addCall, type CallWords, ProceedingCalls } from '../common/session-calls.ts'
import { SessionReader } from '../common/session-reader.ts'
import { named, own } from '../tools/tool-table.ts'
import { actionOf, outcomeOfEnd, readAnswer, type Shown } from './codex-items.ts'

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
interface CallForm {
  readonly tool: string
  readonly args: readonly string[]
  readonly answers: readonly string[]
}

const form = (tool: string, args: string, answers = ''): CallForm => ({
  ...{ tool, args: args.split(' '), answers: answers === '' ? [] : answers.split(' ') },
})

/** The event of a search. */
const SEARCHED = 'web_search_end'

/** Calls by the type of the events that begin and end them. */
const EVENTS: Readonly<Record<string, CallForm>> = {
  ...named(
    form('exec_command', 'command cwd', 'formatted_output aggregated_output stdout stderr'),
    'exec_command_begin exec_command_end',
  ),
  ...named(form('apply_patch', 'changes', 'stdout stderr'), 'patch_apply_begin patch_apply_end'),
  ...named(form('mcp_tool_call', 'invocation', 'result'), 'mcp_tool_call_begin mcp_tool_call_end'),
  ...named(
    form('dynamic_tool_call', 'tool arguments', 'content_items error'),
    'dynamic_tool_call_request dynamic_tool_call_response',
  ),
  [SEARCHED]: form('web_search', 'query action'),
  view_image_tool_call: form('view_image', 'path'),
}

/** The item that holds the agent's plan. */
const PLAN = 'todo_list'

const command = (tool: string) => form(tool, 'command', 'aggregated_output exit_code')
const mcp = form('mcp_tool_call', 'server tool arguments', 'result error')
const collab = form('collab_tool_call', 'tool prompt receiver_thread_ids', 'agents_states')
const search = form('web_search', 'query action')

/** Calls by the type of an item of `exec --json` (codex-rs/exec/src/exec_events.rs), or of an item in an event. */
const ITEMS: Readonly<Record<string, CallForm>> = {
  ...{ command_execution: command('command_execution'), CommandExecution: command('exec_command') },
  ...{ file_change: form('file_change', 'changes'), FileChange: form('apply_patch', 'changes', 'stdout stderr') },
  ...{ mcp_tool_call: mcp, McpToolCall: mcp, collab_tool_call: collab, CollabAgentToolCall: collab },
  ...{ web_search: search, WebSearch: search, [PLAN]: form(PLAN, 'items') },
}

/** Events that begin or end a turn: an abort ends only the calls of its own turn. */
const TURNS: ReadonlySet<string> = wordSet(`task_started turn_started user_message task_complete turn_complete`)
const NOTES: ReadonlySet<string> = new Set(['error', 'stream_error', 'warning'])
const COMPACTIONS: ReadonlySet<string> = new Set(['ContextCompaction', 'context_compacted'])
/** The tool whose argument is a script that calls other tools. */
const SCRIPT = 'exec'

/** The record of a call: an event, or an item, whose id no item of the model's reply has. */
interface CallRecord {
  readonly kind: 'event' | 'item'
  readonly id: string | null
  /** The name of a step that the record begins. */
  readonly name: string | null
  readonly isDone: boolean
}

/** Reads the records beside the items of the model's replies: the events of a rollout or of old `exec --json`, and the items of the new. */
export abstract class CodexEvents extends SessionReader {
  protected readonly shown: Shown
  /** The arguments and the outputs of the calls so far. */
  readonly #calls = new ProceedingCalls()
  readonly #answers = new ProceedingCalls()

  constructor(reading: Reading, shown: Shown) {
    super(reading, 'codex')
    this.shown = shown
  }

  /** Reads one event, unless an item shows the same content. */
  protected event(event: Json, path: string): void {
    const { reading } = this
    const type = asText(event['type']) ?? ''
    const [words, call] = [own(WORDS, type), own(EVENTS, type)]
    const isAct = type === 'terminal_interaction' || type === 'image_generation_end' || type.endsWith('_begin')
    if (TURNS.has(type)) this.endTurn()
    if (type === 'session_configured') this.model ??= asText(event['model'])
    if (type === 'item_completed' && isRecord(event['item'])) this.#item(event['item'], `${path}/item`, true, true)
    // The end of a turn repeats its last message, which an event alone may have shown.
    else if (words !== undefined) this.#words(event, path, words, type.endsWith('_complete'))
    else if (call !== undefined) {
      const isDone = call.answers.length > 0 && (type.endsWith('_end') || type.endsWith('_response'))
      this.#call(event, path, type, call, { kind: 'event', id: idText(event['call_id']), name: null, isDone })
    } else if (NOTES.has(type)) this.failure(event, path, type)
    else if (type === 'turn_aborted') this.settleOpen('interrupted')
    else if (type === 'thread_rolled_back') reading.warn(path, 'turns before this were rolled back; they are shown')
    else if (this.leftOut.has(type)) this.#leaveOut(event, type, path)
    else if (isAct) {
      // Only the item of the same call has its arguments.
      if (this.hasCall(event['call_id'])) return
      reading.countUnread(path, true)
      reading.warnOnce(path, `${type} without an item that tells the call; what the agent did is not shown`)
    } else if (type.startsWith('collab_') || type.startsWith('realtime_')) this.leaveOut(event, path)
    else reading.unreadRecord(path, 'type of event', event['type'], event)
  }

  /** Reads an item of `exec --json`, which starts, changes and completes. */
  protected streamItem(record: Json, path: string): void {
    this.#item(asRecord(record['item']), `${path}/item`, record['type'] === 'item.completed', false)
  }

  /** Reads an item. `isOfEvent`: an event of a rollout completes it, and an item of the model's reply may show the same content. */
  #item(item: Json, path: string, isDone: boolean, isOfEvent: boolean): void {
    const type = asText(item['type']) ?? asText(item['item_type']) ?? ''
    const [words, call] = [own(WORDS, type), own(ITEMS, type)]
    const id = idText(item['id'])
    if (words !== undefined) {
      if (isDone) this.#words(item, path, words, isOfEvent)
    } else if (type === 'error') this.failure(item, path, type)
    else if (this.leftOut.has(type)) this.#leaveOut(item, type, path)
    else if (call === undefined) {
      if (isDone) this.reading.unreadRecord(path, 'type of item', type === '' ? undefined : type, item)
    } else if (isOfEvent && this.hasCall(id)) this.settle(id, outcomeOfEnd(item))
    // A plan is shown at each change of it.
    else if (type === PLAN) this.#call(item, path, type, call, { kind: 'item', id, name: null, isDone: false })
    else this.#call(item, path, type, call, { kind: 'item', id, name: id, isDone })
  }

  #leaveOut(record: Json, type: string, path: string): void {
    if (COMPACTIONS.has(type)) this.reading.isCompacted = true
    this.leaveOut(record, path)
  }

  /** Adds the texts of a record that no item shows. `mayRepeat`: an earlier event may have shown them. */
  #words(record: Json, path: string, [actor, ...fields]: Words, mayRepeat: boolean): void {
    const { texts, eventTexts } = this.shown
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

  protected failure({ error, message }: Json, path: string, name: string): void {
    const [words, place] = typeof message === 'string' ? [message, 'message'] : [error, 'error']
    if (isRecord(words)) this.note('system', words['message'], `${path}/error/message`, name)
    else this.note('system', words, `${path}/${place}`, name)
  }

  /** Places a call at the first record that tells its arguments, and its output at the record that tells its end. */
  #call(record: Json, path: string, type: string, form: CallForm, { kind, id, name, isDone }: CallRecord): void {
    const { reading, shown } = this
    // An item of the model's reply with this id is the call that is shown.
    const isItems = kind === 'event' && (this.hasCall(id) || (type === SEARCHED && shown.texts.has(actionOf(record))))
    const key = isItems ? id : (keyOf(kind, id) ?? (kind === 'item' ? `at ${path}` : null))
    const leaveOut = (fields: readonly string[]): void => {
      for (const field of fields) reading.leaveOut(pointer(path, field))
    }
    const isSilent = form.args.every((field) => isAbsent(record[field]) || record[field] === '')
    // A search item starts before it holds its query.
    if (isSilent && !isDone && kind === 'item') return
    const args = [form.tool, ...form.args.map((field) => record[field])]
    const isNameless = kind === 'event' && id === null && isDone
    if (isItems || isNameless || !this.#calls.isNew(id, args, isSilent)) leaveOut(form.args)
    else this.#add(record, path, type, form, this.call(this.turn(name), key, form.tool))
    if (!isDone) return
    // The end tells the outcome more plainly than the text that the model saw.
    this.settle(key, outcomeOfEnd(record))
    const isNew = this.#answers.isNew(
      id,
      form.answers.map((field) => record[field]),
    )
    if (kind === 'item') {
      // A repeated id behind the completion belongs to another run and another call.
      this.#calls.end(id)
      this.#answers.end(id)
    }
    // A script receives the output of its own calls, and the model sees the script's output.
    const isInScript = !isItems && this.isWaitingFor(SCRIPT)
    if (!isNew || isInScript || (kind === 'event' && id !== null && shown.answered.has(id))) leaveOut(form.answers)
    else this.#answer(record, path, form, this.output(key, path, name))
  }

  #add(record: Json, path: string, type: string, { args: fields }: CallForm, call: CallWords['call']): void {
    const { parts } = this.turn(null)
    const before = parts.length
    const namePath = `${path}/${'type' in record ? 'type' : 'item_type'}`
    for (const field of fields) {
      const args = record[field]
      const kinds = field === 'changes' && changesOf(args)
      if (isAbsent(args) || args === '' || isEmpty(args)) continue
      addCall(this, parts, { call, field, args, path: `${path}/${field}`, namePath, nameText: type, ...kinds })
    }
    if (parts.length === before) addCall(this, parts, { call, args: null, path, namePath, nameText: type })
  }

  /** Adds the output. Its forms repeat each other, but for the two streams of a command and its exit code. */
  #answer(
    record: Json,
    path: string,
    { answers }: CallForm,
    { parts, tool }: ReturnType<SessionReader['output']>,
  ): void {
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

/** Classifies the leaves of a patch by file: `{"/a": {"add": {"content"}}}` or `{"/a": {"type": "add", "content"}}`. A deletion writes nothing. */
function changesOf(changes: unknown): Pick<CallWords, 'kindOf'> {
  const isDeletion = (change: unknown): boolean =>
    isRecord(change) && ('delete' in change || change['type'] === 'delete')
  const files = Object.keys(asRecord(changes)).filter((file) => isDeletion(asRecord(changes)[file]))
  const isDeleted = new Set(files.map((file) => pointer('/changes', file)))
  return {
    kindOf({ pointer: at }) {
      const inner = at.slice(at.lastIndexOf('/changes/'))
      if (isDeleted.has(inner.split('/', 3).join('/'))) return 'removes'
      if (inner.endsWith('/unified_diff')) return 'patch'
      return inner.endsWith('/type') ? 'describes' : undefined
    },
  }
}
