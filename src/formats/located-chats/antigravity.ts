import { parseJson } from '../../domain/text/json.ts'
import { type ActOutcome, NOT_RUN } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { isRecord, itemsIn, type Json, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, asText } from '../common/session.ts'
import type { Format } from '../format.ts'
import { type LocatedMessage, readLocatedChat } from '../openai-chat/chat-steps.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { outcomeOfCode, outcomeOfResult } from '../tools/outcomes.ts'
import { own } from '../tools/tool-table.ts'
import { Located, type Tree } from '../traces/located.ts'

/** The format of Google Antigravity (`transcript.jsonl`, `transcript_full.jsonl`), a closed program, by observed files. */
export const ANTIGRAVITY: Format = {
  name: 'antigravity',
  recognizes: ({ records }) => asList(records).some(isMark),
  read: (reading, { records }) =>
    readLocatedChat(reading, '/records', { name: 'antigravity', model: null }, 'antigravity', (sink) =>
      new Transcript(reading).messages(sink, asList(records)),
    ),
}

const isMark = (record: unknown): boolean => {
  const { source, type } = asRecord(record)
  return typeof source === 'string' && (type === 'PLANNER_RESPONSE' || type === 'USER_INPUT')
}

const NOTES = wordSet('CONVERSATION_HISTORY KNOWLEDGE_ARTIFACTS EPHEMERAL_MESSAGE SYSTEM_MESSAGE SYSTEM')

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
const HEAD = 400
const TASK = 'Tool is running as a background task with task id: '
const CONTENT = ' content='
const FINISHED = `${CONTENT}Task id "`

const ANY = ''
const idOf = (call: number | null): string => (call === null ? 'none' : `call-${call}`)

type Message = Pick<LocatedMessage, 'tree' | 'outcome'>

class Transcript {
  readonly #reading: Reading
  /** The numbers of the calls of the last reply without a result, by the type of step that answers them. */
  #waiting = new Map<string, Set<number>>()
  /** Whether calls of an earlier reply still lack a result, though no user spoke: a result may be theirs. */
  #isBehind = false
  #isSpoken = false
  readonly #tasks = new Map<string, string>()
  readonly #seen = new Set<string>()
  #calls = 0
  #last = -1

  constructor(reading: Reading) {
    this.#reading = reading
  }

