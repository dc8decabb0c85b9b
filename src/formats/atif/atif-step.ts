import { pushTo } from '../../domain/result.ts'
import type { ActOutcome, Part, Reply, Step } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { openEnvelope, previewOf, readAtifContent, readPreview, textOf, textsIn } from '../common/content.ts'
import type { Leaf } from '../common/json-tree.ts'
import { idText, isAbsent, isRecord, type Json, objectsIn, pointer, type Reading, timeOf } from '../common/reading.ts'
import { asList, asName, asRecord, asText, sinkTo } from '../common/session.ts'
import { addCutCall } from '../common/session-calls.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { isRejection, isScaffold, isTerminus, readRawReply } from '../protocols/agent-replies.ts'
import { CODES, exitCodeInText, hasEnded, outcomeOfAgent, outcomeWithCode } from '../tools/outcomes.ts'
import { harnessOf, type OpenCall, openCall, own } from '../tools/tool-table.ts'

const AGENT_FIELDS = ['reasoning_content', 'tool_calls'] as const

export function readStep(sink: ChatSink, step: Json, path: string, answers: CallAnswers) {
  const { reading } = sink
  const speaker = readSpeaker(reading, step, path)
  const reasoning = readReasoning(reading, step, path)
  const calls = readCalls(sink, step['tool_calls'], `${path}/tool_calls`)
  const { results, refs } = readObservation(sink, step, `${path}/observation`, calls, answers)
  const message = readMessage(sink, step, `${path}/message`, speaker, calls)
  const parts = [...reasoning, ...message, ...calls.parts, ...results]
  if (['message', 'observation', ...AGENT_FIELDS].every((field) => isAbsent(step[field])))
    reading.odd(`${path}/message`, 'text', step['message'])
  return { copied: step['is_copied_context'] === true, at: timeOf(step['timestamp']), parts, refs }
}

function readSpeaker(reading: Reading, step: Json, path: string): Actor {
  const source = step['source']
  if (source === 'agent') return 'agent_message'
  for (const field of AGENT_FIELDS)
    if (!isAbsent(step[field])) reading.warn(`${path}/${field}`, 'only a step of the agent may have this')
  if (source === 'user' || source === 'system') return source
  if (isRecord(step['extra']) && step['extra']['trimmed'] === true)
    reading.unread(path, 'steps left out by the corpus that published this file', true)
  // The source of notes by the publisher of a corpus.
  const isNobody = source === 'corpus_builder'
  reading.warn(`${path}/source`, `must be user, system or agent; read as ${isNobody ? 'system' : 'the agent'}`)
  return isNobody ? 'system' : 'agent_message'
}

function readReasoning(reading: Reading, step: Json, path: string): Part[] {
  const parts: Part[] = []
  const content = step['reasoning_content']
  const at = `${path}/reasoning_content`
  if (content === 'null') reading.warn(at, 'the text "null" stands for no reasoning; not shown')
  else readAtifContent(content, at, sinkTo(reading, parts, 'agent_reasoning', 'reasoning'))
  return parts
}

type Calls = ReturnType<typeof readCalls>

function readCalls(sink: ChatSink, calls: unknown, path: string) {
  const parts: Part[] = []
  const list: StepCall[] = []
  if (!isAbsent(calls) && addCutCall(sink, parts, openCall('tool_calls'), calls, path)) return { parts, list, count: 1 }
  for (const [record, at] of objectsIn(sink.reading, calls, path)) {
    const { tool_call_id: id, extra } = record
    const call = sink.addCall(parts, { record, at, id, name: 'function_name', args: 'arguments' })
    list.push({ id: textOrNull(id), call, extra })
  }
  return { parts, list, count: asList(calls).length }
}

function readMessage({ reading, agent }: ChatSink, step: Json, at: string, speaker: Actor, calls: Calls): Part[] {
  const parts: Part[] = []
  const { message } = step
  if (typeof message === 'string' && speaker === 'agent_message') {
    if (isSynthetic(message, step, agent ?? '')) {
      reading.add(parts, { actor: 'system', text: message, path: at, name: 'message' })
      return parts
    }
    if (calls.count === 0 && repeatsResult(message, step)) {
      reading.warn(at, 'repeats the observation of its step; shown once, as tool output')
      return parts
    }
    const results = resultTexts(step)
    const isRaw = isTerminus(agent) && calls.count === 0 && !results.some(isRejection)
    if (isRaw && readRawReply(reading, parts, message, at, results.length > 0)) return parts
  }
  readAtifContent(message, at, sinkTo(reading, parts, speaker, 'message'))
  return parts
}

