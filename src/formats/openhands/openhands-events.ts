import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import { wordSet } from '../../domain/words.ts'
import { idText, isRecord, itemsIn, type Json } from '../common/reading.ts'
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
import { outcomeOfResult as outcomeInWords, outcomeWithCode, soundsTimedOut } from '../tools/outcomes.ts'

/** The event stream of the OpenHands application up to 1.x: events with `action` or `observation`. */

/** Actions and observations of the harness alone. */
const BOOKKEEPING: ReadonlySet<unknown> = wordSet(`change_agent_state agent_state_changed null recall
  condensation_request start pause resume stop loop_recovery agent_delegate`)
/** Members of `args` that the harness sets. */
const HARNESS_ARGS: ReadonlySet<string> = wordSet(`blocking hidden confirmation_state is_static impl_source
  translated_ipython_code cwd kernel_init_code include_extra return_axtree security_risk wait_for_response`)

/** Reads the events of one run, and skips texts that several events of one reply repeat. */
export class OldEvents {
  readonly #session: Session
  readonly #thoughts = new Set<string>()
  #parallel: { readonly key: string; readonly step: OpenStep; left: number } | null = null
  model: string | null = null

  constructor(session: Session) {
    this.#session = session
  }

  read(event: Json, path: string): void {
    if (typeof event['action'] === 'string') this.#action(event, path, event['action'])
    else this.#observation(event, path, event['observation'])
  }

