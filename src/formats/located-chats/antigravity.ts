import { parseJson } from '../../domain/text/json.ts'
import { type ActOutcome, NOT_RUN } from '../../domain/trajectory/trajectory.ts'
import { isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'
import type { Format, ReadDocument } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { outcomeOfCode, outcomeOfResult } from '../tools/outcomes.ts'
import { own } from '../tools/tool-table.ts'
import { Located, type Tree } from '../traces/located.ts'

/**
 * The format of Google Antigravity (IDE and `agy`): `brain/<id>/.system_generated/logs/transcript.jsonl` and `transcript_full.jsonl`. Source:
 * observed files, since the program is closed; the statuses are those of its language server (CORTEX_STEP_STATUS_*).
 */
export const ANTIGRAVITY: Format = {
  name: 'antigravity',
  recognizes: ({ records }) => asList(records).some(isMark),
  read: (reading, document) => new Transcript(reading).read(asList(document['records'])),
}

const isMark = (record: unknown): boolean => {
  const { source, type } = asRecord(record)
  return typeof source === 'string' && (type === 'PLANNER_RESPONSE' || type === 'USER_INPUT')
}

/** Notes of the harness for the model. */
const NOTES: ReadonlySet<unknown> = new Set([
  ...['CONVERSATION_HISTORY', 'KNOWLEDGE_ARTIFACTS', 'EPHEMERAL_MESSAGE', 'SYSTEM_MESSAGE', 'SYSTEM'],
])

/** The step types of the tools' results; other tools have `GENERIC`, or a type of their own. */
const RESULT_TYPES: Readonly<Record<string, string>> = {
  ...{ list_dir: 'LIST_DIRECTORY', view_file: 'VIEW_FILE', grep_search: 'GREP_SEARCH', run_command: 'RUN_COMMAND' },
  ...{ write_to_file: 'CODE_ACTION', replace_file_content: 'CODE_ACTION', multi_replace_file_content: 'CODE_ACTION' },
}

/** Outcomes by the status of a result. `DONE` decides none: its words do; other statuses leave open how far the call came. */
const STATUSES: Readonly<Record<string, ActOutcome>> = { ERROR: 'failed', INVALID: 'failed' }
const DENIED = 'permission check failed'
/** Beginnings of the line that the harness writes above a command's output, with the exit code; null: the code follows. */
const CODES: readonly (readonly [words: string, code: number | null])[] = [
  ['The command completed successfully.', 0],
  ['The command failed with exit code: ', null],
  ['The command exited with code ', null],
]
/** Bounds the head of a result that is searched for the harness's words, in UTF-16 units. */
const HEAD = 400
const TASK = 'Tool is running as a background task with task id: '
const CONTENT = ' content='
const FINISHED = `${CONTENT}Task id "`

/** The numbers of the calls of a reply without a result, in the order of the calls, by the type of step that answers them. */
class Waiting {
  readonly #queues = new Map<string, { readonly calls: number[]; next: number }>()
  /** The count of calls that wait. */
  size = 0

  add(call: number, tool: string): void {
    const type = own(RESULT_TYPES, tool) ?? ANY
    const queue = this.#queues.get(type) ?? { calls: [], next: 0 }
    this.#queues.set(type, queue)
    queue.calls.push(call)
    this.size++
  }

  /** Takes the first call that a step of the type can answer, else the first call of all; null: no call waits. */
  take(type: string | null): number | null {
    const queues = type === null ? [...this.#queues.values()] : [this.#queues.get(type), this.#queues.get(ANY)]
    const open = queues.flatMap((queue) => {
      const call = queue?.calls[queue.next]
      return queue === undefined || call === undefined ? [] : [{ queue, call }]
    })
    const [head, ...others] = open
    if (head === undefined) return type === null ? null : this.take(null)
    const first = others.reduce((best, other) => (other.call < best.call ? other : best), head)
    first.queue.next++
    this.size--
    return first.call
  }
}

/** The type of step of tools that have no type of their own. */
const ANY = ''

const idOf = (call: number): string => `call-${call}`

class Transcript {
  readonly #reading: Reading
  #waiting = new Waiting()
  /** Whether calls of an earlier reply still lack a result, though no user spoke: a result may be theirs. */
  #isBehind = false
  #isSpoken = false
  /** Ids of calls by the task in which they go on. */
  readonly #tasks = new Map<string, string>()
  readonly #seen = new Set<string>()
  #calls = 0
  #last = -1

  constructor(reading: Reading) {
    this.#reading = reading
  }

  read(records: readonly unknown[]): ReadDocument {
    const agent = { name: 'antigravity', model: null }
    return readLocatedChat(this.#reading, '/records', agent, 'antigravity', (sink) => this.#messages(sink, records))
  }

  *#messages(sink: ChatSink, records: readonly unknown[]): Generator<LocatedMessage> {
    for (const [value, path] of itemsIn(records, '/records')) {
      const record = asRecord(value)
      const { type, source, created_at, step_index } = record
      if (typeof type !== 'string' || typeof source !== 'string') {
        this.#reading.odd(path, 'a step of the transcript', value)
        continue
      }
      if (this.#isCopy(record, path)) continue
      this.#noteTruncation(record, path)
      const name = typeof step_index === 'number' ? String(step_index) : null
      const about = { path, name, at: timeOf(created_at) }
      sink.now = about.at
      for (const message of this.#messagesOf(sink, new Located(record, path), { type, source }))
        yield { ...about, ...message }
    }
  }

  /** Recognizes a step that the file holds a second time, and warns where the session was wound back. */
  #isCopy(record: Json, path: string): boolean {
    const { step_index: index } = record
    // Steps without a number may be equal and still be two.
    if (typeof index !== 'number') return false
    const text = JSON.stringify(record)
    if (this.#seen.has(text)) {
      this.#reading.warnOnce(path, 'a step that stands in the file before, word by word; shown once')
      this.#reading.leaveOut(path)
      return true
    }
    this.#seen.add(text)
    if (index <= this.#last)
      this.#reading.warnOnce(path, 'the session was wound back here: both branches are shown, in the order of the file')
    this.#last = index
    return false
  }

  /** Counts fields that the harness cut in `transcript.jsonl`; `transcript_full.jsonl` has them whole. */
  #noteTruncation({ truncated_fields: fields }: Json, path: string): void {
    if (asList(fields).length === 0) return
    this.#reading.countUnread(`${path}/truncated_fields`, asList(fields).includes('tool_calls'))
    this.#reading.warnOnce(path, 'the harness cut this step: transcript_full.jsonl beside the file has it whole')
  }

  *#messagesOf(
    sink: ChatSink,
    record: Located,
    { type, source }: { readonly type: string; readonly source: string },
  ): Generator<Pick<LocatedMessage, 'tree' | 'outcome'>> {
    const content = record.member('content')
    const isUsers = source.startsWith('USER') || (type === 'USER_INPUT' && source !== 'MODEL')
    if (isUsers) yield this.#user(content)
    else if (type === 'PLANNER_RESPONSE') yield { tree: this.#reply(record) }
    else if (type === 'CHECKPOINT') this.#compaction(sink, content)
    else if (type === 'ERROR_MESSAGE') yield this.#error(record)
    else if (NOTES.has(type)) yield this.#note(sink, content)
    else if (source !== 'MODEL') this.#reading.unreadRecord(record.path, 'type of step', type, record.value)
    else if (this.#waiting.size > 0) yield this.#result(record, type)
    else if (content.value !== undefined) yield { tree: { role: 'tool', tool_call_id: 'none', content } }
    else this.#reading.unreadRecord(record.path, 'type of step', type, record.value)
  }

  #user(content: Located): Pick<LocatedMessage, 'tree'> {
    this.#isSpoken = true
    return { tree: { role: 'user', content } }
  }

  #reply(record: Located): Tree {
    this.#isBehind = this.#waiting.size > 0 && !this.#isSpoken
    this.#isSpoken = false
    this.#waiting = new Waiting()
    const calls = record
      .member('tool_calls')
      .items()
      .map((call) => this.#call(call))
    const [content, reasoning_content] = [record.member('content'), record.member('thinking')]
    return { role: 'assistant', content, reasoning_content, ...(calls.length > 0 && { tool_calls: calls }) }
  }

  #call(call: Located): Tree {
    if (!isRecord(call.value)) return call
    const id = ++this.#calls
    this.#waiting.add(id, asText(call.value['name']) ?? '')
    return { id: idOf(id), function: { name: call.member('name'), arguments: plainArguments(call.member('args')) } }
  }

  #compaction(sink: ChatSink, { value, path }: Located): void {
    this.#reading.isCompacted = true
    sink.note('agent_message', value, path, 'compact_summary')
  }

  /** Reads an error: of the only call that waits, which was then never carried out, of one of several, or of the harness. */
  #error(record: Located): Pick<LocatedMessage, 'tree' | 'outcome'> {
    const texts = [record.member('content'), record.member('error')].filter(({ value }) => typeof value === 'string')
    const [told, copy] = texts
    const isCopy = copy !== undefined && asText(told?.value)?.includes(asText(copy.value) ?? '') === true
    if (isCopy) this.#reading.leaveOut(copy.path)
    const content = (isCopy ? texts.slice(0, 1) : texts).map((text) => ({ type: 'text', text }))
    const call = this.#waiting.take(null)
    if (call === null) return { tree: { role: 'system', content } }
    const isUnread = told !== undefined && firstLine(told.value).startsWith('Error invalid tool call')
    const outcome = isUnread && this.#waiting.size === 0 && !this.#isBehind ? 'rejected' : 'interrupted'
    return { tree: { role: 'tool', tool_call_id: idOf(call), content }, outcome }
  }

  /** Reads a note of the harness; the end of a background task is the output of its call. */
  #note(sink: ChatSink, content: Located): Pick<LocatedMessage, 'tree' | 'outcome'> {
    const text = asText(content.value) ?? ''
    const at = text.indexOf(CONTENT)
    const end = text.indexOf('"', at + FINISHED.length)
    const task = text.startsWith(FINISHED, at) && end !== -1 ? text.slice(at + FINISHED.length, end) : ''
    // A message that another agent sent may hold the same words.
    const id = text.slice(0, at).includes(`sender=${task} `) ? this.#tasks.get(task) : undefined
    if (id === undefined) return { tree: { role: 'system', content } }
    const code = codeIn(text.slice(text.indexOf('\n', end) + 1))
    sink.settle(id, code === null ? 'interrupted' : outcomeOfCode(code))
    return { tree: { role: 'tool', tool_call_id: id, content } }
  }

  /** Reads the result of the first waiting call whose tool has results of this type, else of the first waiting call. */
  #result(record: Located, type: string): Pick<LocatedMessage, 'tree' | 'outcome'> {
    const content = record.member('content')
    const call = this.#waiting.take(type)
    const id = call === null ? 'none' : idOf(call)
    const facts = asRecord(record.value)
    const line = firstLine(content.value)
    if (facts['status'] === 'RUNNING' && line.startsWith(TASK)) this.#tasks.set(line.slice(TASK.length), id)
    const tree = { role: 'tool', tool_call_id: id, content: content.value === undefined ? '' : content }
    return { tree, outcome: this.#isBehind ? 'interrupted' : outcomeOf(facts, content) }
  }
}