/** Recognizes `Executed Bash toolu_…`: the text that the converter of claude-code writes where the agent sent no message. */
function isSynthetic(message: string, step: Json, agent: string): boolean {
  if (!message.startsWith('Executed ')) return false
  const isOf = ({ function_name: name, tool_call_id: id }: Json) =>
    typeof name === 'string' && typeof id === 'string' && message === `Executed ${name} ${id}`
  const { tool_calls: calls } = step
  const isCut = agent.startsWith('claude') && previewOf(calls) !== null
  return asList(calls).some((call) => isOf(asRecord(call))) || (isCut && CUT_NOTE.test(message))
}

const CUT_NOTE = /^Executed [^ ]{1,200} toolu_[^ ]{0,80}$/

/** Tells whether the message repeats a tool result: openclaw writes each result twice, as the agent's message and as the observation. */
const repeatsResult = (message: string, step: Json): boolean => message !== '' && resultTexts(step).includes(message)

const resultTexts = (step: Json): readonly string[] =>
  asList(asRecord(step['observation'])['results']).flatMap((result) => {
    const { content } = asRecord(result)
    return typeof content === 'string' ? [content] : []
  })

function readObservation(sink: ChatSink, step: Json, path: string, calls: Calls, answers: CallAnswers) {
  const { reading, agent } = sink
  const { observation } = step
  const parts: Part[] = []
  const refs: ReturnType<typeof readRefs> = []
  const isCut = readPreview(observation, path, resultSink(sink, parts, 'observation'))
  if (!isCut && !isAbsent(observation) && !isRecord(observation)) reading.odd(path, 'an object', observation)
  const results = isCut ? [] : asRecord(observation)['results']
  const called = answers.match(asList(results), calls.list)
  for (const [result, at, index] of objectsIn(reading, results, `${path}/results`)) {
    refs.push(...readRefs(reading, result['subagent_trajectory_ref'], `${at}/subagent_trajectory_ref`))
    const answered = called[index] ?? []
    const name = toolName(reading, result, at, calls, answered)
    readAtifContent(result['content'], `${at}/content`, resultSink(sink, parts, name))
    const extra = calls.count === 1 ? step['extra'] : null
    for (const call of answered) call.call.outcome = outcomeOf(result, call, extra, agent ?? '')
  }
  return { results: parts, refs }
}

function toolName(reading: Reading, result: Json, path: string, calls: Calls, answered: readonly StepCall[]): string {
  const id = result['source_call_id']
  const only = answered[0]?.call.tool
  const inStep = answered.some((call) => calls.list.includes(call))
  // A corpus that cut the calls of a step also cut their ids.
  const hasIds = () => calls.list.some((call) => call.id !== null) || calls.count === 0
  if (!isAbsent(id) && !inStep && hasIds() && !calls.list.some((call) => call.id === id)) {
    reading.warn(`${path}/source_call_id`, 'names no tool call of this step')
    // The call of such a result is not in the document.
    if (only === undefined) reading.countUnread(path, true)
  }
  return only !== undefined && inStep && answered.every(({ call }) => call.tool === only) ? only : 'observation'
}

const resultSink = (sink: ChatSink, parts: Part[], name: string) => ({
  ...sink.sink(parts, 'tool_output', name),
  text: (text: string, path: string) =>
    sink.text(parts, isTerminus(sink.agent) && isScaffold(text) ? 'system' : 'tool_output', text, path, name),
})

function codeInEnvelopes(content: unknown): number | null {
  const isCode = ({ name, text }: Leaf): boolean => CODES.some((code) => code === name) && /^-?\d{1,10}$/.test(text)
  const leaves = textsIn(content).flatMap((text) => openEnvelope(text) ?? [])
  const code = leaves.findLast(isCode)
  return code === undefined ? null : Number(code.text)
}

