import { idText, isRecord, itemsIn, type Json, pointer } from '../common/reading.ts'
import { asRecord, asText, keyOf, SessionReader } from '../common/session.ts'
import { addCall, ProceedingCalls } from '../common/session-calls.ts'
import { own } from '../tools/tool-table.ts'
import { changesOf, SCRIPT } from './codex-events.ts'
import { outcomeOfItem, readAnswer, type Shown } from './codex-items.ts'

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

/** Reads the items of `exec --json`, which start, change and complete. */
export abstract class CodexStream extends SessionReader {
  readonly #plans = new ProceedingCalls()
  /** The items that have started and not completed. */
  readonly #acts = new ProceedingCalls()

  protected streamItem(record: Json, path: string): void {
    const item = asRecord(record['item'])
    const at = `${path}/item`
    const type = asText(item['type']) ?? asText(item['item_type']) ?? ''
    const isDone = record['type'] === 'item.completed'
    if (type === 'agent_message' || type === 'assistant_message' || type === 'reasoning') {
      if (isDone) this.#say(type === 'reasoning' ? 'agent_reasoning' : 'agent_message', item['text'], `${at}/text`)
    } else if (type === 'error') this.note('system', item['message'], `${at}/message`, 'error')
    else if (type === 'todo_list') this.#plan(item, at)
    else if (Object.hasOwn(TOOLS, type)) this.#tool(item, at, type, isDone)
    else if (isDone) this.reading.unreadRecord(at, 'type of item', type === '' ? undefined : type, item)
  }

  /** Reads an item that an event of a rollout completes, unless an item of the model's reply shows the same content. */
  protected completedItem(item: Json, path: string, shown: Shown): void {
    const { reading } = this
    const at = `${path}/item`
    const type = asText(item['type']) ?? ''
    const name = own(EVENT_ITEMS, type)
    const words = own(SAID, type)
    if (words !== undefined) this.#words(item, at, words, shown)
    else if (name === undefined && EVENT_NOTES.has(type)) {
      if (type === 'ContextCompaction') reading.isCompacted = true
      reading.leaveOut(at)
    } else if (name === undefined) reading.unreadRecord(at, 'type of item', type, item)
    else if (this.hasCall(item['id'])) this.settle(item['id'], outcomeOfItem(item))
    else this.#tool(item, at, name, true)
  }

  #words(item: Json, path: string, [actor, ...fields]: EventWords, shown: Shown): void {
    for (const field of fields)
      for (const [piece, at] of itemsIn(item[field], `${path}/${field}`)) {
        const [text, place] = isRecord(piece) ? [piece['text'], `${at}/text`] : [piece, at]
        if (typeof text !== 'string' || shown.texts.has(text) || shown.eventTexts.has(text)) continue
        shown.eventTexts.add(text)
        const { parts } = actor === 'user' ? this.open('other', null) : this.turn(null)
        this.say(parts, actor, text, place)
      }
  }

  #say(actor: 'agent_message' | 'agent_reasoning', text: unknown, path: string): void {
    if (typeof text !== 'string') this.reading.odd(path, 'text', text)
    else this.sink(this.turn(null).parts, actor).text(text, path)
  }

  /** Shows a plan at each change of it. */
  #plan(item: Json, path: string): void {
    if (!this.#plans.isNew(idText(item['id']), item['items'])) return
    const step = this.turn(null)
    const call = this.call(step, null, 'todo_list')
    const namePath = typePath(item, path)
    addCall(this, step.parts, { call, args: item['items'], path: `${path}/items`, namePath })
  }

  /** Places the call at the start of its item, and the output at its completion. */
  #tool(item: Json, path: string, type: string, isDone: boolean): void {
    const own = idText(item['id'])
    const id = keyOf('item', own) ?? `at ${path}`
    const [acts, answers] = TOOLS[type] ?? [[], []]
    const isSilent = acts.every((field) => item[field] === undefined || item[field] === '')
    // A search item starts before it holds its query.
    if (isSilent && !isDone) return
    const words = [type, ...acts.map((field) => item[field])]
    if (this.#acts.isNew(own, words, isSilent)) this.#act(item, path, type, id)
    if (!isDone) return
    // A repeated id behind the completion belongs to another run and another call.
    this.#acts.end(own)
    if (this.isWaitingFor(SCRIPT)) {
      this.settle(id, outcomeOfItem(item))
      for (const field of answers) this.reading.leaveOut(`${path}/${field}`)
      return
    }
    const { parts, tool, sink } = this.answer(id, path, own, outcomeOfItem(item))
    for (const field of answers) {
      const words = asText(asRecord(item['error'])['message'])
      if (field === 'error' && words !== null) sink.text(words, `${path}/error/message`)
      else readAnswer(this.reading, parts, item[field], pointer(path, field), tool)
    }
  }

  #act(item: Json, path: string, type: string, id: string): void {
    const step = this.turn(asText(item['id']))
    const call = this.call(step, id, type)
    const before = step.parts.length
    for (const field of TOOLS[type]?.[0] ?? []) {
      const args = item[field]
      const kinds = type === 'apply_patch' && changesOf(args)
      if (args !== '')
        addCall(this, step.parts, { call, field, args, path: `${path}/${field}`, namePath: null, ...kinds })
    }
    if (step.parts.length > before) return
    addCall(this, step.parts, { call, args: null, path, namePath: typePath(item, path) })
  }
}

const typePath = (item: Json, path: string): string => ('type' in item ? `${path}/type` : `${path}/item_type`)
