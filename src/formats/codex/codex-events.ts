import { wordSet } from '../../domain/words.ts'
import { idText, isAbsent, isRecord, type Json, pointer } from '../common/reading.ts'
import { asRecord, asText, keyOf, type Session } from '../common/session.ts'
import { addCall, type CallWords } from '../common/session-calls.ts'
import { own } from '../tools/tool-table.ts'
import { namesOf } from '../vocabulary.ts'
import { outcomeOfEvent, readAnswer, type Shown } from './codex-items.ts'

/** The event protocol of codex: events stand beside the items of a rollout, or alone in the output of old `exec --json`. */

type Words = readonly [field: string, actor: 'user' | 'agent_message' | 'agent_reasoning']

const WORDS: Readonly<Record<string, Words>> = {
  user_message: ['message', 'user'],
  agent_message: ['message', 'agent_message'],
  agent_reasoning: ['text', 'agent_reasoning'],
  agent_reasoning_raw_content: ['text', 'agent_reasoning'],
  task_complete: ['last_agent_message', 'agent_message'],
  turn_complete: ['last_agent_message', 'agent_message'],
}

/** A tool, or the event that begins its call, and members of an event. */
type CallForm = readonly [name: string, ...fields: string[]]

/** Calls by the type of the event that begins them: the tool, and the members that hold its arguments. */
const CALLS: Readonly<Record<string, CallForm>> = {
  exec_command_begin: ['exec_command', 'command', 'cwd'],
  patch_apply_begin: ['apply_patch', 'changes'],
  mcp_tool_call_begin: ['mcp_tool_call', 'invocation'],
  web_search_end: ['web_search', 'query', 'action'],
  view_image_tool_call: ['view_image', 'path'],
  dynamic_tool_call_request: ['dynamic_tool_call', 'tool', 'arguments'],
}

/** Answers by the type of the event that ends a call: the event that would begin it, and the members with the output. */
const ANSWERS: Readonly<Record<string, CallForm>> = {
  exec_command_end: ['exec_command_begin', 'formatted_output', 'aggregated_output', 'stdout', 'stderr'],
  patch_apply_end: ['patch_apply_begin', 'stdout', 'stderr'],
  mcp_tool_call_end: ['mcp_tool_call_begin', 'result'],
  dynamic_tool_call_response: ['dynamic_tool_call_request', 'content_items', 'error'],
}

/** Events that begin or end a turn: an abort ends only the calls of its own turn. */
const TURNS: ReadonlySet<string> = wordSet(`task_started turn_started user_message task_complete turn_complete`)

const NOTES: ReadonlySet<string> = new Set(['error', 'stream_error', 'warning'])

const BOOKKEEPING = namesOf('codex', 'left_out')

/** Reads one event, unless an item shows the same content. */
export function readEvent(session: Session, event: Json, path: string, shown: Shown): void {
  const { reading } = session
  const type = asText(event['type']) ?? ''
  const [words, call, answer] = [own(WORDS, type), own(CALLS, type), own(ANSWERS, type)]
  if (TURNS.has(type)) session.endTurn()
  if (words !== undefined) readWords(session, event, path, words, shown)
  else if (call !== undefined) readCallEvent(session, event, path, call, shown)
  else if (answer !== undefined) readAnswerEvent(session, event, path, answer, shown)
  else if (NOTES.has(type)) session.note('system', event['message'], `${path}/message`, type)
  else if (type === 'turn_aborted') session.settleOpen('interrupted')
  else if (type === 'thread_rolled_back') reading.warn(path, 'turns before this were rolled back; they are shown')
  else if (isAct(type)) warnAct(session, event, path, type)
  else if (isBookkeeping(type)) {
    if (type === 'context_compacted') reading.isCompacted = true
    reading.leaveOut(path)
  } else reading.unreadRecord(path, 'type of event', event['type'], event)
}

