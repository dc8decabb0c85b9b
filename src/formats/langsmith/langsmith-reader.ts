import type { Reply } from '../../domain/trajectory/trajectory.ts'
import { decodeObject } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, pointer, type Reading } from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, sinkTo } from '../common/session.ts'
import { mayAct } from '../common/unread-acts.ts'
import { outcomeOfOutput } from '../dialogue/dialogue.ts'
import { readLangChainMessage } from '../langchain/langchain-chat.ts'
import { modelOfMessage, type OpenMessage } from '../langchain/langchain-form.ts'
import { contentOf, Located, placeMessage, type Tree } from '../traces/located.ts'
import { differs } from '../traces/message-key.ts'
import { TraceSink } from '../traces/trace-span.ts'
import { messagesOf, type Payload, type PlacedRun, payloadOf, replyOf } from './runs.ts'

/** Members of a payload that may hold the messages. */
const STATES: readonly string[] = ['messages', 'input', 'output', 'state']

/** A run of a tool that has begun and not ended. */
interface OpenTool {
  readonly id: unknown
  readonly placed: PlacedRun
}

/** Reads the runs of a trace into steps: the models' messages and answers, and the tools' calls and results. */
export class LangSmithReader {
  readonly sink: TraceSink
  model: string | null = null
  readonly #reading: Reading
  readonly #threads = new Threads()
  /** Ids of the calls whose result a later run of a model received; that run shows it. */
  readonly #answeredLater: ReadonlySet<string>
  /** Calls without a run of a tool, by the tool's name. */
  readonly #waiting = new Map<string, { readonly ids: string[]; next: number }>()
  readonly #matched = new Set<string>()
  /** Arguments of the models' calls, by call id. */
  readonly #callArgs = new Map<string, unknown>()
  readonly #errors = new Set<string>()
  /** The last answer of a model, which may have made the call of a tool that no known call matches. */
  #reply: Reply | null = null

