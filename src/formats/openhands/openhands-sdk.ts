import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { readBlock, readContent } from '../common/content.ts'
import { type ContentSink, isAbsent, isRecord, itemsIn, type Json } from '../common/reading.ts'
import { addLeaves, asRecord, asText, keyOf, type OpenStep } from '../common/session.ts'
import { addCall, ProceedingCalls } from '../common/session-calls.ts'
import { type RecordTable, SessionReader } from '../common/session-reader.ts'
import { outcomeOfResult as outcomeInWords, outcomeWithCode } from '../tools/outcomes.ts'
import { named } from '../tools/tool-table.ts'

/** Reads the events of the OpenHands software-agent SDK, each with a `kind`. */
export abstract class SdkReader extends SessionReader {
  #name: string | null = null
  #turn: { readonly reply: string; readonly step: OpenStep } | null = null
  readonly #foreign = new ProceedingCalls()

  readonly #kinds: RecordTable = {
    ActionEvent: (event, path) => this.#action(event, path),
    ObservationEvent: (event, path) => this.#observation(event, path),
    MessageEvent: (event, path) => this.#message(event, path),
    SystemPromptEvent: (event, path) => this.#systemPrompt(event, path),
    UserRejectObservation: (event, path) => this.#answer(event, path, 'rejection_reason'),
    AgentErrorEvent: (event, path) => this.#answer(event, path, 'error'),
    ...named(this.#noteOf('agent_message', 'summary', 'compact_summary'), 'Condensation CondensationSummaryEvent'),
    ...named(this.#noteOf('system', 'detail', 'error'), 'ConversationErrorEvent ServerErrorEvent'),
    HookExecutionEvent: this.#noteOf('system', 'additional_context', 'hook'),
    ConversationStateUpdateEvent: ({ value }) => {
      const { agent, usage_to_metrics: usage } = asRecord(value)
      const { model } = asRecord(asRecord(agent)['llm'])
      this.model ??= asText(model) ?? asText(asRecord(asRecord(usage)['default'])['model_name'])
    },
    ACPToolCallEvent: (event, path) => this.#foreignCall(event, path),
  }

  #noteOf(actor: Actor, field: string, name: string) {
    return (event: Json, path: string) => this.note(actor, event[field], `${path}/${field}`, name, this.#name)
  }

  protected sdkEvent(event: Json, path: string): void {
    this.#name = asText(event['id'])
    const reply = asText(event['llm_response_id'])
    this.reading.reply = reply === null ? null : { id: reply, isNamed: true }
    this.byType(this.#kinds, 'kind of event', event, path, event['kind'])
  }

  /** Returns the step of an action: the parallel calls of one reply are one step, until one of them has a result. */
  #stepOf(event: Json): OpenStep {
    const reply = asText(event['llm_response_id'])
    const open = this.#turn
    if (open !== null && open.reply === reply && open.step === this.last && !open.step.answered) return open.step
    const step = this.open('agent', this.#name)
    this.#turn = reply === null ? null : { reply, step }
    return step
  }

  #action(event: Json, path: string): void {
    const step = this.#stepOf(event)
    this.#reason(step.parts, event, path)
    for (const [thought, at] of itemsIn(event['thought'], `${path}/thought`)) {
      const { text } = asRecord(thought)
      if (typeof text === 'string') this.#think(step.parts, text, `${at}/text`, event['reasoning_content'])
      else if (isRecord(thought)) readBlock(thought, at, this.sink(step.parts, 'agent_message', 'thought'))
    }
    const made = asRecord(event['tool_call'])
    const { arguments: inner } = asRecord(made['function'])
    const [tool, nameField] = firstName(event, 'tool_name', 'tool_call/name', 'kind')
    const call = this.call(step, keyOf('id', event['id']), tool)
    this.remember(step, keyOf('call', event['tool_call_id']), call)
    // The SDK could not make an action from the model's call: wrong arguments, or an unknown tool.
    if (event['action'] === null) call.outcome = 'rejected'
    const { kind: _kind, ...action } = asRecord(event['action'])
    const forms = [
      [made['arguments'], 'tool_call/arguments'],
      [inner, 'tool_call/function/arguments'],
    ] as const
    const [args, field] = forms.find(([value]) => value !== undefined) ?? [action, 'action']
    addCall(this, step.parts, { call, args, path: `${path}/${field}`, namePath: `${path}/${nameField}` })
  }

  #reason(parts: Part[], event: Json, path: string): void {
    const { reasoning_content: content } = event
    this.say(parts, 'agent_reasoning', content, `${path}/reasoning_content`)
    for (const [block, at] of itemsIn(event['thinking_blocks'], `${path}/thinking_blocks`)) {
      const { thinking } = asRecord(block)
      if (thinking !== content) this.say(parts, 'agent_reasoning', thinking, `${at}/thinking`)
    }
    const item = asRecord(event['responses_reasoning_item'])
    for (const [text, at] of itemsIn(item['summary'], `${path}/responses_reasoning_item/summary`))
      if (text !== content) this.say(parts, 'agent_reasoning', text, at)
  }

