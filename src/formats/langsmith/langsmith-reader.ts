import type { Reply } from '../../domain/trajectory/trajectory.ts'
import { decodeObject } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, pointer, type Reading } from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, sinkTo } from '../common/session.ts'
import { mayAct } from '../common/unread-acts.ts'
import { Dialogue, outcomeOfOutput } from '../dialogue/dialogue.ts'
import type { OpenMessage } from '../langchain/langchain-form.ts'
import { modelOfMessage, readLangChainMessage } from '../langchain/langchain-message.ts'
import { differs } from '../traces/message-key.ts'
import { messagesOf, type Payload, type PlacedRun, payloadOf, replyOf } from './runs.ts'

/** Members of a payload in which the messages may be. */
const STATES: readonly string[] = ['messages', 'input', 'output', 'state']

/** A run of a tool that has begun. */
interface OpenTool {
  readonly id: unknown
  readonly placed: PlacedRun
}

/** The steps of a trace: what the models were told and said, and what the tools did. */
export class LangSmithReader {
  readonly dialogue: Dialogue
  model: string | null = null
  readonly #reading: Reading
  readonly #threads = new Threads()
  /** Calls whose answer a model was given: shown there. */
  readonly #told: ReadonlySet<string>
  /** Calls that no run of a tool was matched with, by the tool's name. */
  readonly #waiting = new Map<string, { readonly ids: string[]; next: number }>()
  readonly #matched = new Set<string>()
  /** What the calls of the models hold, by their ids. */
  readonly #given = new Map<string, unknown>()
  readonly #errors = new Set<string>()
  /** The answer of the last call of a model: a tool that no call is known of may have been called in it. */
  #reply: Reply | null = null

  constructor(reading: Reading, runs: readonly PlacedRun[]) {
    this.#reading = reading
    this.dialogue = new Dialogue(reading)
    this.#told = new Set(runs.flatMap((placed) => (placed.run['run_type'] === 'llm' ? answeredIn(placed) : [])))
  }

  /** A call of a model: what it was told that no earlier one was, and its answer. */
  llm(placed: PlacedRun): void {
    const { run, path, start } = placed
    this.dialogue.session.now = start
    this.model ??= asText(asRecord(asRecord(run['extra'])['metadata'])['ls_model_name'])
    const [inputs, outputs] = [payloadOf(placed, 'inputs'), payloadOf(placed, 'outputs')]
    const told = inputs === null ? null : messagesOf(inputs)
    if (told === null) this.#lost(run['inputs'], `${path}/inputs`, 'what the model was told')
    const { fresh, note } = this.#threads.unseen(told ?? [])
    for (const message of fresh) this.#message(message)
    const reply = outputs === null ? null : replyOf(outputs)
    if (reply === null) this.#lost(run['outputs'], `${path}/outputs`, 'what the model answered')
    else {
      const own: OpenMessage = { ...reply, speaker: 'agent' }
      note(own)
      this.#reply = { id: `model at ${path}`, isNamed: false }
      this.#message(own, this.#reply)
    }
    if (outputs !== null) this.#warnOthers(outputs)
    this.error(placed)
  }

