import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { idText, isRecord, itemsIn, type Json, timeOf } from '../common/reading.ts'
import { addLeaves, asList, asRecord, asText, isEmpty, keyOf, mediaText, type OpenStep } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { listAt } from '../common/session-reader.ts'
import type { Format } from '../format.ts'
import { outcomeOfResult as outcomeInWords, outcomeWithCode, soundsTimedOut } from '../tools/outcomes.ts'
import { namesOf } from '../vocabulary.ts'
import { endCode, SdkReader } from './openhands-sdk.ts'

/** The format of OpenHands: events of the application (`action`, `observation`), and of its software-agent SDK (`kind`). */
export const OPENHANDS: Format = {
  name: 'openhands',
  recognizes: (document) => LISTS.some((list) => asList(document[list]).some(isTelling)),
  read(reading, document) {
    const reader = new OpenHandsReader(reading, 'openhands')
    const list = listAt(document, LISTS.find((name) => Array.isArray(document[name])) ?? 'records')
    const { model } = asRecord(asRecord(document['metadata'])['llm_config'])
    const read = reader.readAll(list)
    return { ...read, agent: { ...read.agent, model: asText(model) ?? read.agent.model } }
  },
  holdsSubagents: true,
}

const LISTS = ['records', 'history', 'events'] as const
const KINDS: ReadonlySet<unknown> = wordSet(`ActionEvent ObservationEvent MessageEvent SystemPromptEvent
  ConversationStateUpdateEvent AgentErrorEvent UserRejectObservation ACPToolCallEvent`)

function isTelling(value: unknown): boolean {
  const event = asRecord(value)
  const { kind, action, observation, args } = event
  if (KINDS.has(kind) || !('source' in event)) return KINDS.has(kind)
  return typeof action === 'string' ? isRecord(args) : typeof observation === 'string' && 'extras' in event
}

/** Sources of actions that are no acts of the agent; an unknown source is the agent's. */
const OTHERS: ReadonlySet<unknown> = new Set(['user', 'environment'])

const HARNESS_ARGS = namesOf('openhands', 'own_arguments')

/** Reads the events of the application up to 1.x, each with `action` or `observation`; those of the SDK by its own reader. */
class OpenHandsReader extends SdkReader {
  readonly #shown = new Set<string>()
  #parallel: { readonly key: string; readonly step: OpenStep; left: number } | null = null

  override record(event: Json, path: string): void {
    this.now = timeOf(event['timestamp'])
    const { kind, action, observation } = event
    if (typeof kind === 'string') this.sdkEvent(event, path)
    else if (typeof action === 'string') this.#action(event, path, action)
    else this.#observation(event, path, observation)
  }