  #action(event: Json, path: string, action: string): void {
    const args = asRecord(event['args'])
    const name = nameOf(event)
    const reply = replyOf(event, path)
    this.#session.reading.reply = reply === null ? null : { id: reply.key, isNamed: true }
    this.model ??= reply?.model ?? null
    if (action === 'message') this.#message(event, path, args, name)
    else if (action === 'system') this.#session.note('system', args['content'], `${path}/args/content`, 'message', name)
    else if (action === 'condensation') {
      if (typeof args['summary'] === 'string' && args['summary'] !== '')
        this.#session.note('agent_message', args['summary'], `${path}/args/summary`, 'compact_summary', name)
    } else if (event['source'] !== 'agent' && reply === null) {
      if (!BOOKKEEPING.has(action)) this.#byOthers(event, path, args, action)
    } else if (!BOOKKEEPING.has(action)) this.#act(event, path, args, action, reply)
  }

  #message(event: Json, path: string, args: Json, name: string | null): void {
    const byAgent = event['source'] === 'agent'
    const step = byAgent ? this.#session.turn(name) : this.#session.open('other', name)
    const actor = byAgent ? 'agent_message' : event['source'] === 'user' ? 'user' : 'system'
    const sink = this.#session.sink(step.parts, actor)
    this.#reason(replyOf(event, path), step.parts)
    const { content } = args
    if (typeof content === 'string') sink.text(content, `${path}/args/content`)
    else if (typeof event['message'] === 'string') sink.text(event['message'], `${path}/message`)
    else this.#session.reading.error(`${path}/args/content`, 'must be text')
    for (const [url, at] of itemsIn(args['image_urls'], `${path}/args/image_urls`))
      sink.media(mediaText('image', url), at, 'image', { url })
  }

  /** Adds a command that the user or the environment ran, as no act of the agent. */
  #byOthers(event: Json, path: string, args: Json, action: string): void {
    const actor = event['source'] === 'user' ? 'user' : 'system'
    const step = this.#session.open('other', nameOf(event))
    addLeaves(this.#session.sink(step.parts, actor, action), args, `${path}/args`)
    this.#session.call(step, eventKey(event['id']), action)
  }

  #act(event: Json, path: string, args: Json, action: string, reply: Reply | null): void {
    const step = this.#stepOf(event, reply)
    this.#reason(reply, step.parts)
    // The thought of a tool that only thinks is shown below, as its argument.
    if (action !== 'think') this.#think(reply, step.parts, args, path)
    const tool = reply?.call?.tool ?? action
    const call = this.#session.call(step, eventKey(event['id']), tool)
    if (args['confirmation_state'] === 'rejected') settle(call, 'rejected')
    const made = reply?.call ?? { args: ownArgs(args, action), path: `${path}/args` }
    addCall(this.#session, step.parts, {
      call,
      args: made.args,
      path: made.path,
      namePath: `${path}/action`,
      nameText: action,
    })
  }

  /** Adds the agent's text beside a call, once per reply: every call of a reply repeats it. */
  #think(reply: Reply | null, parts: Part[], { thought, final_thought: last }: Json, path: string): void {
    if (typeof thought !== 'string') return
    const key = reply === null ? null : `${reply.key} ${thought}`
    const isShown = key === null ? thought === last : this.#thoughts.has(key)
    if (!isShown) this.#session.sink(parts, 'agent_message', 'thought').text(thought, `${path}/args/thought`)
    if (key !== null) this.#thoughts.add(key)
  }

  /** Returns the step of an action. Calls of one reply run one by one, but all were made before the first result. */
  #stepOf(event: Json, reply: Reply | null): OpenStep {
    const open = this.#parallel
    if (open !== null && open.key === reply?.key && open.left > 0 && open.step === this.#session.last) {
      open.left--
      return open.step
    }
    const step = this.#session.turn(nameOf(event))
    this.#parallel = reply === null ? null : { key: reply.key, step, left: reply.calls - 1 }
    return step
  }

  #reason(reply: Reply | null, parts: Part[]): void {
    if (reply === null || reply.reasoning === null) return
    const key = `reasoning ${reply.key} ${reply.reasoning}`
    if (this.#thoughts.has(key)) return
    this.#thoughts.add(key)
    this.#session.sink(parts, 'agent_reasoning').text(reply.reasoning, reply.reasoningPath)
  }

  #observation(event: Json, path: string, observation: unknown): void {
    const { content, cause } = event
    const extras = asRecord(event['extras'])
    if (observation === 'recall') this.#recall(event, extras, path)
    else if (observation === 'condense' || observation === 'agent_condense')
      this.#session.note('agent_message', content, `${path}/content`, 'compact_summary', nameOf(event))
    else if (BOOKKEEPING.has(observation)) this.#session.reading.leaveOut(path)
    else if (observation === 'error' && !this.#session.hasCall(eventKey(cause)))
      this.#session.note('system', content, `${path}/content`, 'error', nameOf(event))
    else if (observation === 'user_rejected' || typeof observation === 'string') this.#answer(event, path, extras)
    else this.#session.reading.unreadRecord(path, 'type of event', observation, event)
  }

  #answer(event: Json, path: string, extras: Json): void {
    const { reading } = this.#session
    const { content, cause } = event
    const { sink } = this.#session.answer(eventKey(cause), path, nameOf(event), outcomeOfObservation(event))
    const shown = extras['formatted_output_and_error']
    const { prefix, suffix } = asRecord(extras['metadata'])
    if (typeof prefix === 'string') sink.text(prefix, `${path}/extras/metadata/prefix`)
    // The text that the model receives of an edit; the diff beside it is for people.
    if (typeof shown === 'string' && shown !== '') sink.text(shown, `${path}/extras/formatted_output_and_error`)
    else if (typeof content === 'string') sink.text(content, `${path}/content`)
    else if (content !== undefined) reading.error(`${path}/content`, 'must be text')
    if (typeof suffix === 'string') sink.text(suffix, `${path}/extras/metadata/suffix`)
    reading.leaveOut(`${path}/content`)
    if (typeof extras['screenshot'] === 'string' && extras['screenshot'] !== '')
      reading.warnOnce(`${path}/extras/screenshot`, 'a screenshot, which the model may have been given; not shown')
  }

  /** Adds the workspace facts that the harness collects and puts into the prompt. */
  #recall(event: Json, extras: Json, path: string): void {
    const step = this.#session.open('other', nameOf(event))
    const { recall_type: _type, runtime_hosts: _hosts, ...rest } = extras
    const facts = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== '' && !isEmptyList(value)))
    addLeaves(this.#session.sink(step.parts, 'system', 'recall'), facts, `${path}/extras`)
  }
}