  *messages(sink: ChatSink, records: readonly unknown[]): Generator<LocatedMessage> {
    for (const [value, path] of itemsIn(records, '/records')) {
      const record = asRecord(value)
      const { type, source, created_at, step_index: index, truncated_fields } = record
      if (typeof type !== 'string' || typeof source !== 'string') {
        this.#reading.odd(path, 'a step of the transcript', value)
        continue
      }
      // Steps without a number may be equal and still be two.
      if (typeof index === 'number' && this.#isCopy(JSON.stringify(record), index, path)) continue
      const cut = asList(truncated_fields)
      if (cut.length > 0) {
        this.#reading.countUnread(`${path}/truncated_fields`, cut.includes('tool_calls'))
        const warning = 'the harness cut this step: transcript_full.jsonl beside the file has it whole'
        this.#reading.warnOnce(path, warning)
      }
      sink.now = timeOf(created_at)
      const message = this.#message(sink, new Located(record, path), type, source)
      if (message !== null)
        yield { path, name: typeof index === 'number' ? String(index) : null, at: sink.now, ...message }
    }
  }

  /** Recognizes a step that the file repeats, and warns where the session was wound back. */
  #isCopy(text: string, index: number, path: string): boolean {
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

  #message(sink: ChatSink, record: Located, type: string, source: string): Message | null {
    const content = record.member('content')
    if (source.startsWith('USER') || (type === 'USER_INPUT' && source !== 'MODEL')) {
      this.#isSpoken = true
      return { tree: { role: 'user', content } }
    }
    if (type === 'PLANNER_RESPONSE') return { tree: this.#reply(record) }
    if (type === 'ERROR_MESSAGE') return this.#error(record)
    if (NOTES.has(type)) return this.#note(sink, content)
    if (type === 'CHECKPOINT') {
      this.#reading.isCompacted = true
      sink.note('agent_message', content.value, content.path, 'compact_summary')
    } else if (source === 'MODEL' && (this.#isWaiting || content.value !== undefined))
      return this.#result(record, content, type)
    else this.#reading.unreadRecord(record.path, 'type of step', type, record.value)
    return null
  }

  get #isWaiting(): boolean {
    return [...this.#waiting.values()].some(({ size }) => size > 0)
  }

  /** Takes the first call that a step of the type can answer, else the first call of all; null: no call waits. */
  #take(type: string | null): number | null {
    const queues = type === null ? [...this.#waiting.values()] : [this.#waiting.get(type), this.#waiting.get(ANY)]
    const open = queues.flatMap((queue) => queue?.values().next().value ?? [])
    if (open.length === 0) return type === null ? null : this.#take(null)
    const first = Math.min(...open)
    for (const queue of queues) queue?.delete(first)
    return first
  }

  #reply(record: Located): Tree {
    this.#isBehind = this.#isWaiting && !this.#isSpoken
    this.#isSpoken = false
    this.#waiting = new Map()
    const made = record.member('tool_calls').items()
    const calls = made.map((call): Tree => {
      if (!isRecord(call.value)) return call
      const type = own(RESULT_TYPES, call.value['name']) ?? ANY
      this.#waiting.set(type, (this.#waiting.get(type) ?? new Set()).add(++this.#calls))
      const fields = { name: call.member('name'), arguments: plainArguments(call.member('args')) }
      return { id: idOf(this.#calls), function: fields }
    })
    const [content, reasoning_content] = [record.member('content'), record.member('thinking')]
    return { role: 'assistant', content, reasoning_content, ...(calls.length > 0 && { tool_calls: calls }) }
  }

  /** Reads an error: of the only call that waits, which was then never carried out, of one of several, or of the harness. */
  #error(record: Located): Message {
    const texts = [record.member('content'), record.member('error')].filter(({ value }) => typeof value === 'string')
    const [told, copy] = texts
    const isCopy = copy !== undefined && asText(told?.value)?.includes(asText(copy.value) ?? '') === true
    if (isCopy) this.#reading.leaveOut(copy.path)
    const content = (isCopy ? texts.slice(0, 1) : texts).map((text) => ({ type: 'text', text }))
    const call = this.#take(null)
    if (call === null) return { tree: { role: 'system', content } }
    const isUnread = told !== undefined && firstLine(told.value).startsWith('Error invalid tool call')
    const outcome = isUnread && !this.#isWaiting && !this.#isBehind ? 'rejected' : 'interrupted'
    return { tree: { role: 'tool', tool_call_id: idOf(call), content }, outcome }
  }

  /** Reads a note; the end of a background task is the output of its call. */
  #note(sink: ChatSink, content: Located): Message {
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
  #result({ value }: Located, content: Located, type: string): Message {
    const id = idOf(this.#take(type))
    const facts = asRecord(value)
    const line = firstLine(content.value)
    if (facts['status'] === 'RUNNING' && line.startsWith(TASK)) this.#tasks.set(line.slice(TASK.length), id)
    const tree = { role: 'tool', tool_call_id: id, content: content.value === undefined ? '' : content }
    return { tree, outcome: this.#isBehind ? 'interrupted' : outcomeOf(facts, content) }
  }
}

function outcomeOf({ status, type, exit_code }: Json, { value }: Located): ActOutcome | undefined {
  const code = typeof exit_code === 'number' ? exit_code : type === 'RUN_COMMAND' ? codeIn(asText(value) ?? '') : null
  if (code !== null) return outcomeOfCode(code)
  if (status !== 'DONE')
    return firstLine(value).includes(DENIED) ? 'rejected' : (own(STATUSES, status) ?? 'interrupted')
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

function firstLine(value: unknown): string {
  const lines = (asText(value) ?? '').slice(0, HEAD).split('\n')
  const isOwn = (line: string): boolean => line !== '' && !TIMES.some((time) => line.startsWith(time))
  return lines.map((line) => line.trim()).find(isOwn) ?? ''
}

const TIMES = ['Created At: ', 'Completed At: '] as const

/** Decodes arguments whose values are all JSON in strings, as `transcript.jsonl` writes them; a value that was cut stays as it is. */
function plainArguments(args: Located): Tree {
  const { record } = args
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