function outcomeOf({ status, type, exit_code }: Json, { value }: Located): ActOutcome | undefined {
  const code = typeof exit_code === 'number' ? exit_code : type === 'RUN_COMMAND' ? codeIn(asText(value) ?? '') : null
  if (code !== null) return outcomeOfCode(code)
  if (status !== 'DONE') {
    const outcome = (typeof status === 'string' ? own(STATUSES, status) : undefined) ?? 'interrupted'
    return firstLine(value).includes(DENIED) ? 'rejected' : outcome
  }
  return NOT_RUN.has(outcomeOfResult(null, asText(value) ?? '', null)) ? 'interrupted' : undefined
}

/** Returns the exit code in the first line of a command's result, which is the harness's; null without one. */
function codeIn(text: string): number | null {
  const line = firstLine(text)
  const [words = '', code = null] = CODES.find(([begin]) => line.startsWith(begin)) ?? []
  if (words === '' || code !== null) return code
  const told = Number.parseInt(line.slice(words.length), 10)
  return Number.isNaN(told) ? null : told
}

/** Returns the first line of a result behind its times, without the blanks around it. */
function firstLine(value: unknown): string {
  const lines = typeof value === 'string' ? value.slice(0, HEAD).split('\n') : []
  return (
    lines.map((line) => line.trim()).find((line) => line !== '' && !TIMES.some((time) => line.startsWith(time))) ?? ''
  )
}

const TIMES = ['Created At: ', 'Completed At: '] as const

/** Decodes arguments whose values are all JSON in strings, as `transcript.jsonl` writes them; a value that was cut stays as it is. */
function plainArguments(args: Located): Tree {
  const record = args.value
  if (!isRecord(record)) return args
  const values = Object.values(record)
  const isWritten = values.some((value) => typeof value === 'string' && value.startsWith('"'))
  if (!isWritten || !values.every((value) => typeof value === 'string' && isJsonText(value))) return args
  return Object.fromEntries(
    Object.keys(record).map((key): [string, Tree] => {
      const member = args.member(key)
      const value = parseJson(member.value as string)
      return [key, value === undefined ? member : new Located(value, `${member.path}#`)]
    }),
  )
}

const CUT = '<truncated '
const isJsonText = (text: string): boolean => parseJson(text) !== undefined || text.slice(-100).includes(CUT)
