import type { Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { type ContentSink, readPieces } from '../common/content.ts'
import { idText, isAbsent, isRecord, itemsIn, type Json, type Reading } from '../common/reading.ts'
import {
  addLeaves,
  asList,
  asRecord,
  asText,
  mediaText,
  type OpenStep,
  type Session,
  settle,
} from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { outcomeOfForeign, outcomeOfSdk } from './openhands-events.ts'

/** The events of the OpenHands software-agent SDK, each with a `kind`. */

const BOOKKEEPING: ReadonlySet<unknown> = wordSet(`PauseEvent CondensationRequest LLMCompletionLogEvent TokenEvent
  InterruptEvent StreamingDeltaEvent ConversationIdleEvent`)

export class SdkEvents {
  readonly #session: Session
  readonly #reading: Reading
  #turn: { readonly reply: string; readonly step: OpenStep } | null = null
  /** Arguments of other agents' calls, as JSON, by id. */
  readonly #foreign = new Map<string, string>()
  model: string | null = null

  constructor(session: Session) {
    this.#session = session
    this.#reading = session.reading
  }

  read(event: Json, path: string): void {
    const { kind } = event
    const name = asText(event['id'])
    const reply = asText(event['llm_response_id'])
    this.#reading.reply = reply === null ? null : { id: reply, isNamed: true }
    if (kind === 'ActionEvent') this.#action(event, path, name)
    else if (kind === 'ObservationEvent') this.#observation(event, path, name)
    else if (kind === 'MessageEvent') this.#message(event, path, name)
    else if (kind === 'SystemPromptEvent') this.#systemPrompt(event, path, name)
    else if (kind === 'UserRejectObservation') this.#answer(event, path, name, 'rejection_reason')
    else if (kind === 'AgentErrorEvent') this.#answer(event, path, name, 'error')
    else if (kind === 'Condensation' || kind === 'CondensationSummaryEvent')
      this.#session.note('agent_message', event['summary'], `${path}/summary`, 'compact_summary', name)
    else if (kind === 'ConversationErrorEvent' || kind === 'ServerErrorEvent')
      this.#session.note('system', event['detail'], `${path}/detail`, 'error', name)
    else if (kind === 'HookExecutionEvent')
      this.#session.note('system', event['additional_context'], `${path}/additional_context`, 'hook', name)
    else if (kind === 'ConversationStateUpdateEvent') this.#state(event)
    else if (kind === 'ACPToolCallEvent') this.#foreignCall(event, path, name)
    else if (BOOKKEEPING.has(kind)) this.#reading.leaveOut(path)
    else this.#reading.unreadRecord(path, 'kind of event', kind, event)
  }

  /** Returns the step of an action: the parallel calls of one reply are one step, until one of them has a result. */
  #stepOf(event: Json, name: string | null): OpenStep {
    const reply = asText(event['llm_response_id'])
    const open = this.#turn
    if (open !== null && open.reply === reply && open.step === this.#session.last && !open.step.answered)
      return open.step
    const step = this.#session.open('agent', name)
    this.#turn = reply === null ? null : { reply, step }
    return step
  }

  #action(event: Json, path: string, name: string | null): void {
    const step = this.#stepOf(event, name)
    this.#reason(step.parts, event, path)
    for (const [thought, at] of itemsIn(event['thought'], `${path}/thought`)) {
      const { text } = asRecord(thought)
      if (typeof text === 'string') this.#think(step.parts, text, `${at}/text`, event['reasoning_content'])
      else if (isRecord(thought))
        readPiece(this.#reading, thought, at, this.#session.sink(step.parts, 'agent_message', 'thought'))
    }
    const call = asRecord(event['tool_call'])
    const nameField =
      asText(event['tool_name']) === null ? (asText(call['name']) === null ? 'kind' : 'tool_call/name') : 'tool_name'
    const tool = asText(event['tool_name']) ?? asText(call['name']) ?? 'ActionEvent'
    const made = this.#session.call(step, idKey(event['id']), tool)
    this.#session.remember(step, callKey(event['tool_call_id']), made)
    // The SDK could not make an action from the model's call: wrong arguments, or an unknown tool.
    if (event['action'] === null) settle(made, 'rejected')
    const { kind: _kind, ...action } = asRecord(event['action'])
    const { arguments: own } = asRecord(call['function'])
    const args =
      call['arguments'] !== undefined
        ? { args: call['arguments'], path: `${path}/tool_call/arguments` }
        : own !== undefined
          ? { args: own, path: `${path}/tool_call/function/arguments` }
          : { args: action, path: `${path}/action` }
    addCall(this.#session, step.parts, { call: made, ...args, namePath: `${path}/${nameField}` })
  }

  #reason(parts: Part[], event: Json, path: string): void {
    const sink = this.#session.sink(parts, 'agent_reasoning')
    const { reasoning_content: content } = event
    if (typeof content === 'string') sink.text(content, `${path}/reasoning_content`)
    for (const [block, at] of itemsIn(event['thinking_blocks'], `${path}/thinking_blocks`)) {
      const { thinking } = asRecord(block)
      if (typeof thinking === 'string' && thinking !== content) sink.text(thinking, `${at}/thinking`)
    }
    const item = asRecord(event['responses_reasoning_item'])
    for (const [text, at] of itemsIn(item['summary'], `${path}/responses_reasoning_item/summary`))
      if (typeof text === 'string' && text !== content) sink.text(text, at)
  }

  /** Adds a thought. A thought wholly in think tags is reasoning, and often repeats `reasoning_content`. */
  #think(parts: Part[], text: string, path: string, reasoning: unknown): void {
    const [open, close] = ['<think>', '</think>']
    const trimmed = text.trim()
    const isTagged = trimmed.startsWith(open) && trimmed.indexOf(close) === trimmed.length - close.length
    const inner = isTagged ? trimmed.slice(open.length, -close.length).trim() : null
    if (inner !== null && typeof reasoning === 'string' && inner === reasoning.trim()) {
      this.#reading.leaveOut(path)
      return
    }
    const actor = isTagged ? 'agent_reasoning' : 'agent_message'
    this.#reading.add(parts, { actor, text, path, name: 'thought' })
  }

  #observation(event: Json, path: string, name: string | null): void {
    const { observation } = event
    const sink = this.#answered(event, path, name)
    const at = `${path}/observation`
    if (!isRecord(observation)) {
      this.#content(observation, at, sink)
      return
    }
    const { content, output, metadata } = observation
    this.#reading.leaveOut(`${at}/command`)
    const { prefix, suffix } = asRecord(metadata)
    if (typeof prefix === 'string') sink.text(prefix, `${at}/metadata/prefix`)
    if (!isAbsent(content)) this.#content(content, `${at}/content`, sink)
    else if (!isAbsent(output)) this.#content(output, `${at}/output`, sink)
    else {
      const { kind: _kind, metadata: _metadata, command: _command, ...rest } = observation
      addLeaves(sink, rest, at)
    }
    if (typeof suffix === 'string') sink.text(suffix, `${at}/metadata/suffix`)
  }

  #content(content: unknown, path: string, sink: ContentSink): void {
    readPieces(this.#reading, content, path, sink, readPiece)
  }

  #answered(event: Json, path: string, name: string | null): ContentSink {
    const byAction = idKey(event['action_id'])
    const id = this.#session.hasCall(byAction) ? byAction : callKey(event['tool_call_id'])
    return this.#session.answer(id, path, name, outcomeOfSdk(event)).sink
  }

  #answer(event: Json, path: string, name: string | null, field: string): void {
    this.#content(event[field], `${path}/${field}`, this.#answered(event, path, name))
  }

  #message(event: Json, path: string, name: string | null): void {
    const message = asRecord(event['llm_message'])
    if (!isRecord(event['llm_message'])) this.#reading.error(`${path}/llm_message`, 'must be an object')
    const { source } = event
    const byAgent = source === 'agent' && message['role'] !== 'user'
    const step = byAgent ? this.#stepOf(event, name) : this.#session.open('other', name)
    const at = `${path}/llm_message`
    if (byAgent) this.#reason(step.parts, message, at)
    const actor = byAgent ? 'agent_message' : source === 'user' ? 'user' : 'system'
    this.#content(message['content'], `${at}/content`, this.#session.sink(step.parts, actor))
    // The harness adds texts to the user's message: skills that a word of the message triggers.
    const added = this.#session.sink(step.parts, 'system', 'extended_content')
    this.#content(event['extended_content'], `${path}/extended_content`, added)
  }

  #systemPrompt(event: Json, path: string, name: string | null): void {
    const { parts } = this.#session.open('other', name)
    const sink = this.#session.sink(parts, 'system')
    for (const field of ['system_prompt', 'dynamic_context']) {
      const { [field]: content } = event
      if (isRecord(content)) readPiece(this.#reading, content, `${path}/${field}`, sink)
      else this.#content(content, `${path}/${field}`, sink)
    }
  }

  #state(event: Json): void {
    const value = asRecord(event['value'])
    const usage = asRecord(asRecord(value['usage_to_metrics'])['default'])
    const llm = asRecord(asRecord(value['agent'])['llm'])
    this.model ??= asText(llm['model']) ?? asText(usage['model_name'])
  }

  /** Reads a call that another agent made over the Agent Client Protocol; its event is repeated as the call proceeds. */
  #foreignCall(event: Json, path: string, name: string | null): void {
    const own = idText(event['tool_call_id'])
    const id = own === null ? `acp at ${path}` : `acp ${own}`
    const words = JSON.stringify(event['raw_input'] ?? null)
    // The first event may lack the arguments; other arguments under the same id are another call, and a call without an id repeats no call.
    const shown = this.#foreign.get(id)
    const isNew = shown === undefined || (shown !== words && words !== 'null')
    this.#foreign.set(id, words === 'null' ? (shown ?? words) : words)
    const tool = asText(event['title']) ?? asText(event['tool_kind']) ?? 'ACPToolCallEvent'
    if (isNew) {
      const step = this.#session.open('agent', name)
      const call = this.#session.call(step, id, tool)
      const field =
        asText(event['title']) !== null ? 'title' : asText(event['tool_kind']) !== null ? 'tool_kind' : 'kind'
      addCall(this.#session, step.parts, {
        call,
        args: event['raw_input'],
        path: `${path}/raw_input`,
        namePath: `${path}/${field}`,
        // A title is free text and a kind is not a tool's name: a `think` of another agent may still act.
        spec: null,
      })
    }
    if (isAbsent(event['raw_output'])) return
    const { parts } = this.#session.answer(id, path, name, outcomeOfForeign(event))
    addLeaves(this.#session.sink(parts, 'tool_output', tool), event['raw_output'], `${path}/raw_output`)
  }
}

const idKey = (id: unknown): string | null => (idText(id) === null ? null : `id ${idText(id)}`)
const callKey = (id: unknown): string | null => (idText(id) === null ? null : `call ${idText(id)}`)

function readPiece(reading: Reading, piece: Json, path: string, sink: ContentSink): void {
  const { type, text, image_urls: urls } = piece
  if (typeof text === 'string') sink.text(text, `${path}/text`)
  else if (type === 'image' || Array.isArray(urls)) {
    for (const [url, at] of itemsIn(urls, `${path}/image_urls`))
      sink.media(mediaText('image', url), at, 'image', { url })
    if (asList(urls).length === 0)
      sink.media(mediaText('image', piece['mimeType']), path, 'image', {
        media_type: piece['mimeType'],
        data: piece['data'],
      })
  } else {
    reading.warnType(path, 'type of content', type)
    addLeaves(sink, piece, path)
  }
}