  /** Adds a thought. A thought wholly in think tags is reasoning, and often repeats `reasoning_content`. */
  #think(parts: Part[], text: string, path: string, reasoning: unknown): void {
    const [open, close] = ['<think>', '</think>']
    const trimmed = text.trim()
    const isTagged = trimmed.startsWith(open) && trimmed.indexOf(close) === trimmed.length - close.length
    const inner = isTagged ? trimmed.slice(open.length, -close.length).trim() : null
    if (inner !== null && inner === asText(reasoning)?.trim()) this.reading.leaveOut(path)
    else this.say(parts, isTagged ? 'agent_reasoning' : 'agent_message', text, path, 'thought')
  }

  #observation(event: Json, path: string): void {
    const { observation } = event
    const sink = this.#answered(event, path)
    const at = `${path}/observation`
    const { content, output, kind: _kind, metadata, command: _command, ...others } = asRecord(observation)
    if (!isRecord(observation)) this.#content(observation, at, sink)
    this.reading.leaveOut(`${at}/command`)
    const { prefix, suffix } = asRecord(metadata)
    if (typeof prefix === 'string') sink.text(prefix, `${at}/metadata/prefix`)
    if (!isAbsent(content)) this.#content(content, `${at}/content`, sink)
    else if (!isAbsent(output)) this.#content(output, `${at}/output`, sink)
    else addLeaves(sink, others, at)
    if (typeof suffix === 'string') sink.text(suffix, `${at}/metadata/suffix`)
  }

  #content(content: unknown, path: string, sink: ContentSink): void {
    if (isRecord(content)) readBlock(content, path, sink)
    else readContent(content, path, sink)
  }

  #answered(event: Json, path: string): ContentSink {
    const byAction = keyOf('id', event['action_id'])
    const id = this.hasCall(byAction) ? byAction : keyOf('call', event['tool_call_id'])
    return this.output(id, path, this.#name, outcomeOfSdk(event)).sink
  }

  #answer(event: Json, path: string, field: string): void {
    this.#content(event[field], `${path}/${field}`, this.#answered(event, path))
  }

  #message(event: Json, path: string): void {
    const { source, llm_message: own } = event
    const at = `${path}/llm_message`
    const message = asRecord(own)
    if (!isRecord(own)) this.reading.odd(at, 'an object', own)
    const byAgent = source === 'agent' && message['role'] !== 'user'
    const { parts } = byAgent ? this.#stepOf(event) : this.open('other', this.#name)
    if (byAgent) this.#reason(parts, message, at)
    const actor = byAgent ? 'agent_message' : source === 'user' ? 'user' : 'system'
    this.#content(message['content'], `${at}/content`, this.sink(parts, actor))
    // The harness adds texts to the user's message: skills that a word of the message triggers.
    const added = this.sink(parts, 'system', 'extended_content')
    this.#content(event['extended_content'], `${path}/extended_content`, added)
  }

  #systemPrompt(event: Json, path: string): void {
    const sink = this.sink(this.open('other', this.#name).parts, 'system')
    for (const field of ['system_prompt', 'dynamic_context']) this.#content(event[field], `${path}/${field}`, sink)
  }

  /** Reads a call that another agent made over the Agent Client Protocol; its event is repeated as the call proceeds. */
  #foreignCall(event: Json, path: string): void {
    const id = keyOf('acp', event['tool_call_id']) ?? `acp at ${path}`
    const [tool, nameField] = firstName(event, 'title', 'tool_kind', 'kind')
    // The first event may lack the arguments; other arguments under the same id are another call.
    if (this.#foreign.isNew(id, event['raw_input'], isAbsent(event['raw_input']))) {
      const step = this.open('agent', this.#name)
      const call = this.call(step, id, tool)
      const [args, at] = [event['raw_input'], `${path}/raw_input`]
      // A title is free text and a kind is not a tool's name: a `think` of another agent may still act.
      addCall(this, step.parts, { call, args, path: at, namePath: `${path}/${nameField}`, spec: null })
    }
    if (isAbsent(event['raw_output'])) return
    const { parts } = this.output(id, path, this.#name, outcomeOfForeign(event))
    addLeaves(this.sink(parts, 'tool_output', tool), event['raw_output'], `${path}/raw_output`)
  }
}

/** Returns the first text at one of the places below an event, and the place. Every event has the last place, its kind. */
function firstName(event: Json, ...places: readonly string[]): readonly [name: string, place: string] {
  const textAt = (place: string) =>
    asText(place.split('/').reduce<unknown>((value, key) => asRecord(value)[key], event))
  const place = places.find((place) => textAt(place) !== null) ?? ''
  return [textAt(place) ?? '', place]
}

/** Returns the exit code of a command that ended. Code -1: the command still runs, or reached a time limit. */
export const endCode = (code: unknown): number | null => (typeof code === 'number' && code >= 0 ? code : null)

/** Derives the outcome from an event that answers an action (OpenHands/software-agent-sdk, openhands-sdk/openhands/sdk/event). */
function outcomeOfSdk({ kind, observation, error }: Json): ActOutcome {
  if (kind === 'UserRejectObservation') return 'rejected'
  // The agent's own server writes these events, so no program can have printed the words.
  if (kind === 'AgentErrorEvent') return outcomeInWords('openhands', asText(error) ?? '', true)
  const { is_error: isError, exit_code: code, metadata } = asRecord(observation)
  return outcomeWithCode(isError === true ? 'failed' : 'answered', endCode(code ?? asRecord(metadata)['exit_code']))
}

function outcomeOfForeign({ status, is_error: isError }: Json): ActOutcome {
  if (status === 'failed' || isError === true) return 'failed'
  if (status === undefined) return 'answered'
  return status === 'completed' ? 'ran' : 'unknown'
}