/** Returns the arguments that the agent set, without its thought, unless the action is only a thought. */
function ownArgs(args: Json, action: string): Json {
  const own = Object.entries(args).filter(
    ([key, value]) =>
      !HARNESS_ARGS.has(key) &&
      (key !== 'thought' || action === 'think') &&
      (key !== 'outputs' || !isRecord(value) || Object.keys(value).length > 0),
  )
  return Object.fromEntries(own)
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0

const nameOf = ({ id }: Json): string | null => idText(id)

const eventKey = (id: unknown): string | null => (idText(id) === null ? null : `event ${idText(id)}`)

interface Reply {
  readonly key: string
  /** The number of calls in the reply. */
  readonly calls: number
  readonly model: string | null
  readonly reasoning: string | null
  readonly reasoningPath: string
  /** The model's own call: `args` of the event is the harness's version of it. */
  readonly call: { readonly tool: string; readonly args: unknown; readonly path: string } | null
}

/** Returns the model's reply behind an action, which the event carries. */
function replyOf(event: Json, path: string): Reply | null {
  const metadata = event['tool_call_metadata']
  if (!isRecord(metadata)) return null
  const response = asRecord(metadata['model_response'])
  const message = asRecord(asRecord(asList(response['choices'])[0])['message'])
  const at = `${path}/tool_call_metadata/model_response/choices/0/message`
  const index = onlyCall(asList(message['tool_calls']), metadata['tool_call_id'])
  const made = asRecord(asRecord(asList(message['tool_calls'])[index])['function'])
  const tool = asText(made['name']) ?? asText(metadata['function_name'])
  const args = made['arguments']
  const hasCall = tool !== null && (typeof args === 'string' || isRecord(args))
  return {
    key: asText(response['id']) ?? path,
    calls: asList(message['tool_calls']).length,
    model: asText(response['model']),
    reasoning: asText(message['reasoning_content']),
    reasoningPath: `${at}/reasoning_content`,
    call: hasCall ? { tool, args, path: `${at}/tool_calls/${index}/function/arguments` } : null,
  }
}

/** Finds the index of the call with an id; -1 where no call or several have it: the harness's version of the call is then shown. */
function onlyCall(calls: readonly unknown[], id: unknown): number {
  const wanted = idText(id)
  const has = (call: unknown): boolean => wanted !== null && isRecord(call) && idText(call['id']) === wanted
  const first = calls.findIndex(has)
  return calls.findLastIndex(has) === first ? first : -1
}

/**
 * Outcomes of OpenHands' actions: the application's observations (All-Hands-AI/OpenHands, openhands/events/observation) and those of
 * OpenHands/software-agent-sdk (openhands-sdk/openhands/sdk/event).
 */

/** Derives the outcome from an observation of the application. Exit code -1: the command still runs, or reached a time limit. */
function outcomeOfObservation({ observation, content, extras, success }: Json): ActOutcome {
  if (observation === 'user_rejected') return 'rejected'
  if (typeof content === 'string' && soundsTimedOut(content)) return 'interrupted'
  const words = typeof content === 'string' ? content : ''
  const error = outcomeInWords('openhands', words, true)
  const outcome = observation === 'error' ? error : success === false ? 'failed' : 'ran'
  const { metadata, exit_code: code } = asRecord(extras)
  return outcomeWithCode(outcome, codeOf(asRecord(metadata)['exit_code'] ?? code))
}

const codeOf = (code: unknown): number | null => (typeof code === 'number' && code > 0 ? code : null)

/** Derives the outcome from an event of the SDK that answers an action. */
export function outcomeOfSdk({ kind, observation, error }: Json): ActOutcome {
  if (kind === 'UserRejectObservation') return 'rejected'
  // The agent's own server writes these events, so no program can have printed the words.
  if (kind === 'AgentErrorEvent') return outcomeInWords('openhands', typeof error === 'string' ? error : '', true)
  const { is_error: isError, exit_code: code, metadata } = asRecord(observation)
  return outcomeWithCode(isError === true ? 'failed' : 'ran', codeOf(code ?? asRecord(metadata)['exit_code']))
}

/** Derives the outcome of another agent's call, which has a status. */
export const outcomeOfForeign = ({ status, is_error: isError }: Json): ActOutcome =>
  status === 'failed' || isError === true
    ? 'failed'
    : status === 'completed' || status === undefined
      ? 'ran'
      : 'unknown'
