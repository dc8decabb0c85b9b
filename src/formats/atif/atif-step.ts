import type { ActOutcome, Part } from '../../domain/trajectory/trajectory.ts'
import type { Actor } from '../../schemas/vocabulary.ts'
import { openEnvelope, previewOf, readAtifContent, readPreview, textOf } from '../common/content.ts'
import { memberName } from '../common/json-tree.ts'
import {
  type ContentSink,
  idText,
  isAbsent,
  isRecord,
  type Json,
  objectsIn,
  type Reading,
  timeOf,
} from '../common/reading.ts'
import { asList, asRecord, asText, type Session, sinkTo } from '../common/session.ts'
import { addCall } from '../common/session-calls.ts'
import { isRejection, isScaffold, isTerminus, readRawReply } from '../protocols/terminus.ts'
import { harnessOf } from '../tools/harnesses.ts'
import { CODES, exitCodeInText, hasEnded, outcomeOfAgent, outcomeWithCode } from '../tools/outcomes.ts'
import { meaningOf, type OpenCall, openCall, own } from '../tools/tool-table.ts'
import type { CallAnswers, StepCall } from './step-order.ts'

const AGENT_FIELDS = ['reasoning_content', 'tool_calls'] as const

export interface StepContent extends Observation {
  readonly copied: boolean
  readonly at: number | null
}

/** Reads one ATIF step into parts: the agent's reasoning, its message, its calls, then the observation. */
export function readStep(session: Session, step: Json, path: string, answers: CallAnswers): StepContent {
  const { reading } = session
  const agent = session.agent ?? ''
  const speaker = readSpeaker(reading, step, path)
  const reasoning = readReasoning(reading, step, path)
  const calls = readCalls(session, step['tool_calls'], `${path}/tool_calls`)
  const answered = { calls, answers, agent, extra: step['extra'] }
  const observation = readObservation(reading, step['observation'], `${path}/observation`, answered)
  const message = readMessage(reading, step, `${path}/message`, speaker, agent, calls)
  const { parts: results, ...links } = observation
  const parts = [...reasoning, ...message, ...calls.parts, ...results]
  if (
    isAbsent(step['message']) &&
    isAbsent(step['observation']) &&
    AGENT_FIELDS.every((field) => isAbsent(step[field]))
  )
    reading.odd(`${path}/message`, 'text', step['message'])
  return { copied: step['is_copied_context'] === true, at: timeOf(step['timestamp']), parts, ...links }
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
  else readAtifContent(reading, content, at, sinkTo(reading, parts, 'agent_reasoning', 'reasoning'))
  return parts
}

function readCalls(session: Session, calls: unknown, path: string): Calls {
  const { reading } = session
  const parts: Part[] = []
  const list: StepCall[] = []
  if (isAbsent(calls)) return { parts, list, count: 0 }
  if (!Array.isArray(calls)) {
    const meaning = meaningOf(undefined, '', openCall('tool_calls'), null)
    const text = (preview: string, at: string): void =>
      reading.add(parts, { ...meaning, text: preview, path: at, name: 'tool_calls' })
    const isCut = readPreview(reading, calls, path, { text, media: text }, true)
    if (!isCut) reading.odd(path, 'an array', calls)
    return { parts, list, count: isCut ? 1 : 0 }
  }
  for (const [record, at] of objectsIn(reading, calls, path)) {
    const { tool_call_id: id, function_name: name, extra } = record
    const namePath = `${at}/function_name`
    if (asText(name) === null) reading.warn(namePath, 'a tool call must name its function')
    const call = openCall(asText(name) ?? 'tool_call', idText(id))
    list.push({ id: typeof id === 'string' ? id : null, call, extra })
    const place = { path: `${at}/arguments`, namePath: typeof name === 'string' ? namePath : null }
    addCall(session, parts, { call, args: record['arguments'], isInput: true, ...place })
  }
  return { parts, list, count: calls.length }
}

function readMessage(reading: Reading, step: Json, at: string, speaker: Actor, agent: string, calls: Calls): Part[] {
  const parts: Part[] = []
  const { message } = step
  if (typeof message === 'string' && speaker === 'agent_message') {
    if (isSynthetic(message, step, agent)) {
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
  readAtifContent(reading, message, at, sinkTo(reading, parts, speaker, 'message'))
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

/** The calls of one step, for its message and its results. */
interface Calls {
  readonly parts: readonly Part[]
  readonly list: readonly StepCall[]
  readonly count: number
}

/** The reference of a result to another trajectory. */
export interface SubagentRef {
  readonly path: string
  readonly trajectory: string | null
  readonly file: string | null
}

interface Observation {
  readonly parts: readonly Part[]
  readonly refs: readonly SubagentRef[]
}

/** The step of an observation: its calls, the open calls of the run, the agent, and `step.extra`. */
interface Answered {
  readonly calls: Calls
  readonly answers: CallAnswers
  readonly agent: string
  readonly extra: unknown
}

/** Reads the tool results of one step. */
function readObservation(reading: Reading, observation: unknown, path: string, step: Answered): Observation {
  const { calls, answers, agent } = step
  const parts: Part[] = []
  const refs: SubagentRef[] = []
  const preview = resultSink(reading, parts, 'observation', false)
  const isCut = readPreview(reading, observation, path, preview)
  if (!isCut && !isAbsent(observation) && !isRecord(observation)) reading.odd(path, 'an object', observation)
  const results = isCut ? [] : asRecord(observation)['results']
  const called = answers.match(asList(results), calls.list)
  for (const [result, at, index] of objectsIn(reading, results, `${path}/results`)) {
    refs.push(...readRefs(reading, result['subagent_trajectory_ref'], `${at}/subagent_trajectory_ref`))
    const answered = called[index] ?? []
    const name = toolName(reading, result, at, calls, answered)
    const own = resultSink(reading, parts, name, isTerminus(agent))
    readAtifContent(reading, result['content'], `${at}/content`, own)
    const extra = calls.count === 1 ? step.extra : null
    for (const call of answered) call.call.outcome = outcomeOf(result, call, extra, agent, own.exitCode)
  }
  return { parts, refs }
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

interface ResultSink extends ContentSink {
  /** Exit code of the command, from the envelope of the result. */
  exitCode: number | null
}

const resultSink = (reading: Reading, parts: Part[], name: string, isOfTerminus: boolean): ResultSink => ({
  exitCode: null,
  text(text, path) {
    const scaffold = isOfTerminus && isScaffold(text)
    const leaves = scaffold ? null : openEnvelope(text)
    if (leaves === null) reading.add(parts, { actor: scaffold ? 'system' : 'tool_output', text, path, name })
    for (const leaf of leaves ?? []) {
      const full = memberName(name, leaf.name)
      if (CODES.some((code) => code === leaf.name) && /^-?\d{1,10}$/.test(leaf.text)) this.exitCode = Number(leaf.text)
      reading.add(parts, { actor: 'tool_output', text: leaf.text, path: `${path}#${leaf.pointer}`, name: full })
    }
  },
  media: (text, path, _kind, source) => reading.addMedia(parts, { actor: 'tool_output', text, path, name }, source),
})

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
function outcomeOf(result: Json, call: StepCall, step: unknown, agent: string, exitCode: number | null): ActOutcome {
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

function readRefs(reading: Reading, refs: unknown, path: string): SubagentRef[] {
  return [...objectsIn(reading, refs, path)].map(([{ trajectory_id: id, trajectory_path: file }, at]) => ({
    ...{ path: at, trajectory: typeof id === 'string' ? id : null, file: typeof file === 'string' ? file : null },
  }))
}