function readWords(session: Session, event: Json, path: string, [field, actor]: Words, shown: Shown): void {
  const text = event[field]
  if (typeof text !== 'string' || text === '' || shown.texts.has(text)) return
  // The end of a turn repeats its last message, which an event alone may have shown.
  if (asText(event['type'])?.endsWith('_complete') === true && shown.eventTexts.has(text)) return
  shown.eventTexts.add(text)
  const { parts } = actor === 'user' ? session.open('other', null) : session.turn(null)
  session.say(parts, actor, text, `${path}/${field}`)
}

const isBookkeeping = (type: string): boolean =>
  BOOKKEEPING.has(type) || type.startsWith('collab_') || type.startsWith('realtime_')

/** Tells whether an event stands for an act whose arguments only the item of the same call has. */
const isAct = (type: string): boolean =>
  type === 'terminal_interaction' ||
  type === 'image_generation_end' ||
  (type.startsWith('collab_') && type.endsWith('_begin'))

function warnAct(session: Session, event: Json, path: string, type: string): void {
  if (session.hasCall(event['call_id'])) return
  session.reading.countUnread(path, true)
  session.reading.warnOnce(path, `${type} without an item that tells the call; what the agent did is not shown`)
}

/** Tells whether an earlier event has the same id and content. An event without an id never repeats another event. */
function isRepeated(event: Json, id: string | null, fields: readonly string[], { events }: Shown): boolean {
  if (id === null) return false
  const words = JSON.stringify([event['type'], id, ...fields.map((field) => event[field])])
  if (events.has(words)) return true
  events.add(words)
  return false
}

function readCallEvent(session: Session, event: Json, path: string, [tool, ...fields]: CallForm, shown: Shown): void {
  const id = idText(event['call_id'])
  if (session.hasCall(id) || isRepeated(event, id, fields, shown)) {
    for (const field of fields) session.reading.leaveOut(`${path}/${field}`)
    return
  }
  const type = typeof event['type'] === 'string' ? event['type'] : tool
  const step = session.turn(null)
  // An item of the same id stays the call that is shown.
  const call = session.call(step, keyOf('event', id), tool)
  const about = { call, namePath: `${path}/type`, nameText: type }
  const present = fields.filter((field) => !isAbsent(event[field]))
  for (const field of present) {
    const args = event[field] === '' ? null : event[field]
    const kinds = field === 'changes' && changesOf(args)
    addCall(session, step.parts, { ...about, field, args, path: `${path}/${field}`, ...kinds })
  }
  if (present.length === 0) addCall(session, step.parts, { ...about, args: null, path })
}

/** Classifies the leaves of a patch by file: `{"/a": {"add": {"content"}}}` or `{"/a": {"type": "add", "content"}}`. A deletion writes nothing. */
export function changesOf(changes: unknown): Pick<CallWords, 'kindOf'> {
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

/** The tool whose argument is a script that calls other tools. */
export const SCRIPT = 'exec'

/** Reads the end event of a call whose item has no result: the session was cut, or only events tell the call. */
function readAnswerEvent(session: Session, event: Json, path: string, form: CallForm, shown: Shown): void {
  const [begins, ...fields] = form
  const id = idText(event['call_id'])
  const call = own(CALLS, begins)
  // Newer versions write no event at the beginning of a call.
  const eventKey = keyOf('event', id)
  if (id !== null && call !== undefined && !session.hasCall(id) && !session.hasCall(eventKey))
    readCallEvent(session, event, path, call, shown)
  // The end event tells the outcome more plainly than the text that the model saw.
  const key = session.hasCall(id) ? id : eventKey
  if (id !== null) session.settle(key, outcomeOfEvent(event))
  const { reading } = session
  // A script receives the output of its own calls, and the model sees the script's output.
  const isInScript = !session.hasCall(id) && session.isWaitingFor(SCRIPT)
  if ((id !== null && shown.answered.has(id)) || isInScript || isRepeated(event, id, fields, shown)) {
    for (const field of fields) reading.leaveOut(`${path}/${field}`)
    return
  }
  const { parts, tool } = session.output(key, path, null)
  for (const field of fields) {
    const before = parts.length
    readAnswer(reading, parts, event[field], `${path}/${field}`, tool)
    // The first form present is enough: later forms repeat it, except for the two streams of a command.
    if (parts.length > before && field !== 'stdout' && field !== 'stderr') return
  }
}