  /** A tool that begins: by a call of a model, or by the program itself. */
  beginTool(placed: PlacedRun): OpenTool {
    const { run, path } = placed
    this.dialogue.session.now = placed.start
    const inputs = payloadOf(placed, 'inputs')
    const outputs = payloadOf(placed, 'outputs')
    const name = asText(run['name'])
    const own = idText(inputs?.value['id']) ?? idText(toolMessageIn(outputs)?.['tool_call_id'])
    const known = own !== null && this.dialogue.session.hasCall(own) ? own : this.#take(name ?? '')
    if (known !== null) {
      this.#matched.add(known)
      if (differs(inputs?.value, this.#given.get(known)))
        this.#reading.unread(
          inputs?.path ?? path,
          'the tool was given other arguments than the call of the model has; those of the call are shown',
          true,
        )
      return { id: known, placed }
    }
    const id = `run ${idText(run['id']) ?? path}`
    this.#reading.reply = this.#reply
    const step = this.dialogue.session.open('agent', idText(run['id']))
    this.dialogue.call(step, {
      id,
      tool: name,
      namePath: `${path}/name`,
      args: inputs?.value ?? run['inputs'],
      path: inputs?.path ?? `${path}/inputs`,
    })
    return { id, placed }
  }

  /** What it brought, where no model is told it later. */
  endTool({ id, placed }: OpenTool): void {
    const { run, path, end, start } = placed
    const { session } = this.dialogue
    session.now = end ?? start
    const error = asText(run['error'])
    if (error !== null) this.#errors.add(error)
    const outputs = payloadOf(placed, 'outputs')
    const isTold = this.#told.has(String(id))
    if (error !== null) session.settle(id, outcomeOfOutput(asText(run['name']) ?? '', error, true))
    else if (outputs === null && isAbsent(run['outputs']) && isAbsent(run['end_time'])) return
    if (isTold) return
    const message = toolMessageIn(outputs)
    const isFault = message?.['status'] === 'error' ? true : null
    if (error !== null) this.dialogue.answer(id, path, error, `${path}/error`, true)
    else if (outputs === null) this.dialogue.answer(id, path, run['outputs'], `${path}/outputs`, null)
    else {
      const [value, at] = this.#outputOf(outputs)
      this.dialogue.answer(id, path, value, at, isFault)
    }
  }

  /** An error is handed on to all runs around the one that had it. */
  error({ run, path }: PlacedRun): void {
    const text = asText(run['error'])
    if (text === null || this.#errors.has(text)) return
    this.#errors.add(text)
    this.dialogue.session.note('system', run['error'], `${path}/error`, 'error')
  }

  /** A trace without calls of models or tools: what went into it and came out. Only a state with all messages tells what was done. */
  whole(placed: PlacedRun): void {
    const [inputs, outputs] = [payloadOf(placed, 'inputs'), payloadOf(placed, 'outputs')]
    const { session } = this.dialogue
    session.now = placed.start
    const told = inputs === null ? null : messagesOf(inputs)
    for (const message of this.#threads.unseen(told ?? []).fresh) this.#message(message)
    if (told === null) this.#leaves(inputs, 'user', 'input')
    const said = outputs === null ? null : messagesOf(outputs)
    // A state holds what went in as well.
    for (const message of this.#threads.unseen(said ?? []).fresh) this.#message(message)
    const reply = said === null && outputs !== null ? replyOf(outputs) : null
    if (reply !== null) this.#message(reply)
    else if (said === null) this.#leaves(outputs, 'agent_message', 'output')
    if (said === null)
      this.#reading.unread(placed.path, 'no run of a model or a tool is in the file; what they did is not known', true)
    else this.#warnBeside(outputs)
    this.error(placed)
  }

  /** What a state holds beside its messages may tell of acts: `intermediate_steps`. */
  #warnBeside(state: Payload | null): void {
    for (const [name, value] of Object.entries(state?.value ?? {}))
      if (!STATES.includes(name) && mayAct(value))
        this.#reading.unread(pointer(state?.path ?? '', name), 'may hold acts; not read', true)
  }

  #leaves(payload: Payload | null, actor: 'user' | 'agent_message', name: string): void {
    if (payload === null) return
    const kind = actor === 'user' ? 'other' : 'agent'
    const { parts } = this.dialogue.session.open(kind, null)
    addLeaves(sinkTo(this.#reading, parts, actor, name), payload.value, payload.path)
  }

  #message(message: OpenMessage, reply: Reply | null = null): void {
    this.model ??= modelOfMessage(message)
    this.#reading.reply = reply
    readLangChainMessage(this.dialogue, message)
    if (message.speaker !== 'agent') return
    for (const { id, name, given } of callsIn(message.body)) {
      this.#given.set(id, given)
      const list = this.#waiting.get(name)
      if (list === undefined) this.#waiting.set(name, { ids: [id], next: 0 })
      else list.ids.push(id)
    }
  }

  /** The first call of a tool that has no run yet. */
  #take(tool: string): string | null {
    const list = this.#waiting.get(tool)
    while (list !== undefined && list.next < list.ids.length) {
      const id = list.ids[list.next++]
      if (id !== undefined && !this.#matched.has(id)) return id
    }
    return null
  }

  #lost(value: unknown, path: string, what: string): void {
    if (isAbsent(value) || (isRecord(value) && Object.keys(value).length === 0)) return
    this.#reading.unread(path, `${what} is in no form that is known; not read`, mayAct(value))
  }

  #warnOthers({ value, path }: Payload): void {
    for (const field of ['generations', 'choices'] as const) {
      const [first] = asList(value[field])
      const count = Math.max(asList(value[field]).length, asList(first).length)
      if (count > 1) this.#reading.warn(`${path}/${field}`, `${count} answers; the first is read`)
    }
  }

  /** LangChain wraps what a tool brought in `output`, as a message or as it is. */
  #outputOf({ value, path }: Payload): readonly [unknown, string] {
    const { output } = value
    if (!('output' in value) || Object.keys(value).length > 1) return [value, path]
    const kwargs = isRecord(output) && 'lc' in output ? asRecord(output['kwargs']) : output
    const isMessage = isRecord(kwargs) && 'content' in kwargs
    const at = kwargs === output ? `${path}/output` : `${path}/output/kwargs`
    return isMessage ? [kwargs['content'], `${at}/content`] : [output, `${path}/output`]
  }
}