  #action(event: Json, path: string, action: string): void {
    const args = asRecord(event['args'])
    const name = idText(event['id'])
    const reply = replyOf(event, path)
    this.reading.reply = reply === null ? null : { id: reply.key, isNamed: true }
    this.model ??= reply?.model ?? null
    if (action === 'message') this.#message(event, path, args, reply)
    else if (action === 'system') this.note('system', args['content'], `${path}/args/content`, 'message', name)
    else if (action === 'condensation')
      this.note('agent_message', args['summary'], `${path}/args/summary`, 'compact_summary', name)
    else if (this.leftOut.has(action)) return
    else if (reply === null && OTHERS.has(event['source'])) this.#byOthers(event, path, args, action)
    else this.#act(event, path, args, action, reply)
  }

  #message(event: Json, path: string, args: Json, reply: Reply | null): void {
    const { id, source, message } = event
    const byAgent = source === 'agent'
    const { parts } = byAgent ? this.turn(idText(id)) : this.open('other', idText(id))
    const sink = this.sink(parts, byAgent ? 'agent_message' : source === 'user' ? 'user' : 'system')
    this.#reason(reply, parts)
    const { content } = args
    if (typeof content === 'string') sink.text(content, `${path}/args/content`)
    else if (typeof message === 'string') sink.text(message, `${path}/message`)
    else this.reading.odd(`${path}/args/content`, 'text', content)
    for (const [url, at] of itemsIn(args['image_urls'], `${path}/args/image_urls`))
      sink.media(mediaText('image', url), at, 'image', { url })
  }

  /** Adds a command that the user or the environment ran, as no act of the agent. */
  #byOthers({ id, source }: Json, path: string, args: Json, action: string): void {
    const step = this.open('other', idText(id))
    addLeaves(this.sink(step.parts, source === 'user' ? 'user' : 'system', action), args, `${path}/args`)
    this.call(step, keyOf('event', id), action)
  }

  #act({ id }: Json, path: string, args: Json, action: string, reply: Reply | null): void {
    const step = this.#stepOf(id, reply)
    this.#reason(reply, step.parts)
    // The thought of a tool that only thinks is shown below, as its argument.
    if (action !== 'think') this.#think(reply, step.parts, args, path)
    const call = this.call(step, keyOf('event', id), reply?.call?.tool ?? action)
    if (args['confirmation_state'] === 'rejected') call.outcome = 'rejected'
    const made = reply?.call ?? { args: ownArgs(args, action), path: `${path}/args` }
    const place = { path: made.path, namePath: `${path}/action`, nameText: action }
    addCall(this, step.parts, { call, args: made.args, ...place })
  }

  /** Adds the agent's text beside a call, once per reply: every call of a reply repeats it. */
  #think(reply: Reply | null, parts: Part[], { thought, final_thought: last }: Json, path: string): void {
    if (typeof thought !== 'string') return
    if (reply === null ? thought !== last : this.#isNew(`${reply.key} ${thought}`))
      this.say(parts, 'agent_message', thought, `${path}/args/thought`, 'thought')
  }

  #isNew(key: string): boolean {
    return this.#shown.size < this.#shown.add(key).size
  }

  /** Returns the step of an action. Calls of one reply run one by one, but all were made before the first result. */
  #stepOf(id: unknown, reply: Reply | null): OpenStep {
    const open = this.#parallel
    if (open !== null && open.key === reply?.key && open.left > 0 && open.step === this.last) {
      open.left--
      return open.step
    }
    const step = this.turn(idText(id))
    this.#parallel = reply === null ? null : { key: reply.key, step, left: reply.calls - 1 }
    return step
  }

  #reason(reply: Reply | null, parts: Part[]): void {
    if (reply?.reasoning && this.#isNew(`reasoning ${reply.key} ${reply.reasoning}`))
      this.say(parts, 'agent_reasoning', reply.reasoning, reply.reasoningPath)
  }

  #observation(event: Json, path: string, observation: unknown): void {
    const { id, content, cause } = event
    const extras = asRecord(event['extras'])
    if (observation === 'recall') this.#recall(id, extras, path)
    else if (observation === 'condense' || observation === 'agent_condense')
      this.note('agent_message', content, `${path}/content`, 'compact_summary', idText(id))
    else if (this.leftOut.has(observation)) this.reading.leaveOut(path)
    else if (observation === 'error' && !this.hasCall(keyOf('event', cause)))
      this.note('system', content, `${path}/content`, 'error', idText(id))
    else if (typeof observation === 'string') this.#answer(event, path, extras)
    else this.reading.unreadRecord(path, 'type of event', observation, event)
  }

  #answer(event: Json, path: string, extras: Json): void {
    const { id, content, cause } = event
    const { sink } = this.output(keyOf('event', cause), path, idText(id), outcomeOfObservation(event))
    const { formatted_output_and_error: shown, metadata, screenshot } = extras
    const { prefix, suffix } = asRecord(metadata)
    if (typeof prefix === 'string') sink.text(prefix, `${path}/extras/metadata/prefix`)
    // The text that the model receives of an edit; the diff beside it is for people.
    if (typeof shown === 'string' && shown !== '') sink.text(shown, `${path}/extras/formatted_output_and_error`)
    else if (typeof content === 'string') sink.text(content, `${path}/content`)
    else if (content !== undefined) this.reading.odd(`${path}/content`, 'text', content)
    if (typeof suffix === 'string') sink.text(suffix, `${path}/extras/metadata/suffix`)
    this.reading.leaveOut(`${path}/content`)
    if (asText(screenshot) !== null)
      this.reading.warnOnce(`${path}/extras/screenshot`, 'a screenshot, which the model may have been given; not shown')
  }

  /** Adds the facts of the workspace, which the harness puts into the prompt. */
  #recall(id: unknown, { recall_type: _type, runtime_hosts: _hosts, ...rest }: Json, path: string): void {
    const isFact = (value: unknown): boolean => value !== '' && !(Array.isArray(value) && value.length === 0)
    const facts = Object.fromEntries(Object.entries(rest).filter(([, value]) => isFact(value)))
    addLeaves(this.sink(this.open('other', idText(id)).parts, 'system', 'recall'), facts, `${path}/extras`)
  }
}

/** Returns the arguments that the agent set, without its thought, unless the action is only a thought. */
function ownArgs(args: Json, action: string): Json {
  const own = Object.entries(args).filter(
    ([key]) => !HARNESS_ARGS.has(key) && (key !== 'thought' || action === 'think'),
  )
  return Object.fromEntries(own.filter(([key, value]) => key !== 'outputs' || !isEmpty(value)))
}

type Reply = NonNullable<ReturnType<typeof replyOf>>

function replyOf(event: Json, path: string) {
  const metadata = event['tool_call_metadata']
  if (!isRecord(metadata)) return null
  const response = asRecord(metadata['model_response'])
  const message = asRecord(asRecord(asList(response['choices'])[0])['message'])
  const at = `${path}/tool_call_metadata/model_response/choices/0/message`
  const calls = asList(message['tool_calls'])
  const index = onlyCall(calls, metadata['tool_call_id'])
  const { name, arguments: args } = asRecord(asRecord(calls[index])['function'])
  const tool = asText(name) ?? asText(metadata['function_name'])
  const hasCall = tool !== null && (typeof args === 'string' || isRecord(args))
  return {
    key: asText(response['id']) ?? path,
    calls: calls.length,
    model: asText(response['model']),
    reasoning: asText(message['reasoning_content']),
    reasoningPath: `${at}/reasoning_content`,
    // The model's own call: `args` of the event is the harness's version of it.
    call: hasCall ? { tool, args, path: `${at}/tool_calls/${index}/function/arguments` } : null,
  }
}

/** Finds the call with an id; -1 where no call or several have it: the harness's version of the call is then shown. */
function onlyCall(calls: readonly unknown[], id: unknown): number {
  const wanted = idText(id)
  const has = (call: unknown): boolean => wanted !== null && idText(asRecord(call)['id']) === wanted
  const first = calls.findIndex(has)
  return calls.findLastIndex(has) === first ? first : -1
}

/** Derives the outcome from an observation of the application (All-Hands-AI/OpenHands, openhands/events/observation). */
function outcomeOfObservation({ observation, content, extras, success }: Json): ActOutcome {
  if (observation === 'user_rejected') return 'rejected'
  const words = asText(content) ?? ''
  if (soundsTimedOut(words)) return 'interrupted'
  const told = success === false ? 'failed' : success === true ? 'ran' : 'answered'
  const outcome = observation === 'error' ? outcomeInWords('openhands', words, true) : told
  const { metadata, exit_code: code } = asRecord(extras)
  return outcomeWithCode(outcome, endCode(asRecord(metadata)['exit_code'] ?? code))
}
