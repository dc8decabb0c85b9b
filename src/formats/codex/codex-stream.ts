import { idText, type Json, pointer } from '../common/reading.ts'
import { asRecord, asText, type Session, settle, sinkTo, unreadRecord } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { readAnswer } from './codex-items.ts'
import { outcomeOfItem } from './codex-outcomes.ts'

/** Items that are tools: the members that say what is done, and those that answer. */
const TOOLS: Readonly<Record<string, readonly [acts: readonly string[], answers: readonly string[]]>> = {
  command_execution: [['command'], ['aggregated_output', 'exit_code']],
  file_change: [['changes'], []],
  mcp_tool_call: [
    ['server', 'tool', 'arguments'],
    ['result', 'error'],
  ],
  collab_tool_call: [['tool', 'prompt', 'receiver_thread_ids'], ['agents_states']],
  web_search: [['query', 'action'], []],
}

/** What `exec --json` prints: items that start, change and complete. */
export class CodexStream {
  readonly #session: Session
  readonly #plans = new Map<string, string>()
  /** What the items that have started and not completed do, by id. */
  readonly #acts = new Map<string, string>()

  constructor(session: Session) {
    this.#session = session
  }

  item(record: Json, path: string): void {
    const item = asRecord(record['item'])
    const at = `${path}/item`
    const type = asText(item['type']) ?? asText(item['item_type']) ?? ''
    const isDone = record['type'] === 'item.completed'
    const spoken: Readonly<Record<string, 'agent_message' | 'agent_reasoning'>> = {
      agent_message: 'agent_message',
      assistant_message: 'agent_message',
      reasoning: 'agent_reasoning',
    }
    const actor = Object.hasOwn(spoken, type) ? spoken[type] : undefined
    if (actor !== undefined) {
      if (isDone) this.#say(actor, item['text'], `${at}/text`)
    } else if (type === 'error') this.#session.note('system', item['message'], `${at}/message`, 'error')
    else if (type === 'todo_list') this.#plan(item, at)
    else if (Object.hasOwn(TOOLS, type)) this.#tool(item, at, type, isDone)
    else if (isDone) unreadRecord(this.#session.reading, at, 'type of item', type === '' ? undefined : type, item)
  }

  #say(actor: 'agent_message' | 'agent_reasoning', text: unknown, path: string): void {
    const { reading } = this.#session
    if (typeof text !== 'string') reading.error(path, 'must be text')
    else {
      const name = actor === 'agent_reasoning' ? 'reasoning' : 'message'
      reading.add(this.#session.turn(null).parts, { actor, text, path, name })
    }
  }

  /** A plan is told at every change of it. */
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

  /** The act stands where it started, its output where it was completed. */
  #tool(item: Json, path: string, type: string, isDone: boolean): void {
    const session = this.#session
    const own = idText(item['id'])
    const id = own === null ? `at ${path}` : `item ${own}`
    const [acts, answers] = TOOLS[type] ?? [[], []]
    const isSilent = acts.every((field) => item[field] === undefined || item[field] === '')
    // A search starts before it says what it looks for.
    if (isSilent && !isDone) return
    if (this.#isNew(item, own, type, acts, isSilent)) this.#act(item, path, type, id)
    if (!isDone) return
    // An id that comes again behind its end is another run's, and another act.
    if (own !== null) this.#acts.delete(own)
    const { parts, tool, call } = session.output(id, path, own)
    settle(call, outcomeOfItem(item))
    for (const field of answers) {
      const words = asText(asRecord(item['error'])['message'])
      if (field === 'error' && words !== null)
        sinkTo(session.reading, parts, 'tool_output', tool).text(words, `${path}/error/message`)
      else readAnswer(session.reading, parts, item[field], pointer(path, field), tool)
    }
  }

  /** An item comes again as it goes on, and may then say more. Without an id it repeats nothing. */
  #isNew(item: Json, id: string | null, type: string, acts: readonly string[], isSilent: boolean): boolean {
    if (id === null) return true
    const words = JSON.stringify([type, ...acts.map((field) => item[field])])
    const known = this.#acts.get(id)
    if (known === words || (isSilent && known !== undefined)) return false
    this.#acts.set(id, words)
    return true
  }

  #act(item: Json, path: string, type: string, id: string): void {
    const step = this.#session.turn(asText(item['id']))
    const call = this.#session.call(step, id, type)
    const before = step.parts.length
    for (const field of TOOLS[type]?.[0] ?? [])
      if (item[field] !== '')
        addCall(this.#session, step.parts, { call, field, args: item[field], path: `${path}/${field}`, namePath: null })
    if (step.parts.length > before) return
    const at = 'type' in item ? `${path}/type` : `${path}/item_type`
    addCall(this.#session, step.parts, { call, args: null, path, namePath: at })
  }
}