function toolMessageIn(outputs: Payload | null): Json | null {
  const output = outputs?.value['output']
  if (!isRecord(output)) return null
  return 'lc' in output ? asRecord(output['kwargs']) : output
}

/** The calls that later messages of a run's inputs answer. */
function answeredIn(placed: PlacedRun): string[] {
  const inputs = payloadOf(placed, 'inputs')
  const messages = inputs === null ? null : messagesOf(inputs)
  return (messages ?? []).flatMap(({ speaker, body }) =>
    speaker === 'tool' ? (idText(body['tool_call_id'] ?? body['name']) ?? []) : [],
  )
}

/** LangChain's own list, else what it left of the provider's. */
function callListOf(body: Json): readonly Json[] {
  const own = asList(body['tool_calls'])
  return (own.length > 0 ? own : asList(asRecord(body['additional_kwargs'])['tool_calls'])).filter(isRecord)
}

function callsIn(body: Json): { readonly id: string; readonly name: string; readonly given: unknown }[] {
  return callListOf(body).flatMap((call) => {
    const inner = asRecord(call['function'] ?? call)
    const [id, name] = [idText(call['id']) ?? asText(inner['name']), asText(inner['name'])]
    return id === null || name === null ? [] : [{ id, name, given: inner['args'] ?? inner['arguments'] }]
  })
}

interface Node {
  readonly next: Map<string, Node>
}

/**
 * What has been shown of the conversations of a trace: a model is given all that was said before, again and again. A message is known only behind
 * the same messages, so that what is said twice is shown twice. Time and memory are linear in the texts.
 */
class Threads {
  readonly #root: Node = { next: new Map() }

  /** The messages that were not shown behind those before them; what follows them can be noted. */
  unseen(messages: readonly OpenMessage[]): { readonly fresh: readonly OpenMessage[]; note(reply: OpenMessage): void } {
    let node = this.#root
    const fresh: OpenMessage[] = []
    const enter = (message: OpenMessage): boolean => {
      const key = keyOf(message)
      const known = node.next.get(key)
      const next = known ?? { next: new Map<string, Node>() }
      if (known === undefined) node.next.set(key, next)
      node = next
      return known === undefined
    }
    for (const message of messages) if (enter(message)) fresh.push(message)
    return { fresh, note: (reply) => void enter(reply) }
  }
}

/** What a message says, whatever the form: who, its texts, and its calls. */
function keyOf({ speaker, body, said }: OpenMessage): string {
  const calls = callListOf(body).map(callKey)
  return JSON.stringify([
    speaker,
    said?.text ?? textsOf(body['content'], speaker === 'agent'),
    body['tool_call_id'] ?? null,
    calls,
  ])
}

function callKey(call: Json): unknown {
  const inner = asRecord(call['function'] ?? call)
  const args = inner['args'] ?? inner['arguments'] ?? null
  const value = typeof args === 'string' ? (decodeObject(args) ?? args) : args
  return [call['id'] ?? null, inner['name'] ?? null, isRecord(value) ? Object.entries(value).sort(byName) : value]
}

const byName = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : a > b ? 1 : 0)

/** The texts of a content; blocks that hold none as they stand, but for the agent's calls and thoughts, which not every form repeats. */
function textsOf(content: unknown, isAgent: boolean): unknown {
  if (!Array.isArray(content)) return content ?? ''
  const pieces = content.flatMap((block) =>
    isRecord(block) && typeof block['text'] !== 'string'
      ? isAgent && isOfAgent(block)
        ? []
        : [JSON.stringify(block)]
      : [textIn(block)],
  )
  return pieces.join('')
}

const textIn = (block: unknown): string =>
  typeof block === 'string' ? block : isRecord(block) ? String(block['text']) : JSON.stringify(block)

const isOfAgent = ({ type }: Json): boolean =>
  typeof type === 'string' && (type.includes('tool') || type.includes('thinking') || type.includes('reasoning'))