const STATUSES: Readonly<Record<string, ActOutcome>> = {
  ...{ success: 'ran', completed: 'answered', ok: 'ran', done: 'answered' },
  ...{ error: 'failed', failed: 'failed', failure: 'failed' },
  ...{ rejected: 'rejected', denied: 'rejected', declined: 'rejected', blocked: 'rejected' },
  ...{ cancelled: 'cancelled', canceled: 'cancelled', interrupted: 'interrupted', aborted: 'interrupted' },
  ...{ pending: 'cancelled', awaiting_approval: 'cancelled', running: 'interrupted', timeout: 'interrupted' },
}
/** The suffix that Harbor's converter of Claude Code appends to the text of a failed result. */
const FAILURE = '[error] tool reported failure'

/** Derives the outcome of an answered call: from the fields of the file, then from the harness's words. `step`: `extra` of a step with one call. */
function outcomeOf(result: Json, call: StepCall, step: unknown, agent: string): ActOutcome {
  const exitCode = codeInEnvelopes(result['content'])
  const notes = [result['extra'], call.extra, step].filter(isRecord)
  const status = notes.map(statusOf).find((found) => found !== undefined)
  if (status !== undefined && status !== 'failed') return outcomeWithCode(status, exitCode)
  const flag = status === 'failed' ? true : notes.flatMap(flagsOf).find((found) => typeof found === 'boolean')
  const text = textOf(result['content'])
  const harness = harnessOf(agent)
  // A failed program also sets the flag; only these two harnesses begin such a result with words of their own.
  const isSure = flag === false || harness === 'claude-code' || harness === 'gemini-cli'
  // An MCP server writes its own text, so the server could claim a rejection.
  const isServers = call.call.tool.startsWith('mcp__') && harness !== null
  const ended = flag === false ? 'ran' : 'answered'
  const inWords = isServers ? ended : outcomeOfAgent(agent, call.call.tool, text, isSure ? (flag ?? null) : null)
  // A program can print the suffix, too: the suffix proves a failure, never that the call did not run.
  const isMarked = flag === undefined && harness === 'claude-code' && text.endsWith(FAILURE)
  const outcome = hasEnded(inWords) && (flag === true || isMarked) ? 'failed' : inWords
  return outcomeWithCode(outcome, exitCode ?? (flag === false ? null : exitCodeInText(harness, text)))
}

