import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { openEnvelope, previewOf, readAtifContent, readPreview, textOf, textsIn } from '../common/content.ts'
import type { Leaf } from '../common/json-tree.ts'
import { type ContentSink, isAbsent, isRecord, type Json, objectsIn, type Reading, timeOf } from '../common/reading.ts'
import { asList, asRecord, sinkTo } from '../common/session.ts'
import { addCutCall } from '../common/session-calls.ts'
import type { ChatSink } from '../openai-chat/openai-chat-sink.ts'
import { isRejection, isScaffold, isTerminus, readRawReply } from '../protocols/terminus.ts'
import { CODES, exitCodeInText, hasEnded, outcomeOfAgent, outcomeWithCode } from '../tools/outcomes.ts'
import { harnessOf, type OpenCall, openCall, own } from '../tools/tool-table.ts'
import type { CallAnswers, StepCall } from './step-order.ts'

const AGENT_FIELDS = ['reasoning_content', 'tool_calls'] as const

/** Reads one ATIF step into parts: the agent's reasoning, its message, its calls, then the observation. */
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

/** The calls of one step, for its message and its results. */
type Calls = ReturnType<typeof readCalls>

function readCalls(sink: ChatSink, calls: unknown, path: string) {
  const parts: Part[] = []
  const list: StepCall[] = []
  if (!isAbsent(calls) && addCutCall(sink, parts, openCall('tool_calls'), calls, path)) return { parts, list, count: 1 }
  for (const [record, at] of objectsIn(sink.reading, calls, path)) {
    const { tool_call_id: id, extra } = record
    const call = sink.addCall(parts, { record, at, id, name: 'function_name', args: 'arguments' })
    list.push({ id: typeof id === 'string' ? id : null, call, extra })
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
    const isRaw = isTerminus(agent) && calls.count === 0 && !resultTexts(step).some(isRejection)
    if (isRaw && readRawReply(reading, parts, message, at)) return typed(parts, step)
  }
  readAtifContent(message, at, sinkTo(reading, parts, speaker, 'message'))
  return parts
}

/** Sets the outcome of keystrokes to `ran` where an observation came back. */
function typed(parts: Part[], step: Json): Part[] {
  if (resultTexts(step).length > 0)
    for (const { act } of parts) if (act !== null) (act.call as OpenCall).outcome = 'answered'
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

/** Reads the tool results of one step. */
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

/** Names the tool that a result answers, or `observation` where several tools are possible. */
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

const resultSink = (sink: ChatSink, parts: Part[], name: string): ContentSink => ({
  ...sink.sink(parts, 'tool_output', name),
  text: (text, path) =>
    sink.text(parts, isTerminus(sink.agent) && isScaffold(text) ? 'system' : 'tool_output', text, path, name),
})

/** Returns the exit code of a command in the envelope of its result. */
function codeInEnvelopes(content: unknown): number | null {
  const isCode = ({ name, text }: Leaf): boolean => CODES.some((code) => code === name) && /^-?\d{1,10}$/.test(text)
  const code = textsIn(content)
    .flatMap((text) => openEnvelope(text) ?? [])
    .findLast(isCode)
  return code === undefined ? null : Number(code.text)
}

/** Outcomes by the status words that converters to ATIF write. */
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

const statusOf = ({ status }: Json): ActOutcome | undefined =>
  typeof status === 'string' ? own(STATUSES, status.toLowerCase()) : undefined

const flagsOf = ({ tool_result_is_error: flag, is_error: other, metadata }: Json): readonly unknown[] => [
  ...[flag, other, asRecord(metadata)['is_error']],
]

/** Reads the references of a result to other trajectories. */
const readRefs = (reading: Reading, refs: unknown, path: string) =>
  [...objectsIn(reading, refs, path)].map(([{ trajectory_id: id, trajectory_path: file }, at]) => ({
    ...{ path: at, trajectory: typeof id === 'string' ? id : null, file: typeof file === 'string' ? file : null },
  }))