  constructor(reading: Reading, runs: readonly PlacedRun[]) {
    this.#reading = reading
    this.sink = new TraceSink(reading, null)
    this.#answeredLater = new Set(
      runs.flatMap((placed) => (placed.run['run_type'] === 'llm' ? answeredIn(placed) : [])),
    )
  }

  /** Reads a run of a model: the messages that no earlier run received, and its answer. */
  llm(placed: PlacedRun): void {
    const { run, path, start } = placed
    this.sink.session.now = start
    this.model ??= asText(asRecord(asRecord(run['extra'])['metadata'])['ls_model_name'])
    const [inputs, outputs] = [payloadOf(placed, 'inputs'), payloadOf(placed, 'outputs')]
    const messages = inputs === null ? null : messagesOf(inputs)
    if (messages === null) this.#lost(run['inputs'], `${path}/inputs`, 'what the model was told')
    const { fresh, note } = this.#threads.unseen(messages ?? [])
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

  /** Begins a run of a tool, which a call of a model or the program itself started. */
  beginTool(placed: PlacedRun): OpenTool {
    const { run, path } = placed
    this.sink.session.now = placed.start
    const inputs = payloadOf(placed, 'inputs')
    const outputs = payloadOf(placed, 'outputs')
    const name = asText(run['name'])
    const own = idText(inputs?.value['id']) ?? idText(toolMessageIn(outputs)?.['tool_call_id'])
    const matched = own !== null && this.sink.session.hasCall(own) ? own : this.#waitingCall(name ?? '')
    if (matched !== null) {
      this.#matched.add(matched)
      if (differs(inputs?.value, this.#callArgs.get(matched)))
        this.#reading.unread(
          inputs?.path ?? path,
          'the tool was given other arguments than the call of the model has; those of the call are shown',
          true,
        )
      return { id: matched, placed }
    }
    const id = `run ${idText(run['id']) ?? path}`
    this.#reading.reply = this.#reply
    const args = new Located(inputs?.value ?? run['inputs'], inputs?.path ?? `${path}/inputs`)
    const call = { id, function: { name: new Located(name, `${path}/name`), arguments: args } }
    this.#take({ role: 'assistant', tool_calls: [call] }, path, idText(run['id']))
    return { id, placed }
  }

  /** Adds the output of a tool's run, unless a later run of a model received it. */
  endTool({ id, placed }: OpenTool): void {
    const { run, path, end, start } = placed
    const { session } = this.sink
    session.now = end ?? start
    const error = asText(run['error'])
    if (error !== null) this.#errors.add(error)
    const outputs = payloadOf(placed, 'outputs')
    const isAnsweredLater = this.#answeredLater.has(String(id))
    if (error !== null) session.settle(id, outcomeOfOutput(asText(run['name']) ?? '', error, true))
    else if (outputs === null && isAbsent(run['outputs']) && isAbsent(run['end_time'])) return
    if (isAnsweredLater) return
    const message = toolMessageIn(outputs)
    const isFault = message?.['status'] === 'error' ? true : null
    if (error !== null) this.#answer(id, path, error, `${path}/error`, true)
    else if (outputs === null) this.#answer(id, path, run['outputs'], `${path}/outputs`, null)
    else {
      const [value, at] = this.#outputOf(outputs)
      this.#answer(id, path, value, at, isFault)
    }
  }

  #take(tree: Tree, path: string, name: string | null): void {
    const placed = placeMessage(tree, path)
    if (placed !== null) this.sink.take(placed, name)
  }

  /** Adds the output of a tool's run as the answer of its call. */
  #answer(id: unknown, path: string, value: unknown, at: string, isError: boolean | null): void {
    const call = idText(id)
    this.sink.answered(call, (tool) => outcomeOfOutput(tool, value, isError))
    this.#take({ role: 'tool', tool_call_id: call, content: contentOf(new Located(value, at)) }, path, null)
  }

  /** Adds an error once: the runs around a failed run repeat it. */
  error({ run, path }: PlacedRun): void {
    const text = asText(run['error'])
    if (text === null || this.#errors.has(text)) return
    this.#errors.add(text)
    this.sink.session.note('system', run['error'], `${path}/error`, 'error')
  }

  /** Reads a trace without runs of models or tools: its input and output. Only a state with all messages tells the acts. */
  whole(placed: PlacedRun): void {
    const [inputs, outputs] = [payloadOf(placed, 'inputs'), payloadOf(placed, 'outputs')]
    const { session } = this.sink
    session.now = placed.start
    const before = inputs === null ? null : messagesOf(inputs)
    for (const message of this.#threads.unseen(before ?? []).fresh) this.#message(message)
    if (before === null) this.#leaves(inputs, 'user', 'input')
    const after = outputs === null ? null : messagesOf(outputs)
    // The output state repeats the input messages.
    for (const message of this.#threads.unseen(after ?? []).fresh) this.#message(message)
    const reply = after === null && outputs !== null ? replyOf(outputs) : null
    if (reply !== null) this.#message(reply)
    else if (after === null) this.#leaves(outputs, 'agent_message', 'output')
    if (after === null)
      this.#reading.unread(placed.path, 'no run of a model or a tool is in the file; what they did is not known', true)
    else this.#warnBeside(outputs)
    this.error(placed)
  }

  /** Warns of members of a state beside its messages that may hold acts: `intermediate_steps`. */
  #warnBeside(state: Payload | null): void {
    for (const [name, value] of Object.entries(state?.value ?? {}))
      if (!STATES.includes(name) && mayAct(value))
        this.#reading.unread(pointer(state?.path ?? '', name), 'may hold acts; not read', true)
  }

  #leaves(payload: Payload | null, actor: 'user' | 'agent_message', name: string): void {
    if (payload === null) return
    const kind = actor === 'user' ? 'other' : 'agent'
    const { parts } = this.sink.session.open(kind, null)
    addLeaves(sinkTo(this.#reading, parts, actor, name), payload.value, payload.path)
  }

  #message(message: OpenMessage, reply: Reply | null = null): void {
    this.model ??= modelOfMessage(message)
    this.#reading.reply = reply
    readLangChainMessage(this.sink, message)
    if (message.speaker !== 'agent') return
    for (const { id, name, args } of callsIn(message.body)) {
      this.#callArgs.set(id, args)
      const list = this.#waiting.get(name)
      if (list === undefined) this.#waiting.set(name, { ids: [id], next: 0 })
      else list.ids.push(id)
    }
  }

  /** Returns the first call of a tool without a run. */
  #waitingCall(tool: string): string | null {
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

  /** Unwraps a tool's output from LangChain's `output`, a message or the value itself. */
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

/** Lists the calls that tool messages in a run's inputs answer. */
function answeredIn(placed: PlacedRun): string[] {
  const inputs = payloadOf(placed, 'inputs')
  const messages = inputs === null ? null : messagesOf(inputs)
  return (messages ?? []).flatMap(({ speaker, body }) =>
    speaker === 'tool' ? (idText(body['tool_call_id'] ?? body['name']) ?? []) : [],
  )
}

/** Returns LangChain's own list of calls, else the provider's list that it kept. */
function callListOf(body: Json): readonly Json[] {
  const own = asList(body['tool_calls'])
  return (own.length > 0 ? own : asList(asRecord(body['additional_kwargs'])['tool_calls'])).filter(isRecord)
}

function callsIn(body: Json): { readonly id: string; readonly name: string; readonly args: unknown }[] {
  return callListOf(body).flatMap((call) => {
    const inner = asRecord(call['function'] ?? call)
    const [id, name] = [idText(call['id']) ?? asText(inner['name']), asText(inner['name'])]
    return id === null || name === null ? [] : [{ id, name, args: inner['args'] ?? inner['arguments'] }]
  })
}

interface Node {
  readonly next: Map<string, Node>
}

/**
 * Remembers the conversations of a trace that have been shown: a model receives all earlier messages again with each run. A message counts
 * as shown only behind the same messages, so a repeated message is shown again. Time and memory are linear in the texts.
 */
class Threads {
  readonly #root: Node = { next: new Map() }

  /** Returns the messages that were not yet shown at this place of the conversation, and a function that adds the reply behind them. */
  unseen(messages: readonly OpenMessage[]): { readonly fresh: readonly OpenMessage[]; note(reply: OpenMessage): void } {
    let node = this.#root
    const fresh: OpenMessage[] = []
    const enter = (message: OpenMessage): boolean => {
      const key = keyOf(message)
      const existing = node.next.get(key)
      const next = existing ?? { next: new Map<string, Node>() }
      if (existing === undefined) node.next.set(key, next)
      node = next
      return existing === undefined
    }
    for (const message of messages) if (enter(message)) fresh.push(message)
    return { fresh, note: (reply) => void enter(reply) }
  }
}

/** Returns a message's content as a key, whatever its form: speaker, texts and calls. */
function keyOf({ speaker, body, text }: OpenMessage): string {
  const calls = callListOf(body).map(callKey)
  return JSON.stringify([
    speaker,
    text?.text ?? textsOf(body['content'], speaker === 'agent'),
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

/**
 * Returns the texts of a content. Blocks without text count as JSON, except the agent's calls and reasoning, which not every form repeats.
 */
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