const statusOf = ({ status }: Json): ActOutcome | undefined => own(STATUSES, asText(status)?.toLowerCase())
const flagsOf = ({ tool_result_is_error: flag, is_error: other, metadata }: Json): readonly unknown[] => {
  return [flag, other, asRecord(metadata)['is_error']]
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const readRefs = (reading: Reading, refs: unknown, path: string) =>
  [...objectsIn(reading, refs, path)].map(([{ trajectory_id: id, trajectory_path: file }, at]) => {
    return { path: at, trajectory: textOrNull(id), file: textOrNull(file) }
  })

/** Bounds a step id: a larger number is a name, not a position, and ids counted on from this bound stay exact. */
const MAX_STEP_ID = 1_000_000_000

export const isUsableStepId = (own: unknown): own is number =>
  typeof own === 'number' && Number.isInteger(own) && own >= 1 && own <= MAX_STEP_ID

const nameOf = (own: unknown): string | null => asName(own) ?? (typeof own === 'boolean' ? String(own) : idText(own))

/** Numbers the steps: integer ids stay, other steps get their positions; all do where two ids collide. One integer twice is an error. */
export function numberSteps(reading: Reading, steps: readonly unknown[], path: string): Pick<Step, 'id' | 'name'>[] {
  const own = steps.map((step) => asRecord(step)['step_id'])
  const first = new Map<number, number>()
  for (const [index, value] of own.entries()) {
    if (!isUsableStepId(value)) continue
    const earlier = first.get(value)
    if (earlier === undefined) first.set(value, index)
    else reading.refuse(`${path}/${index}/step_id`, `${value} is the id of ${path}/${earlier} as well`)
  }
  const collides = own.some((value, index) => !isUsableStepId(value) && first.has(index + 1))
  if (collides) reading.warn(path, 'some steps have no usable step_id; all are numbered by position')
  return own.map((value, index) => {
    const position = index + 1
    if (!collides && isUsableStepId(value)) return { id: value, name: null }
    return { id: position, name: value === position ? null : nameOf(value) }
  })
}

/** Warns once where step ids depart from 1, 2, 3, …, which ATIF requires, and once where times go back: citations count by the file's order. */
export function warnAboutOrder(reading: Reading, steps: readonly unknown[], path: string): void {
  let expected = 1
  let latest = 0
  for (const [index, step] of steps.entries()) {
    const at = pointer(path, index)
    const { step_id: own, is_copied_context: isCopied, timestamp } = asRecord(step)
    if (own !== expected)
      reading.warnOnce(`${at}/step_id`, 'the step ids are not 1, 2, 3, …; the order of the file is kept')
    expected = (isUsableStepId(own) ? own : expected) + 1
    const time = isCopied === true ? null : timeOf(timestamp)
    if (time !== null && time < latest)
      reading.warnOnce(`${at}/timestamp`, 'earlier than the step before it; the order of the file is kept')
    latest = Math.max(latest, time ?? 0)
  }
}

/** Groups the steps of one reply, of which converters write each call as a step: by token counts, or by the id of the request. */
export class StepReplies {
  /** The reply of the agent's last step with no other speaker since, and the token counts of its request; null where the file omits them. */
  #last: { readonly reply: Reply; readonly request: string | null } | null = null
  /** True when token counts tell requests apart: an answer without calls belongs to another request than the calls before it. */
  readonly #isTelling: boolean

  constructor(steps: readonly unknown[]) {
    const own = steps.map(asRecord).filter((step) => step['source'] === 'agent')
    const answer = own.at(-1) ?? {}
    const isAnswer = asList(answer['tool_calls']).length === 0
    const tokens = requestOf(answer)
    this.#isTelling = !isAnswer || tokens === null || requestOf(own.at(-2) ?? {}) !== tokens
  }

  of(step: Json, path: string): Reply | null {
    if (step['source'] !== 'agent') {
      this.#last = null
      return null
    }
    const named = asText(asRecord(step['extra'])['api_call_id'])
    const request = requestOf(step)
    const last = this.#last
    const isSame = this.#isTelling && last !== null && last.request !== null && isOfRequest(step, request, last.request)
    const id = named ?? (isSame ? last.reply.id : path)
    const reply = { id, isNamed: named !== null }
    this.#last = { reply, request: request ?? (isSame ? last.request : null) }
    return reply
  }
}

function requestOf(step: Json): string | null {
  const { prompt_tokens: prompt, cached_tokens: cached } = asRecord(step['metrics'])
  return typeof prompt === 'number' && prompt > 0 ? `${prompt} ${idText(cached) ?? ''}` : null
}

/** Tells whether a step belongs to the last request: equal token counts, or none where it makes calls and notes no new call of the model. */
const isOfRequest = (step: Json, request: string | null, last: string): boolean =>
  request === null
    ? asList(step['tool_calls']).length > 0 && (isAbsent(step['llm_call_count']) || step['llm_call_count'] === 0)
    : request === last

export interface StepCall {
  readonly id: string | null
  readonly call: OpenCall
  readonly extra: unknown
}

/** Matches results to calls by ids, of their step or open before it; those with one id match in their order. */
export class CallAnswers {
  readonly #open = new Map<string, StepCall[]>()

  /** Returns the answered calls of each result of a step. ATIF: a result that names no call belongs to the whole step. */
  match(results: readonly unknown[], calls: readonly StepCall[]): readonly (readonly StepCall[])[] {
    const ids = results.map((result) => asRecord(result)['source_call_id'])
    const isOfStep = results.length === 1 || calls.length === 1
    const matched = ids.map((id) => (isAbsent(id) && isOfStep ? calls : []))
    const own = Map.groupBy(calls, ({ id }) => id)
    for (const [id, places] of Map.groupBy(ids.keys(), (index) => ids[index])) {
      const named = typeof id === 'string' ? (own.get(id) ?? this.#open.get(id)) : undefined
      if (typeof id !== 'string' || named?.length !== places.length) continue
      for (const [turn, place] of places.entries()) matched[place] = named.slice(turn, turn + 1)
      if (!own.has(id)) this.#open.delete(id)
    }
    const answered = new Set(matched.flat())
    for (const call of calls) if (call.id !== null && !answered.has(call)) pushTo(this.#open, call.id, call)
    return matched
  }
}
